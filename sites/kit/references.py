"""Whether a spec names only what it has: entities, actions and labels."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from sites.kit.entities import Column, EntitySpec, Source
from sites.kit.spec import ActionSpec, FieldSpec, Filter, Operation, Option, PageSpec, Part, SiteSpec, Widget
from stressweb.core.errors import UserError
from stressweb.core.yaml_models import place, read

type SpecPath = tuple[str | int, ...]

_NAMES: Mapping[type[BaseModel], Mapping[str, str]] = {
    ActionSpec: {"flash": "label"},
    Column: {"one_of": "entity"},
    EntitySpec: {"per": "entity"},
    FieldSpec: {"label": "label", "row": "entity"},
    Filter: {"label": "label"},
    Operation: {"insert": "entity", "update": "entity", "delete": "entity"},
    Option: {"label": "label"},
    PageSpec: {"title": "label"},
    Part: {"label": "label", "action": "action"},
    Source: {"of": "entity"},
    Widget: {
        "title": "label",
        "text": "label",
        "label": "label",
        "empty": "label",
        "action": "action",
        "actions": "action",
    },
}


def load_spec(path: Path) -> SiteSpec:
    """Return the spec at `path`; raise UserError with file and line for a malformed one."""
    spec = read(path, SiteSpec)
    # Checked when the spec is loaded: a wrong name would otherwise come up when an agent opens that page.
    known: Mapping[str, Mapping[str, object]] = {"entity": spec.entities, "action": spec.actions, "label": spec.labels}
    for where, kind, name in _named(spec, ()):
        if name not in known[kind]:
            choices = f"; there are {', '.join(known[kind])}" if kind != "label" else ""
            raise UserError(f"{place(path, where)}: {name!r} is no {kind}{choices}")
    return spec


def _named(value: Any, where: SpecPath) -> Iterator[tuple[SpecPath, str, str]]:
    """Yield place, kind and name of everything that a part of the spec refers to."""
    if isinstance(value, BaseModel):
        for field, kind in _NAMES.get(type(value), {}).items():
            said = getattr(value, field)
            # An empty name refers to nothing; it is how a spec leaves a field out.
            for name in said if isinstance(said, tuple) else (said,) if said else ():
                yield (*where, field), kind, name
        for field in type(value).model_fields:
            yield from _named(getattr(value, field), (*where, field))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _named(inner, (*where, key))
    elif isinstance(value, tuple):
        for at, inner in enumerate(value):
            yield from _named(inner, (*where, at))
