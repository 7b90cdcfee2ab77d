"""Forms: what a field asks, what it accepts, and what a refused one says."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sites.kit.spec import FieldSpec
from sites.kit.store import Store
from stressweb.tasks import fill

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[a-z]{2,}", re.IGNORECASE)


class RefusedError(Exception):
    """An action that is not done: the label key that says why, and the field that it is about, if any."""

    def __init__(self, label: str, field: str = "") -> None:
        """Take the label key of the reason and the name of the field."""
        super().__init__(label)
        self.label, self.field = label, field


@dataclass(frozen=True)
class Field:
    """A field as a page shows it."""

    name: str
    spec: FieldSpec
    label: str
    value: str
    options: tuple[tuple[str, str], ...] = ()
    """Value and text of each option."""
    error: str = ""


def options(spec: FieldSpec, store: Store, names: Mapping[str, Any]) -> dict[str, str]:
    """Return value and text of each option that a choice has for this visitor."""
    given = {value: names["label"][label] for value, label in spec.options.items()}
    rows = store.rows(spec.choices, names) if spec.choices else ()
    return given | {row.id: fill(spec.says, {**names, "row": row}) for row in rows}


def accept(
    fields: Mapping[str, FieldSpec], sent: Mapping[str, str], store: Store, names: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values of a form, rows in place of keys, and the label key of what is wrong, by field."""
    values: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name, spec in fields.items():
        text = sent.get(name, "").strip()[: spec.length + 1]
        values[name] = text
        if problem := _problem(spec, text, sent, partial(options, spec, store, names)):
            wrong[name] = problem
        elif spec.row is not None:
            values[name] = store.one(spec.row, text)
            if values[name] is None:
                wrong[name] = "error_choice"
        elif spec.type == "integer":
            values[name] = int(text) if text else None
        elif spec.type == "flag":
            values[name] = int(bool(text))
    return values, wrong


def _problem(spec: FieldSpec, text: str, sent: Mapping[str, str], known: Callable[[], dict[str, str]]) -> str:
    """Return the label key of what is wrong with a field, or nothing."""
    if not text:
        return "error_required" if spec.required else ""
    if len(text) > spec.length:
        return "error_long"
    if spec.type == "email" and not _EMAIL.fullmatch(text):
        return "error_email"
    if spec.type == "integer" and not _within(spec, text):
        return "error_number"
    if spec.type == "choice" and text not in known():
        return "error_choice"
    if spec.pattern is not None and not re.fullmatch(spec.pattern, text):
        return "error_pattern"
    return "error_same" if spec.same_as is not None and text != sent.get(spec.same_as, "").strip() else ""


def _within(spec: FieldSpec, text: str) -> bool:
    if not re.fullmatch(r"\d{1,9}", text):
        return False
    return (spec.low is None or int(text) >= spec.low) and (spec.high is None or int(text) <= spec.high)
