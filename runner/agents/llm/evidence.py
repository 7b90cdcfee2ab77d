"""Extracts codes, parameters, status and messages from a server's error, in whatever format."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

_LONGEST = 1000
"""Maximum number of characters read from a message, which may repeat the whole request."""
_SHOWN = 300
"""Maximum length of the message for users, in characters."""
_DEEPEST = 8
_CODES = ("code", "type", "error_type", "error_code", "reason", "status")
_PARAMS = ("param", "loc", "parameter")
_WORDS = ("message", "msg", "detail", "error", "raw", "title", "error_description", "errors", "fault")
_INSIDE = (
    "error", "errors", "detail", "details", "metadata", "innererror", "inner_error", "message", "raw", "violations",
)  # fmt: skip
_QUOTAS = ("quotaId", "quotaMetric", "retryDelay")
"""Entries of Google's errors that name the exhausted quota and when to retry."""
_MARKUP = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.DOTALL | re.IGNORECASE)

type _Sort = Literal["code", "param", "word", "quota"]


class Evidence(NamedTuple):
    """Parts of an error, the most reliable first."""

    status: int | None
    """HTTP status, or the code that the server gives in its place; None if there is none."""
    codes: frozenset[str] = frozenset()
    """Codes and types in lower case."""
    params: tuple[str, ...] = ()
    """Parts of the request that the error is about, such as `response_format` or `messages.0.role`."""
    words: str = ""
    """All messages in lower case, on one line."""
    message: str = ""
    """Message for users, with parameters and codes, cut to 300 characters."""
    markup: bool = False
    """Whether the answer is an HTML page, as from a web server in front of the endpoint."""


def evidence(status: int | None, body: bytes | str | Any, hide: Callable[[str], str] = str) -> Evidence:
    """Return the evidence in an answer; `body` is its text or JSON value, `hide` removes a key from a text."""
    content = _json_in(body) if isinstance(body, bytes | str) else body
    if isinstance(content, str):
        return _text_evidence(status, content, hide)
    pairs = list(_pairs(content, _DEEPEST))
    words = _distinct(text for sort, text in pairs if sort == "word")
    codes = _distinct(text for sort, text in pairs if sort == "code")
    params = _distinct(text for sort, text in pairs if sort == "param")
    quotas = _distinct(text for sort, text in pairs if sort == "quota")
    numbers = [int(code) for code in codes if re.fullmatch(r"[1-5]\d\d", code)]
    # With status 200, the real status is a code in the body.
    if status is None or status < 400:
        status = next((number for number in numbers if number >= 400), None)
    # Single-word codes, such as "error", do not help a user.
    displayed = _distinct((*words, *params, *(code for code in codes if "_" in code)))
    return Evidence(
        status,
        frozenset(code.lower() for code in codes),
        tuple(param.lower() for param in params),
        hide(" ".join((*words, *quotas))).lower(),
        # Hidden before truncating, because part of a key would not be recognised.
        hide(" · ".join(displayed))[:_SHOWN] or "no reason given",
    )


def _text_evidence(status: int | None, text: str, hide: Callable[[str], str]) -> Evidence:
    """Return the evidence in an answer that is not JSON: plain text or an HTML page."""
    markup = text.lstrip()[:1] == "<"
    bare = _one_line(_MARKUP.sub(" ", text[: 20 * _LONGEST]) if markup else text)
    return Evidence(status, words=hide(bare).lower(), message=hide(bare)[:_SHOWN] or "no reason given", markup=markup)


def _json_in(body: bytes | str) -> Any:
    """Return the JSON value of a text, or the text itself."""
    text = clean(body.decode(errors="replace") if isinstance(body, bytes) else body)
    try:
        return json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return text


def clean(text: str) -> str:
    """Return a text with lone surrogates replaced, so that it can be encoded."""
    return text.encode(errors="replace").decode()


def _pairs(node: Any, depth: int) -> Iterator[tuple[_Sort, str]]:
    """Yield the codes, parameters and messages of an error, outermost first."""
    if depth == 0:
        return
    if isinstance(node, list):
        for entry in node[:20]:
            yield from _pairs(entry, depth - 1)
        return
    if isinstance(node, str):
        yield from _message(node, depth)
    if not isinstance(node, Mapping):
        return
    for name, entry in node.items():
        yield from _entry(name, entry, depth)


def _entry(name: str, entry: Any, depth: int) -> Iterator[tuple[_Sort, str]]:
    if name in _CODES and isinstance(entry, str | int) and not isinstance(entry, bool):
        yield "code", _one_line(str(entry))[:100]
    elif name in _PARAMS and isinstance(entry, str | list) and entry:
        parts = entry if isinstance(entry, list) else [entry]
        # Pydantic's error locations begin with "body", which carries no information.
        yield "param", _one_line(".".join(str(part) for part in parts[:8] if part != "body"))[:200]
    elif name in _QUOTAS and isinstance(entry, str):
        yield "quota", f"{name} {_one_line(entry)[:200]}"
    elif name in _WORDS and isinstance(entry, str):
        yield from _message(entry, depth)
    elif name in _INSIDE and isinstance(entry, Mapping | list):
        yield from _pairs(entry, depth - 1)


def _message(text: str, depth: int) -> Iterator[tuple[_Sort, str]]:
    """Yield a message, or the error in it: gateways pass on another server's error as text."""
    nested = _json_in(text) if text.lstrip()[:1] in ("{", "[") else text
    if isinstance(nested, Mapping | list):
        yield from _pairs(nested, depth - 1)
    elif line := _one_line(text):
        yield "word", line[:_LONGEST]


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())


def _distinct(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text]
