"""Reads a server's answer: the first choice's message and its tokens; everything else is optional."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from stressweb.runner.agents.llm.evidence import clean
from stressweb.runner.agents.llm.wrapping import Reply

_LARGEST = 10**15
_LONGEST_NAME = 200
_CACHED = ("cache_creation_input_tokens", "cache_read_input_tokens")


class Malformed(Exception):  # noqa: N818 - the server's fault, and retried
    """The answer is not a chat completion; the message says why."""


class Failed(Exception):  # noqa: N818 - treated as a refusal
    """The answer is an error despite its successful status."""

    def __init__(self, body: Any) -> None:
        """Take the error's JSON value."""
        super().__init__()
        self.body = body


class Completion(NamedTuple):
    """A server's answer."""

    reply: Reply
    tokens_in: int = 0
    tokens_out: int = 0
    model: str = ""
    fingerprint: str = ""
    id: str = ""


def completion(response_body: bytes) -> Completion:
    """Parse a server's answer; raises Malformed, and Failed for an error.

    Servers only agree on the message of the first choice, so only its absence is an error.
    """
    body = _object(response_body)
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    error = body.get("error")
    if not isinstance(first, Mapping):
        if error:
            raise Failed({"error": error})
        # Some servers answer with an error instead of a completion.
        if body.get("object") == "error" or isinstance(body.get("detail"), str | list):
            raise Failed(body)
        raise Malformed("choices: it takes 1 or more entries")
    reply = _reply(first)
    _raise_failed(first, reply, error)
    tokens_in, tokens_out = tokens(body.get("usage"))
    return Completion(
        reply,
        tokens_in,
        tokens_out,
        model=name_in(body.get("model")),
        fingerprint=name_in(body.get("system_fingerprint")),
        id=name_in(body.get("id")),
    )


def _object(response_body: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(response_body)
    except (ValueError, RecursionError):
        raise Malformed("it is not JSON") from None
    # Google's endpoint puts its errors into a list.
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    if not isinstance(body, Mapping):
        raise Malformed("it is not a JSON object")
    return body


def _reply(choice: Mapping[str, Any]) -> Reply:
    message = choice.get("message")
    if not isinstance(message, Mapping):
        # Servers of plain completions put the text into the choice.
        message = {"content": choice.get("text")}
    return Reply(
        text=_text(message.get("content")) or _text(message.get("refusal")),
        calls=tuple(_calls(message)),
        thoughts=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        cut=choice.get("finish_reason") in ("length", "max_tokens", "MAX_TOKENS"),
    )


def _raise_failed(choice: Mapping[str, Any], reply: Reply, error: Any) -> None:
    """Raise Failed if the choice is an error, or empty because of a content filter."""
    reason = choice.get("finish_reason")
    if own := choice.get("error"):
        raise Failed({"error": own})
    if reason == "error":
        raise Failed({"error": error or reply.text or "the server ended the answer with an error"})
    empty = not (reply.text or reply.calls or reply.thoughts)
    if error and empty:
        raise Failed({"error": error})
    if reason == "content_filter" and empty:
        raise Failed({"error": {"message": "the server's content filter took the answer", "code": "content_filter"}})


def _text(content: Any) -> str:
    """Return the text of a message, which some servers send in parts or as a JSON object."""
    if isinstance(content, str):
        return clean(content)
    if isinstance(content, list):
        return "".join(_text_of_part(part) for part in content)
    if isinstance(content, Mapping):
        return _text_of_part(content) if "text" in content else clean(json.dumps(content))
    return ""


def _text_of_part(part: Any) -> str:
    if isinstance(part, str):
        return clean(part)
    if not isinstance(part, Mapping) or part.get("type", "text") not in ("text", "output_text"):
        return ""
    text = part.get("text")
    return clean(text) if isinstance(text, str) else ""


def _calls(message: Mapping[str, Any]) -> list[str]:
    """Return tool calls as JSON objects of name and arguments."""
    calls = message.get("tool_calls")
    call_list = calls if isinstance(calls, list) else []
    functions = [call.get("function") for call in call_list if isinstance(call, Mapping)]
    functions_called = [
        function for function in (*functions, message.get("function_call")) if isinstance(function, Mapping)
    ]
    called = ({"name": function.get("name"), "arguments": function.get("arguments")} for function in functions_called)
    return [clean(json.dumps(call_object, ensure_ascii=False)) for call_object in called]


def tokens(usage: Any) -> tuple[int, int]:
    """Return the numbers of input and output tokens that a server reports; 0 if it does not."""
    reports = [report for report in (usage if isinstance(usage, list) else [usage]) if isinstance(report, Mapping)]
    return (
        # Anthropic reports cached tokens separately.
        sum(
            _count(report, "prompt_tokens", "input_tokens") + sum(_count(report, name) for name in _CACHED)
            for report in reports
        ),
        sum(_count(report, "completion_tokens", "output_tokens") for report in reports),
    )


def _count(usage: Mapping[str, Any], *names: str) -> int:
    """Return a number of tokens; a fraction is rounded, and anything else counts as 0."""
    for name in names:
        try:
            count = float(usage.get(name) or 0)
        except (TypeError, ValueError, OverflowError):
            continue
        if 0 < count < _LARGEST:
            return round(count)
    return 0


def name_in(text: Any) -> str:
    """Return a server's name for something, cleaned and shortened for the recording; empty if it is not a name."""
    return clean(str(text))[:_LONGEST_NAME] if isinstance(text, str | int | float) and text is not True else ""
