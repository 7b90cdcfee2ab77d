"""A model's answer, read strictly: one JSON object that is an action, and nothing beside it."""

import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from stressweb.plugins.actions import Action, Kind

PARAMETERS = tuple(name for name in Action.model_fields if name not in ("kind", "reasoning"))
"""What may stand under `parameters`."""
_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(?P<inside>.*?)\r?\n?[ \t]*```", re.DOTALL)


class Unreadable(Exception):  # noqa: N818 - told to the model, no failure of ours
    """The answer is no action; the message says why, in words for the model."""


class Answer(BaseModel):
    """The object that a model answers with."""

    model_config = ConfigDict(extra="forbid")

    action_type: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    reasoning: str | None = None


def read(text: str, hide: Callable[[str], str] = str) -> Action:
    """Return the action that an answer is; a code fence around it is allowed, text beside it is not.

    Raises Unreadable. A parameter that is null counts as not given. `hide` takes a key out of a text: out of what JSON
    spells in another way (`\\u0073k-…`) only once it is decoded.
    """
    try:
        answer = Answer.model_validate(_hidden(_object(text), hide))
    except ValidationError as error:
        raise Unreadable(_said(error)) from None
    if answer.action_type not in get_args(Kind):
        raise Unreadable(f"action_type is {answer.action_type[:40]!r}; there are {', '.join(get_args(Kind))}")
    given = {name: value for name, value in answer.parameters.items() if value is not None}
    # Cut, since what is refused goes back into the prompt, and a model may write a name of any length.
    unknown = [name[:40] for name in given if name not in PARAMETERS]
    if unknown:
        raise Unreadable(f"unknown parameter {', '.join(unknown)}; there are {', '.join(PARAMETERS)}")
    reasoning = {} if answer.reasoning is None else {"reasoning": answer.reasoning}
    try:
        return Action.model_validate({"kind": answer.action_type, **given, **reasoning})
    except ValidationError as error:
        raise Unreadable(_said(error)) from None


def _object(text: str) -> dict[str, Any]:
    fenced = _FENCE.fullmatch(text.strip())
    inside = (fenced["inside"] if fenced else text).strip()
    if not inside:
        raise Unreadable("the answer is empty")
    try:
        # What is written to the recording must be text: half of a surrogate pair is none.
        inside.encode()
        # `loads` would report any text after the object as bad JSON. The model gets a message that says what is wrong.
        found, end = _DECODER.raw_decode(inside)
        # An escape such as `\ud800` is half of a pair only once it is decoded.
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Unreadable("it holds half of a surrogate pair") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is not JSON: {str(error)[:120]}") from None
    if inside[end:].strip():
        raise Unreadable("there is text after the JSON object")
    if not isinstance(found, dict):
        raise Unreadable("it is not a JSON object")
    return found


def _hidden(value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, list):
        return [_hidden(one, hide) for one in value]
    if isinstance(value, dict):
        return {hide(name): _hidden(one, hide) for name, one in value.items()}
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    # Readers of JSON do not agree on which of the two counts.
    if len(found) < len(pairs):
        raise ValueError("a name is given twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _float(digits: str) -> float:
    number = float(digits)
    # Python reads 1e999 as infinity, which JSON cannot write into the recording.
    if not math.isfinite(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


def _said(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False)
    said = (f"{'.'.join(str(part)[:40] for part in one['loc'])}: {one['msg']}".lstrip(": ") for one in found)
    return "; ".join(said).replace("Value error, ", "")[:400]
