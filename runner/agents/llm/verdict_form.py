"""Verdicts that a model gives in another form than the message of DONE."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from stressweb.core.verdict import Verdict

EXAMPLE = json.dumps(
    {"action_type": "DONE", "parameters": {"message": '{"verdict": "fail", "step": 3, "cause": "assertion"}'}}
)
"""An answer with a verdict. A model sees it after an answer whose verdict cannot be read."""
_ENDS = ("DONE", "FAIL")


class Ending(NamedTuple):
    """The action that ends a test case with a verdict, as an object, and how the model had written the verdict."""

    value: dict[str, Any]
    way: str


def ending(value: Mapping[str, Any]) -> Ending | None:
    """Return the action that ends a test case, for an object with a verdict; None for any other object.

    The object is a verdict alone, or DONE or FAIL with the verdict as an object instead of a text.
    """
    if "action_type" not in value:
        return _ended("DONE", value, {name: part for name, part in value.items() if name != "reasoning"}, "alone")
    kind, parameters = value["action_type"], value.get("parameters")
    if kind not in _ENDS:
        return None
    inside = parameters if isinstance(parameters, Mapping) else {}
    for place in (inside.get("message"), value.get("message"), inside, value):
        if not isinstance(place, Mapping):
            continue
        # Beside a verdict there may stand what the model thinks of it.
        written = {name: part for name, part in place.items() if name in Verdict.model_fields}
        if end := _ended(kind, value, written, "as an object"):
            return end
    return None


def _ended(kind: str, value: Mapping[str, Any], written: Mapping[str, Any], way: str) -> Ending | None:
    try:
        verdict = Verdict.model_validate({name: part for name, part in written.items() if part is not None})
    except ValidationError:
        return None
    reasoning = {"reasoning": value["reasoning"]} if value.get("reasoning") is not None else {}
    message = verdict.model_dump_json(exclude_defaults=True)
    return Ending({"action_type": kind, "parameters": {"message": message}, **reasoning}, f"verdict {way}")
