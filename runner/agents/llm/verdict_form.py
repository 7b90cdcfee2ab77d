"""Reads verdicts that a model writes in another form than the message of DONE."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from stressweb.core.verdict import Verdict

EXAMPLE = json.dumps(
    {"action_type": "DONE", "parameters": {"message": '{"verdict": "fail", "step": 3, "cause": "assertion"}'}}
)
"""Example of an answer with a verdict, sent to a model whose verdict was invalid."""
_ENDS = ("DONE", "FAIL")


class Ending(NamedTuple):
    """The JSON object of the action that ends a test case, and the form of the model's verdict."""

    value: dict[str, Any]
    way: str


def ending(answer_object: Mapping[str, Any]) -> Ending | None:
    """Return the action that ends a test case for an object with a verdict; None for any other object.

    The object is a verdict alone, or DONE or FAIL with the verdict as an object instead of a string.
    """
    if "action_type" not in answer_object:
        return _ending(
            "DONE", answer_object, {name: part for name, part in answer_object.items() if name != "reasoning"}, "alone"
        )
    kind, parameters = answer_object["action_type"], answer_object.get("parameters")
    if kind not in _ENDS:
        return None
    fields = parameters if isinstance(parameters, Mapping) else {}
    for candidate in (fields.get("message"), answer_object.get("message"), fields, answer_object):
        if not isinstance(candidate, Mapping):
            continue
        # Ignores further fields beside the verdict.
        written = {name: part for name, part in candidate.items() if name in Verdict.model_fields}
        if end := _ending(kind, answer_object, written, "as an object"):
            return end
    return None


def _ending(kind: str, answer_object: Mapping[str, Any], written: Mapping[str, Any], way: str) -> Ending | None:
    try:
        verdict = Verdict.model_validate({name: part for name, part in written.items() if part is not None})
    except ValidationError:
        return None
    reasoning = {"reasoning": answer_object["reasoning"]} if answer_object.get("reasoning") is not None else {}
    message = verdict.model_dump_json(exclude_defaults=True)
    return Ending({"action_type": kind, "parameters": {"message": message}, **reasoning}, f"verdict {way}")
