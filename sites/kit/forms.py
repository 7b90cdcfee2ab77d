"""Forms: what a field asks, what it accepts, and what a refused one says."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from werkzeug.datastructures import MultiDict

from sites.kit import dates
from sites.kit.spec import FieldSpec
from sites.kit.tables import Tables
from stressweb.core.entity import Entity
from stressweb.core.templates import fill

type Sent = MultiDict[str, str]

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[a-z]{2,}", re.IGNORECASE)
_TEL = re.compile(r"[0-9+() /-]{6,}")
_FORMS: Mapping[str, Callable[[str], object]] = {
    "email": _EMAIL.fullmatch,
    "tel": _TEL.fullmatch,
    "date": dates.day,
    "time": dates.clock,
}
"""What holds for a text of a type that has a form."""

_AUTOCOMPLETE: Mapping[str, str] = {
    "name": "name", "recipient": "name", "street": "street-address", "city": "address-level2",
    "postcode": "postal-code", "phone": "tel", "email": "email", "tel": "tel", "password": "current-password",
}  # fmt: skip
"""What HTML calls that which a field of a name, or else of a type, asks for."""


class RefusedError(Exception):
    """An action that is not done: the label key that says why, and the field that it is about, if any."""

    def __init__(self, label: str, field: str = "") -> None:
        """Take the label key of the reason and the name of the field."""
        super().__init__(label)
        self.label, self.field = label, field


class MissingError(Exception):
    """A page that does not exist, as a function of the site's logic finds out."""


@dataclass(frozen=True)
class Field:
    """A field as a page shows it."""

    name: str
    spec: FieldSpec
    label: str
    value: Any
    """What stands in it: a text, or the keys of the rows that are ticked."""
    options: tuple[tuple[str, str], ...] = ()
    """Value and text of each option."""
    error: str = ""

    @property
    def autocomplete(self) -> str:
        """What a browser may fill in, as HTML names it."""
        return self.spec.autocomplete or _AUTOCOMPLETE.get(self.name) or _AUTOCOMPLETE.get(self.spec.type, "off")


def options(spec: FieldSpec, store: Tables, names: Mapping[str, Any]) -> dict[str, str]:
    """Return value and text of each option that a choice has for this visitor."""
    given = {value: names["label"][label] for value, label in spec.labels.items()}
    rows = store.rows(spec.choices, names) if spec.choices else ()
    return given | {row.id: fill(spec.says, {**names, "row": row}) for row in rows}


def accept(
    fields: Mapping[str, FieldSpec], sent: Sent, store: Tables, names: Mapping[str, Any], owner: str
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values of a form, rows in place of keys, and the label key of what is wrong, by field.

    A row of an entity with owners must be `owner`'s.
    """
    values: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name, spec in fields.items():
        if spec.type == "rows":
            values[name], problem = _rows(spec, sent.getlist(name), store, owner)
            if problem:
                wrong[name] = problem
            continue
        # One character more than is accepted: `_problem` still sees that the text is too long, and no check runs over a
        # megabyte.
        text = sent.get(name, "").strip()[: spec.length + 1]
        values[name] = text
        # A function and not the options themselves: they cost a query, and only a choice asks for them.
        if problem := _problem(spec, text, sent, partial(options, spec, store, names)):
            wrong[name] = problem
        elif spec.row is not None:
            # Looked up anew, although the page offered it: a form can send any key, and the row may be gone by now.
            values[name] = store.owned(spec.row, text, owner)
            if values[name] is None:
                wrong[name] = "error_choice"
        elif spec.type == "integer":
            values[name] = int(text) if text else None
        elif spec.type == "flag":
            values[name] = int(bool(text))
    return values, wrong


def _rows(spec: FieldSpec, keys: list[str], store: Tables, owner: str) -> tuple[list[Entity], str]:
    """Return the rows of the keys that were ticked, and the label key of what is wrong."""
    # A box that was sent twice counts once.
    found = [store.owned(spec.row or "", key, owner) for key in dict.fromkeys(keys)]
    rows = [row for row in found if row is not None]
    if len(rows) < len(found):
        return rows, "error_choice"
    return rows, "error_required" if spec.required and not rows else ""


def _problem(spec: FieldSpec, text: str, sent: Mapping[str, str], known: Callable[[], dict[str, str]]) -> str:
    """Return the label key of what is wrong with a field, or nothing."""
    if not text:
        return "error_required" if spec.required else ""
    if len(text) > spec.length:
        return "error_long"
    if spec.type in _FORMS and not _FORMS[spec.type](text):
        return f"error_{spec.type}"
    if spec.type == "integer" and not _within(spec, text):
        return "error_number"
    if spec.type == "choice" and text not in known():
        return "error_choice"
    if spec.pattern is not None and not re.fullmatch(spec.pattern, text):
        return "error_pattern"
    # Compared with what was sent, because the other field may itself be refused and have no value.
    return "error_same" if spec.same_as is not None and text != sent.get(spec.same_as, "").strip() else ""


def _within(spec: FieldSpec, text: str) -> bool:
    # Nine digits fit an integer of SQLite; a longer number would raise an OverflowError there.
    if not re.fullmatch(r"\d{1,9}", text):
        return False
    return (spec.low is None or int(text) >= spec.low) and (spec.high is None or int(text) <= spec.high)
