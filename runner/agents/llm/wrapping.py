"""Extracts the action object from a model's answer: from thoughts, code fences, sentences and tool calls."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

from stressweb.plugins.actions import Action, Kind
from stressweb.runner.agents.llm.strict_json import NotJSONError, decoded

KINDS = get_args(Kind)
_KNOWN = ("action_type", "parameters", "reasoning")
_MOST = 500
"""Maximum number of possible object starts to try in an answer, counted from its end."""
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
"""Invisible characters before an answer: a byte order mark, a zero-width space, a word joiner."""


class Reply(NamedTuple):
    """A model's answer as the server sent it."""

    text: str = ""
    calls: tuple[str, ...] = ()
    """Tool calls, as JSON objects of `name` and `arguments`."""
    thoughts: str = ""
    """The model's thoughts, if the server sends them separately."""
    cut: bool = False
    """Whether the server truncated the answer because it was too long."""


class Unwrapped(NamedTuple):
    """An object that looks like an action, and what surrounded it."""

    value: dict[str, Any]
    ways: tuple[str, ...]


class SeveralError(Exception):
    """An answer is a list of several actions."""


def unwrapped(reply: Reply) -> Unwrapped | None:
    """Return the last object that looks like an action, or None; raises SeveralError for a list of actions.

    Tool calls count only if the text contains no action, and thoughts only if the answer is otherwise empty.
    """
    if from_text := _in_text(reply.text):
        return from_text
    for call in reply.calls:
        for thought_object in _actions(_value(call), _DEEPEST):
            return _unwrapped_action(thought_object, ("tool call",))
    if (
        not reply.text.strip()
        and not reply.calls
        and isinstance(thought_object := _value(reply.thoughts.strip()), dict)
    ):
        for action in _actions(thought_object, 1):
            return _unwrapped_action(action, ("thoughts",))
    return None


def after_thoughts(text: str) -> str:
    """Return the text after the model's thoughts; the whole text if there are none."""
    thoughts = list(_THOUGHT_ENDS.finditer(text))
    return text[thoughts[-1].end() :].strip() if thoughts else text


def _value(text: str) -> Any:
    """Return the JSON value of a text; None if it is not JSON."""
    try:
        parsed, end = decoded(text)
    except NotJSONError:
        return None
    return None if text[end:].strip() else parsed


def _in_text(text: str) -> Unwrapped | None:
    bare = text.strip().lstrip(_MARKS)
    ways = ["byte order mark"] if bare != text.strip() else []
    rest = after_thoughts(bare)
    if rest != bare or _THOUGHT_BEGINS.match(bare):
        ways.append("thoughts")
    _refuse_several(rest)
    last = None
    for start, end, parsed in _objects(rest):
        for action in _actions(parsed, _DEEPEST):
            last = start, end, action
    if last is None:
        return None
    start, end, action = last
    surroundings = rest[:start] + rest[end:]
    if _FENCE.search(surroundings):
        ways.append("code fence")
    if _CALL.sub("", _FENCE.sub("", surroundings)).strip():
        ways.append("text around it")
    return _unwrapped_action(action, tuple(ways))


def _refuse_several(text: str) -> None:
    """Raise SeveralError for a list of actions, since only the model may choose among them."""
    bare = _FENCE.sub("", text).strip()
    parsed = _value(bare) if bare.startswith("[") else None
    if isinstance(parsed, list) and sum(any(True for _ in _actions(entry, _DEEPEST)) for entry in parsed) > 1:
        raise SeveralError


def _objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield every outermost JSON object in a text, with its start and end."""
    after = 0
    for match in list(_OBJECT.finditer(text))[-_MOST:]:
        if match.start() < after:
            continue
        try:
            parsed, after = decoded(text, match.start())
        except NotJSONError:
            continue
        yield match.start(), after, parsed


def _actions(node: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the objects in a JSON value that look like an action, in order."""
    if depth == 0:
        return
    if isinstance(node, list):
        for entry in node:
            yield from _actions(entry, depth - 1)
    elif isinstance(node, dict):
        if _kind(node.get("action_type")):
            yield node
        elif (call := _action_in_call(node)) is not None:
            yield from _actions(call, depth - 1)
        else:
            for entry in node.values():
                yield from _actions(entry, depth - 1)


def _action_in_call(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the action in a tool call: its arguments, or its name with the arguments as parameters."""
    arguments = next((value[name] for name in ("arguments", "parameters", "input") if name in value), None)
    arguments = _value(arguments) if isinstance(arguments, str) else arguments
    if "name" not in value or not isinstance(arguments, dict):
        return None
    if "action_type" in arguments or not _kind(value["name"]):
        return arguments
    reasoning = {"reasoning": arguments["reasoning"]} if "reasoning" in arguments else {}
    parameters = arguments["parameters"] if isinstance(arguments.get("parameters"), dict) else arguments
    parameters = {name: entry for name, entry in parameters.items() if name != "reasoning"}
    return {"action_type": value["name"], "parameters": parameters, **reasoning}


def _kind(name: Any) -> str | None:
    if not isinstance(name, str):
        return None
    kind = re.sub(r"[\s-]+", "_", name.strip()).upper()
    return kind if kind in KINDS else None


def _unwrapped_action(action: Mapping[str, Any], ways: tuple[str, ...]) -> Unwrapped:
    """Return an action without extra keys, with its kind in capitals."""
    kind = _kind(action["action_type"])
    if kind != action["action_type"]:
        ways = (*ways, "small letters")
    extra = [name for name in action if name not in _KNOWN]
    if extra:
        ways = (*ways, "extra keys")
    action_object = {name: action[name] for name in _KNOWN if name in action and action[name] is not None}
    # Parameters may be next to the kind instead of in their own object.
    action_object.setdefault("parameters", {name: action[name] for name in extra if name in Action.model_fields})
    if isinstance(action_object.get("parameters"), str) and isinstance(
        parsed := _value(action_object["parameters"]), dict
    ):
        action_object["parameters"] = parsed
    if isinstance(action_object.get("parameters"), dict) and action_object["parameters"].get("reasoning") is not None:
        action_object = {"reasoning": action_object["parameters"]["reasoning"], **action_object}
        action_object["parameters"] = {
            name: parameter for name, parameter in action_object["parameters"].items() if name != "reasoning"
        }
    return Unwrapped(action_object | {"action_type": kind}, ways)
