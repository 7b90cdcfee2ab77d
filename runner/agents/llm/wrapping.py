"""The object that a model answers with, taken out of what stands around it: thoughts, fences, sentences, tool calls."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

from runner.agents.llm.strict_json import NotJSONError, decoded
from stressweb.plugins.actions import Action, Kind

KINDS = get_args(Kind)
_KNOWN = ("action_type", "parameters", "reasoning")
_MOST = 500
"""Beginnings of an object that are tried in one answer, the last ones."""
_DEEPEST = 4
_THOUGHT_ENDS = re.compile(
    r"</\s*(?:seed:)?(?:think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)\s*>|\[/THINK\]|"
    r"◁/think▷|<\|end_of_thought\|>|<\|channel\|>\s*final\s*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>",
    re.IGNORECASE,
)
_THOUGHT_BEGINS = re.compile(r"<\s*(?:seed:)?(?:think|thinking|thought|reasoning)\s*>|\[THINK\]|◁think▷", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*|~~~[\w-]*")
_CALL = re.compile(r"</?tool_call>|</?function_calls?>|<\|?(?:python_tag|tool_call)\|?>", re.IGNORECASE)
_OBJECT = re.compile(r'\{\s*"')
_MARKS = "\ufeff\u200b\u2060"
"""Signs without width that stand before an answer: a byte order mark, a zero-width space."""


class Reply(NamedTuple):
    """What a model answered, as its server passes it on."""

    text: str = ""
    calls: tuple[str, ...] = ()
    """Calls of tools, as JSON objects of `name` and `arguments`."""
    thoughts: str = ""
    """What the server sends beside the text as the model's thoughts."""
    cut: bool = False
    """Whether the server ended the answer because it was too long."""


class Unwrapped(NamedTuple):
    """An object that looks like an action, and what it was taken out of."""

    value: dict[str, Any]
    ways: tuple[str, ...]


class SeveralError(Exception):
    """An answer is a list of several actions."""


def unwrapped(reply: Reply) -> Unwrapped | None:
    """Return the last object that looks like an action; None if there is none. Raises SeveralError.

    A call of a tool counts only where the text holds no action, and thoughts only where there is nothing else.
    """
    if found := _in_text(reply.text):
        return found
    for call in reply.calls:
        for value in _actions(_value(call), _DEEPEST):
            return _plain(value, ("tool call",))
    if not reply.text.strip() and not reply.calls and isinstance(value := _value(reply.thoughts.strip()), dict):
        for action in _actions(value, 1):
            return _plain(action, ("thoughts",))
    return None


def after_thoughts(text: str) -> str:
    """Return what a text says after the model's thoughts; all of it without any."""
    thoughts = list(_THOUGHT_ENDS.finditer(text))
    return text[thoughts[-1].end() :].strip() if thoughts else text


def _value(text: str) -> Any:
    """Return the JSON value that a text is, and None for any other text."""
    try:
        value, end = decoded(text)
    except NotJSONError:
        return None
    return None if text[end:].strip() else value


def _in_text(text: str) -> Unwrapped | None:
    bare = text.strip().lstrip(_MARKS)
    ways = ["byte order mark"] if bare != text.strip() else []
    rest = after_thoughts(bare)
    if rest != bare or _THOUGHT_BEGINS.match(bare):
        ways.append("thoughts")
    _refuse_several(rest)
    found = None
    for start, end, value in _objects(rest):
        for action in _actions(value, _DEEPEST):
            found = start, end, action
    if found is None:
        return None
    start, end, action = found
    around = rest[:start] + rest[end:]
    if _FENCE.search(around):
        ways.append("code fence")
    if _CALL.sub("", _FENCE.sub("", around)).strip():
        ways.append("text around it")
    return _plain(action, tuple(ways))


def _refuse_several(text: str) -> None:
    """Raise SeveralError for a list of actions: which of them is the next is not for us to choose."""
    bare = _FENCE.sub("", text).strip()
    value = _value(bare) if bare.startswith("[") else None
    if isinstance(value, list) and sum(any(True for _ in _actions(entry, _DEEPEST)) for entry in value) > 1:
        raise SeveralError


def _objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield every outermost JSON object in a text, with where it begins and ends."""
    after = 0
    for match in list(_OBJECT.finditer(text))[-_MOST:]:
        if match.start() < after:
            continue
        try:
            value, after = decoded(text, match.start())
        except NotJSONError:
            continue
        yield match.start(), after, value


def _actions(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the objects in a value that look like an action, in order."""
    if depth == 0:
        return
    if isinstance(value, list):
        for entry in value:
            yield from _actions(entry, depth - 1)
    elif isinstance(value, dict):
        if _kind(value.get("action_type")):
            yield value
        elif (call := _called(value)) is not None:
            yield from _actions(call, depth - 1)
        else:
            for entry in value.values():
                yield from _actions(entry, depth - 1)


def _called(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the action that the call of a tool is: its arguments, or its name with them as parameters."""
    given = next((value[name] for name in ("arguments", "parameters", "input") if name in value), None)
    given = _value(given) if isinstance(given, str) else given
    if "name" not in value or not isinstance(given, dict):
        return None
    if "action_type" in given or not _kind(value["name"]):
        return given
    reasoning = {"reasoning": given["reasoning"]} if "reasoning" in given else {}
    parameters = given["parameters"] if isinstance(given.get("parameters"), dict) else given
    parameters = {name: entry for name, entry in parameters.items() if name != "reasoning"}
    return {"action_type": value["name"], "parameters": parameters, **reasoning}


def _kind(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    kind = re.sub(r"[\s-]+", "_", value.strip()).upper()
    return kind if kind in KINDS else None


def _plain(action: Mapping[str, Any], ways: tuple[str, ...]) -> Unwrapped:
    """Return an action with nothing but its own entries, and its kind in capitals."""
    kind = _kind(action["action_type"])
    if kind != action["action_type"]:
        ways = (*ways, "small letters")
    extra = [name for name in action if name not in _KNOWN]
    if extra:
        ways = (*ways, "extra keys")
    value = {name: action[name] for name in _KNOWN if name in action and action[name] is not None}
    # Parameters may stand beside the kind instead of in an object of their own.
    value.setdefault("parameters", {name: action[name] for name in extra if name in Action.model_fields})
    if isinstance(value.get("parameters"), str) and isinstance(inner := _value(value["parameters"]), dict):
        value["parameters"] = inner
    if isinstance(value.get("parameters"), dict) and value["parameters"].get("reasoning") is not None:
        value = {"reasoning": value["parameters"]["reasoning"], **value}
        value["parameters"] = {name: one for name, one in value["parameters"].items() if name != "reasoning"}
    return Unwrapped(value | {"action_type": kind}, ways)
