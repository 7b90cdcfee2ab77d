"""JSON Schemas of users' files, for completion and checks in editors."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from stressweb.core.field_docs import field_docs

type Json = dict[str, Any]
type Model = type[BaseModel]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PREFIX = "#/$defs/"


def definitions(models: Iterable[Model]) -> tuple[dict[Model, str], dict[str, Json]]:
    """Return the name of each model's definition, and the definitions with the docstring of each field."""
    known = [*dict.fromkeys(models)]
    refs, whole = models_json_schema([(model, "validation") for model in known])
    names = {model: str(refs[model, "validation"]["$ref"]).removeprefix(_PREFIX) for model in known}
    defs: dict[str, Json] = whole["$defs"]
    for model, name in names.items():
        described = field_docs(model)
        for field, info in model.model_fields.items():
            entry = defs[name]["properties"][info.alias or field]
            # The title repeats the name of the field.
            entry.pop("title", None)
            if described.get(field):
                entry["description"] = described[field]
    return names, defs


def ref(name: str) -> Json:
    """Return a reference to a definition."""
    return {"$ref": _PREFIX + name}


def any_of(*schemas: Json) -> Json:
    """Return a schema that accepts every value that one of these schemas accepts."""
    return {"anyOf": [*schemas]}


def exactly_one(names: Iterable[str]) -> Json:
    """Return a schema for objects that have exactly one of these names."""
    return {"oneOf": [{"required": [name]} for name in names]}


def whole(root: Json, defs: Mapping[str, Json]) -> Json:
    """Return a schema with the definitions that it needs."""
    needed: dict[str, Json] = {}
    pending = [root]
    while pending:
        for name in _refs(pending.pop()):
            if name not in needed:
                needed[name] = defs[name]
                pending.append(defs[name])
    return {"$schema": DIALECT, **root, "$defs": dict(sorted(needed.items()))}


def _refs(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [str(value["$ref"]).removeprefix(_PREFIX)] if isinstance(value.get("$ref"), str) else []
        return [*own, *(name for entry in value.values() for name in _refs(entry))]
    return [name for entry in value for name in _refs(entry)] if isinstance(value, list) else []
