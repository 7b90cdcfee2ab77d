"""The JSON Schema of `site.yaml`: the models, with everything that a file may omit or abbreviate.

A file is one layer of a spec (see `assembly.py`). A mixin may define a part of each page, action and entity, so their
entries are not required, and null removes one. Only the loader checks the names of labels, columns and functions.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel

from stressweb.core.json_schema import Json, any_of, definitions, exactly_one, ref, whole
from stressweb.sites.kit.loading.assembly import mixins
from stressweb.sites.kit.loading.resources import ResourceSpec
from stressweb.sites.kit.spec.entities import Column, EntitySpec, Source
from stressweb.sites.kit.spec.fields import Field
from stressweb.sites.kit.spec.kinds import Drawn, Kinds
from stressweb.sites.kit.spec.site import ActionSpec, FeedSpec, Frame, Operation, PageSpec, People, SiteSpec
from stressweb.sites.kit.spec.stages import Stages
from stressweb.sites.kit.spec.widgets import Part

_LAYERED = (SiteSpec, EntitySpec, PageSpec, ActionSpec, FeedSpec, Frame, People, ResourceSpec)
"""Models whose entries may come from several layers."""
_NESTED = (*_LAYERED, Column, Operation, Source, Stages)
_NEEDED = ("since", "within")
"""Entries that no mixin provides."""
_SOURCES = ("text", "copy", "pick", "cycle", "between", "chance", "fake", "slug", "from", "days")
_GROUPS = (("widgets", "widget"), ("parts", "part"), ("fields", "type"))
_NULL: Json = {"type": "null"}
_TEXT: Json = {"type": "string"}
_CORPUS: Json = {"type": "string", "pattern": r"^corpus\.", "description": "Data from a file in `corpora`."}


def site_schema(sites: Iterable[Kinds]) -> Json:
    """Return the schema of a `site.yaml` that may use the kinds of any of these sites."""
    return _SchemaBuilder([*sites]).schema()


class _SchemaBuilder:
    def __init__(self, sites: Sequence[Kinds]) -> None:
        self.kinds = {group: dict(_by_name(sites, group)) for group, _ in _GROUPS}
        models = (model for group in self.kinds.values() for some in group.values() for model in some)
        self.names, self.defs = definitions(
            [*_NESTED, *_nested_models(_NESTED), *models, *_nested_models(models_of(self.kinds))]
        )

    def schema(self) -> Json:
        """Return the whole schema."""
        for group, key in _GROUPS:
            self._unite(group, key)
        named = {"type": "object", "required": ["use"], "properties": {"use": _TEXT}}
        named["description"] = "A part that the entity declares, with changes."
        self.defs["AnyWidget"] = ref("widgets")
        self.defs["AnyPart"] = any_of(_TEXT, named, ref("parts"))
        self.defs["PartOrName"] = ref("AnyPart")
        self.defs["AnyField"] = any_of(ref("fields"), _NULL)
        one_or_more = {"type": "object", "additionalProperties": ref("AnyField")}
        self.defs["Fields"] = any_of(one_or_more, {"type": "array", "items": any_of(_TEXT, one_or_more)})
        self._make_optional(ResourceSpec)
        self._site()
        self._entity()
        self._column()
        self._make_optional(ActionSpec)["about"] = {
            **_TEXT,
            "description": "Entity of the row that the action is about.",
        }
        for model in (PageSpec, FeedSpec, Frame, People):
            self._make_optional(model)
        self._schema_of(Operation).update(exactly_one(("insert", "update", "delete", "call")))
        return whole({"title": "site.yaml", **ref(self.names[SiteSpec])}, self.defs)

    def _schema_of(self, model: type[BaseModel]) -> Json:
        return self.defs[self.names[model]]

    def _make_optional(self, model: type[BaseModel]) -> Json:
        """Make every entry of a model optional and nullable; return the entries."""
        schema = self._schema_of(model)
        schema.pop("required", None)
        schema["properties"] = {name: _or_null(entry) for name, entry in schema["properties"].items()}
        entries: Json = schema["properties"]
        return entries

    def _site(self) -> None:
        entries = self._make_optional(SiteSpec)
        resources = {"type": "object", "additionalProperties": any_of(ref(self.names[ResourceSpec]), _NULL)}
        entries["resources"] = {**resources, "description": "How people see and change the rows of an entity."}
        entries["use"] = {**entries["use"], "items": {"enum": mixins()}, "type": "array"}
        entries["use"].pop("anyOf", None)
        self._schema_of(SiteSpec)["required"] = [*_NEEDED]

    def _entity(self) -> None:
        entries = {name: any_of(entry, _CORPUS) for name, entry in self._make_optional(EntitySpec).items()}
        column = any_of(ref(self.names[Column]), _NULL)
        as_list = {"type": "array", "items": any_of(_TEXT, {"type": "object", "additionalProperties": column})}
        columns = any_of(as_list, {"type": "object", "additionalProperties": column}, _CORPUS, _NULL)
        entries["columns"] = {
            **columns,
            "description": "Columns in order; a plain name is a column that `rows` or `call` provide.",
        }
        entries["type"] = {**_TEXT, "description": "The schema.org type of an item."}
        declared = any_of(
            {"enum": sorted(self.kinds["parts"])}, {"type": "array", "items": ref("AnyPart")}, ref("declared"), _NULL
        )
        parts = {"type": "object", "additionalProperties": declared}
        entries["parts"] = {**parts, "description": "Parts that show a row, by name; a list combines several parts."}
        self._schema_of(EntitySpec)["properties"] = entries

    def _column(self) -> None:
        schema = self._schema_of(Column)
        schema.update(exactly_one(_SOURCES))
        # A file can give a plain value instead of a mapping.
        bare = {"type": ["string", "number", "boolean"], "description": "A template or a constant."}
        self.defs["Column"] = any_of(bare, {**schema})

    def _unite(self, group: str, key: str) -> None:
        """Define the union of a group's kinds, discriminated by a key."""
        members = {name: [self._kind(model) for model in models] for name, models in self.kinds[group].items()}
        union = {"type": "object", "properties": {key: {"enum": sorted(members)}}}
        then = [
            {"if": {"properties": {key: {"const": name}}, "required": [key]}, "then": any_of(*map(ref, some))}
            for name, some in sorted(members.items())
        ]
        names = {
            name for some in members.values() for definition in some for name in self.defs[definition]["properties"]
        }
        # A mixin may define the kind of a field, and this layer its other entries.
        kind_missing = {"if": {"not": {"required": [key]}}, "then": {"propertyNames": {"enum": sorted(names)}}}
        self.defs[group] = (
            {**union, "allOf": [*then, kind_missing]} if key == "type" else {**union, "required": [key], "allOf": then}
        )
        if group == "parts":
            loose = {name: any_of(*map(self._declared, self.kinds[group][name])) for name in sorted(members)}
            cases = [{**case, "then": loose_case} for case, loose_case in zip(then, loose.values(), strict=True)]
            self.defs["declared"] = {**union, "allOf": [*cases, kind_missing]}

    def _kind(self, model: type[Drawn]) -> str:
        """Return the name of a kind's definition, in which entries that the loader fills in are optional."""
        schema = self._schema_of(model)
        # The loader fills in the schema.org type of an entity's rows. The `type` of a field is its kind.
        filled = set() if issubclass(model, Field) else {"type"}
        schema["required"] = [name for name in schema.get("required", ()) if name not in filled]
        if "_named" in model.__pydantic_decorators__.model_validators and "label" in schema["required"]:
            schema["required"] = [name for name in schema["required"] if name != "label"]
            schema.update(any_of({"required": ["label"]}, {"required": ["action"]}))
        return self.names[model]

    def _declared(self, model: type[Drawn]) -> Json:
        """Return the schema of a part as an entity declares it: entries that follow from its name are optional."""
        assert issubclass(model, Part)
        schema = self._schema_of(model)
        implied = {"part", *model.left_out("name", {})}
        return {**schema, "required": [name for name in schema["required"] if name not in implied]}


def models_of(kinds: Mapping[str, Mapping[str, Sequence[type[Drawn]]]]) -> list[type[Drawn]]:
    """Return the models of all kinds in all groups."""
    return [model for group in kinds.values() for some in group.values() for model in some]


def _by_name(sites: Sequence[Kinds], group: str) -> Iterator[tuple[str, list[type[Drawn]]]]:
    models_by_name: dict[str, list[type[Drawn]]] = defaultdict(list)
    for kinds in sites:
        for name, model in kinds.models[group].items():
            if model not in models_by_name[name]:
                models_by_name[name].append(model)
    yield from models_by_name.items()


def _nested_models(models: Iterable[type[BaseModel]]) -> list[type[BaseModel]]:
    """Return the models in the fields of these models, at any depth."""
    nested: list[type[BaseModel]] = []
    pending = [*models]
    while pending:
        for info in pending.pop().model_fields.values():
            new = [model for model in _types(info.annotation) if model not in nested]
            nested += new
            pending += new
    return nested


def _types(annotation: Any) -> list[type[BaseModel]]:
    """Return the models in an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _types(part)]


def _or_null(entry: Json) -> Json:
    """Return an entry that may be null; if it is a mapping, each of its values may be null, too."""
    entry = dict(entry)
    if isinstance(entry.get("additionalProperties"), dict):
        entry["additionalProperties"] = any_of(entry["additionalProperties"], _NULL)
    notes: Json = {key: entry.pop(key) for key in ("description", "default") if key in entry}
    return {**any_of(entry, _NULL), **notes}
