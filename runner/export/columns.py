"""Columns of exported tables: names, types, units and meanings, from the models of episodes and results."""

import json
import types
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAliasType, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from stressweb.analysis.statistics import Interval

type Scalar = str | int | float | bool | None
type Row = dict[str, Scalar]
type Kind = Literal["text", "integer", "number", "boolean"]

_KINDS: Mapping[type, Kind] = {bool: "boolean", int: "integer", float: "number", str: "text"}
_RATE, _CHANGE = "0 to 1", "-1 to 1"
_UNITS: Mapping[str, str] = {
    "seconds": "s",
    "decision_seconds": "s",
    "tokens_in": "tokens",
    "tokens_out": "tokens",
    "steps": "actions",
    "extra_steps": "actions",
    "difference": _CHANGE,
    "difference_interval": _CHANGE,
    "difference_bounds": _CHANGE,
    "testing_false_alarm_difference": _CHANGE,
    "testing_false_alarm_difference_interval": _CHANGE,
    "testing_true_sensitivity_difference": _CHANGE,
    "testing_true_sensitivity_difference_interval": _CHANGE,
    "retention_bounds": "ratio",
    "checkpoints_difference": _CHANGE,
    "checkpoints_difference_interval": _CHANGE,
    "claim_ratio": "ratio",
    "retention": "ratio",
    "retention_interval": "ratio",
}
"""Units of columns; any other float is a share, any other integer a count."""


class Column(NamedTuple):
    """A column of a table."""

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    """Unit of a number; empty for texts, booleans and counts."""


def columns_of(model: type[BaseModel]) -> tuple[Column, ...]:
    """Return the columns of a row that `flat` returns for this model, in order."""
    return tuple(column for name, field in model.model_fields.items() for column in _columns(name, field))


def flat(row: BaseModel) -> Row:
    """Return an object as a row.

    An interval becomes two columns, any other object a column for each of its fields, a collection JSON text.
    """
    return _flat(type(row), row, "")


def _flat(model: type[BaseModel], row: BaseModel | None, prefix: str) -> Row:
    """Return the columns of an object, or of None; `prefix` begins their names."""
    row_so_far: Row = {}
    for field_name, field in model.model_fields.items():
        name, field_value = f"{prefix}{field_name}", None if row is None else getattr(row, field_name)
        kind = _type_of(field)
        if kind is Interval:
            row_so_far |= {
                f"{name}_low": field_value and field_value.low,
                f"{name}_high": field_value and field_value.high,
            }
        elif issubclass(kind, BaseModel):
            row_so_far |= _flat(kind, field_value, f"{name}_")
        elif kind in _KINDS:
            row_so_far[name] = field_value
        else:
            row_so_far[name] = in_json(field_value)
    return row_so_far


def in_json(content: object) -> str | None:
    """Return a collection as JSON text; None stays None."""
    return None if content is None else json.dumps(to_jsonable_python(content), ensure_ascii=False)


def column(name: str, kind: Kind, meaning: str) -> Column:
    """Return a column with the unit for its name."""
    return Column(name, kind, meaning, _UNITS.get(name, _RATE) if kind == "number" else _UNITS.get(name, ""))


def _columns(name: str, field: FieldInfo) -> Iterator[Column]:
    kind, meaning = _type_of(field), " ".join((field.description or "").split())
    if kind is Interval:
        unit = _UNITS.get(name, _RATE)
        yield Column(f"{name}_low", "number", f"Lower end. {meaning}", unit)
        yield Column(f"{name}_high", "number", f"Upper end. {meaning}", unit)
    elif issubclass(kind, BaseModel):
        for inner_name, inner_field in kind.model_fields.items():
            yield from _columns(f"{name}_{inner_name}", inner_field)
    elif kind in _KINDS:
        yield column(name, _KINDS[kind], meaning)
    else:
        yield Column(name, "text", f"{meaning} Written as JSON.")


def _type_of(field: FieldInfo) -> type:
    """Return the type of a field without None and aliases; `str` for a literal."""
    kind: Any = field.annotation
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(member for member in get_args(kind) if member is not type(None))
    # An alias of the `type` statement is an object, and may refer to another alias.
    while isinstance(kind, TypeAliasType):
        kind = kind.__value__
    if get_origin(kind) is Literal:
        return str
    # A type with arguments, such as `dict[str, bool]`, is not a class; its values are written as JSON.
    return kind if isinstance(kind, type) else object
