"""A model's answer: one JSON object that is an action, strictly, or taken out of what stands around it."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runner.agents.llm.keys import key_name, valid_keys
from runner.agents.llm.strict_json import NotJSONError, decoded
from runner.agents.llm.verdict_form import EXAMPLE, ending
from runner.agents.llm.wrapping import KINDS, Reply, SeveralError, after_thoughts, unwrapped
from stressweb.plugins.actions import Action

PARAMETERS = tuple(name for name in Action.model_fields if name not in ("kind", "reasoning"))
"""What may stand under `parameters`."""
_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(?P<inside>.*?)\r?\n?[ \t]*```", re.DOTALL)


class Unreadable(Exception):  # noqa: N818 - the model reads it, and it is no failure of ours
    """The answer is no action; the message says why, in words for the model."""


class Answer(BaseModel):
    """The object that a model answers with."""

    model_config = ConfigDict(extra="forbid")

    action_type: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    reasoning: str | None = None


class Decision(NamedTuple):
    """The action that an answer is."""

    action: Action
    ways: tuple[str, ...] = ()
    """What it had to be taken out of, in a few words each; empty if the answer was the object alone."""


def decision(reply: Reply, hide: Callable[[str], str] = str, *, strict: bool = False, judges: bool = False) -> Decision:
    """Return the action that an answer is; raises Unreadable.

    Unless it is `strict`, the last object in the answer that is an action counts, whatever stands around it, and keys
    may have other names than the browser's. If the model `judges` a test case, an answer that is a verdict alone, or
    that has the verdict as an object, ends it too.
    """
    try:
        return _decision(reply, hide, strict=strict, judges=judges)
    except Unreadable as error:
        if judges and '"verdict' in reply.text:
            raise Unreadable(f"{error}; a verdict is given like this: {EXAMPLE}") from None
        raise


def _decision(reply: Reply, hide: Callable[[str], str], *, strict: bool, judges: bool) -> Decision:
    try:
        found = Decision(read(reply.text, hide))
    except Unreadable as error:
        if reply.cut:
            # Its last whole object may be one that the model only considered.
            raise Unreadable("it was cut off at the largest length of an answer; answer in fewer words") from None
        if strict:
            raise
        found = (_verdict(reply, hide) if judges else None) or _taken_out(reply, hide, error)
    return found if strict else _with_keys(found)


def _verdict(reply: Reply, hide: Callable[[str], str]) -> Decision | None:
    """Return the end of a test case that an answer is without the form of an action; None for any other answer."""
    try:
        # Only an object that stands alone: in a sentence it may be a verdict that the model has not come to yet.
        end = ending(_object(after_thoughts(reply.text)))
    except Unreadable:
        return None
    return Decision(_action(end.value, hide), (end.way,)) if end else None


def _taken_out(reply: Reply, hide: Callable[[str], str], plain: Unreadable) -> Decision:
    try:
        taken = unwrapped(reply)
    except SeveralError:
        raise Unreadable("it is a list of several actions; answer with the next one alone") from None
    if taken is None:
        raise plain
    return Decision(_action(taken.value, hide), taken.ways or ("text around it",))


def _with_keys(found: Decision) -> Decision:
    """Return a decision with the browser's own names of keys; raises Unreadable for a key that it does not have."""
    action = found.action
    for name in ("key", "keys"):
        written = getattr(action, name)
        if written is None or action.kind not in ("PRESS", "HOTKEY"):
            continue
        known = key_name(written)
        if known is None:
            raise Unreadable(f"{name} is {written[:40]!r}, which is no key; there are {valid_keys()}")
        if known != written:
            # Copied and not built anew, so that what the model left out stays left out.
            action = action.model_copy(update={name: known})
    return Decision(action, found.ways)


def read(text: str, hide: Callable[[str], str] = str) -> Action:
    """Return the action that an answer is; a code fence around it is allowed, text beside it is not.

    Raises Unreadable. A parameter that is null counts as not given. `hide` takes a key out of a text: out of what JSON
    spells in another way (`\\u0073k-…`) only once it is decoded.
    """
    return _action(_object(text), hide)


def _action(value: dict[str, Any], hide: Callable[[str], str]) -> Action:
    try:
        answer = Answer.model_validate(_hidden(value, hide))
    except ValidationError as error:
        raise Unreadable(_words(error)) from None
    if answer.action_type not in KINDS:
        raise Unreadable(f"action_type is {answer.action_type[:40]!r}; there are {', '.join(KINDS)}")
    given = {name: entry for name, entry in answer.parameters.items() if entry is not None}
    # Cut, since what is refused goes back into the prompt, and a model may write a name of any length.
    unknown = [name[:40] for name in given if name not in PARAMETERS]
    if unknown:
        raise Unreadable(f"unknown parameter {', '.join(unknown)}; there are {', '.join(PARAMETERS)}")
    reasoning = {} if answer.reasoning is None else {"reasoning": answer.reasoning}
    try:
        return Action.model_validate({"kind": answer.action_type, **given, **reasoning})
    except ValidationError as error:
        raise Unreadable(_words(error)) from None


def _object(text: str) -> dict[str, Any]:
    fenced = _FENCE.fullmatch(text.strip())
    inside = (fenced["inside"] if fenced else text).strip()
    if not inside:
        raise Unreadable("the answer is empty")
    try:
        # What is written to the recording must be text: half of a surrogate pair is none.
        inside.encode()
        # `loads` would report any text after the object as bad JSON. The model gets a message that says what is wrong.
        value, end = decoded(inside)
    except UnicodeEncodeError:
        raise Unreadable("it holds half of a surrogate pair") from None
    except NotJSONError as error:
        raise Unreadable(str(error)) from None
    if inside[end:].strip():
        raise Unreadable("there is text after the JSON object")
    if not isinstance(value, dict):
        raise Unreadable("it is not a JSON object")
    return value


def _hidden(value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, list):
        return [_hidden(entry, hide) for entry in value]
    if isinstance(value, dict):
        return {hide(name): _hidden(entry, hide) for name, entry in value.items()}
    return value


def _words(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False)
    words = (f"{'.'.join(str(part)[:40] for part in one['loc'])}: {one['msg']}".lstrip(": ") for one in problems)
    return "; ".join(words).replace("Value error, ", "")[:400]
