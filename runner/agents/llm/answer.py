"""Parses a model's answer: a JSON object that is an action, alone or extracted from surrounding text."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from stressweb.plugins.actions import Action
from stressweb.runner.agents.llm.keys import key_name, valid_keys
from stressweb.runner.agents.llm.strict_json import NotJSONError, decoded
from stressweb.runner.agents.llm.verdict_form import EXAMPLE, ending
from stressweb.runner.agents.llm.wrapping import KINDS, Reply, SeveralError, after_thoughts, unwrapped

PARAMETERS = tuple(name for name in Action.model_fields if name not in ("kind", "reasoning"))
"""Names allowed under `parameters`."""
_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(?P<inside>.*?)\r?\n?[ \t]*```", re.DOTALL)


class Unreadable(Exception):  # noqa: N818 - sent back to the model, not an internal error
    """The answer is not a valid action; the message tells the model why."""


class Answer(BaseModel):
    """The JSON object of a model's answer."""

    model_config = ConfigDict(extra="forbid")

    action_type: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    reasoning: str | None = None


class Decision(NamedTuple):
    """The action in an answer."""

    action: Action
    ways: tuple[str, ...] = ()
    """What surrounded the action, in a few words each; empty if the answer was the object alone."""


def decision(reply: Reply, hide: Callable[[str], str] = str, *, strict: bool = False, judges: bool = False) -> Decision:
    """Return the action in an answer; raises Unreadable.

    Unless `strict`, the last object in the answer that is an action counts, whatever surrounds it, and key names are
    translated to the browser's. If the model `judges` a test case, a verdict without an action also ends it. `hide`
    removes a key from a text.
    """
    try:
        return _decision(reply, hide, strict=strict, judges=judges)
    except Unreadable as error:
        if judges and '"verdict' in reply.text:
            raise Unreadable(f"{error}; a verdict is given like this: {EXAMPLE}") from None
        raise


def _decision(reply: Reply, hide: Callable[[str], str], *, strict: bool, judges: bool) -> Decision:
    try:
        answer_decision = Decision(read(reply.text, hide))
    except Unreadable as error:
        if reply.cut:
            # In a truncated answer, the last complete object may be an action that the model only considered.
            raise Unreadable("it was cut off at the largest length of an answer; answer in fewer words") from None
        if strict:
            raise
        answer_decision = (_verdict(reply, hide) if judges else None) or _taken_out(reply, hide, error)
    return answer_decision if strict else _with_keys(answer_decision)


def _verdict(reply: Reply, hide: Callable[[str], str]) -> Decision | None:
    """Return the final action for a verdict that is not written as an action; None for any other answer."""
    try:
        # Only an object alone: within other text it may be a verdict that the model only considers.
        end = ending(_object(after_thoughts(reply.text)))
    except Unreadable:
        return None
    return Decision(_action(end.value, hide), (end.way,)) if end else None


def _taken_out(reply: Reply, hide: Callable[[str], str], plain: Unreadable) -> Decision:
    try:
        last_action = unwrapped(reply)
    except SeveralError:
        raise Unreadable("it is a list of several actions; answer with the next one alone") from None
    if last_action is None:
        raise plain
    return Decision(_action(last_action.value, hide), last_action.ways or ("text around it",))


def _with_keys(parsed: Decision) -> Decision:
    """Return a decision with key names translated to the browser's; raises Unreadable for an unknown key."""
    action = parsed.action
    for name in ("key", "keys"):
        written = getattr(action, name)
        if written is None or action.kind not in ("PRESS", "HOTKEY"):
            continue
        known = key_name(written)
        if known is None:
            raise Unreadable(f"{name} is {written[:40]!r}, which is no key; there are {valid_keys()}")
        if known != written:
            # A copy, so that fields that the model omitted stay unset.
            action = action.model_copy(update={name: known})
    return Decision(action, parsed.ways)


def read(text: str, hide: Callable[[str], str] = str) -> Action:
    """Return the action in an answer, which may be in a code fence but without other text.

    Raises Unreadable. A null parameter counts as omitted. `hide` removes a key from a text; it is applied to decoded
    text, because JSON may escape a key (`\\u0073k-…`).
    """
    return _action(_object(text), hide)


def _action(json_object: dict[str, Any], hide: Callable[[str], str]) -> Action:
    try:
        answer = Answer.model_validate(_hidden(json_object, hide))
    except ValidationError as error:
        raise Unreadable(_words(error)) from None
    if answer.action_type not in KINDS:
        raise Unreadable(f"action_type is {answer.action_type[:40]!r}; there are {', '.join(KINDS)}")
    parameters = {name: entry for name, entry in answer.parameters.items() if entry is not None}
    # Truncated, since the message goes back into the prompt.
    unknown = [name[:40] for name in parameters if name not in PARAMETERS]
    if unknown:
        raise Unreadable(f"unknown parameter {', '.join(unknown)}; there are {', '.join(PARAMETERS)}")
    reasoning = {} if answer.reasoning is None else {"reasoning": answer.reasoning}
    try:
        return Action.model_validate({"kind": answer.action_type, **parameters, **reasoning})
    except ValidationError as error:
        raise Unreadable(_words(error)) from None


def _object(text: str) -> dict[str, Any]:
    fenced = _FENCE.fullmatch(text.strip())
    content = (fenced["inside"] if fenced else text).strip()
    if not content:
        raise Unreadable("the answer is empty")
    try:
        # Half of a surrogate pair cannot be written to the recording.
        content.encode()
        # `json.loads` would report text after the object as invalid JSON; the message below is more precise.
        parsed, end = decoded(content)
    except UnicodeEncodeError:
        raise Unreadable("it holds half of a surrogate pair") from None
    except NotJSONError as error:
        raise Unreadable(str(error)) from None
    if content[end:].strip():
        raise Unreadable("there is text after the JSON object")
    if not isinstance(parsed, dict):
        raise Unreadable("it is not a JSON object")
    return parsed


def _hidden(node: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(node, str):
        return hide(node)
    if isinstance(node, list):
        return [_hidden(entry, hide) for entry in node]
    if isinstance(node, dict):
        return {hide(name): _hidden(entry, hide) for name, entry in node.items()}
    return node


def _words(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False)
    words = (
        f"{'.'.join(str(part)[:40] for part in problem['loc'])}: {problem['msg']}".lstrip(": ") for problem in problems
    )
    return "; ".join(words).replace("Value error, ", "")[:400]
