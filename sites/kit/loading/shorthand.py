"""Fills in what a spec may omit: paths and titles of pages, fields that a form sends, and parts that entities declare.

This happens before validation, so that pages and actions always have the same form.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.core.yaml_models import validated
from stressweb.sites.kit.loading.resources import snake
from stressweb.sites.kit.spec.kinds import Kinds
from stressweb.sites.kit.spec.widgets import AnyPart, Part

type Place = tuple[str | int, ...]
type Locate = Callable[[Place], str]
"""Returns file, line and keys of a place in the spec, for the beginning of a message."""


@dataclass(frozen=True)
class _Row:
    """The row that a name refers to."""

    entity: str
    join: Mapping[str, str] = field(default_factory=dict)
    """Columns with joined rows, each with its entity."""

    @classmethod
    def of(cls, source: Any) -> "_Row | None":
        return cls(str(source["of"]), source.get("join") or {}) if isinstance(source, dict) and "of" in source else None


def expanded(data: Mapping[str, Any], kinds: Kinds, locate: Locate) -> tuple[dict[str, Any], Mapping[Place, Place]]:
    """Return the complete spec, and where the parts of its pages are declared, by place.

    Raises UserError for a part that no entity declares, and for a malformed part.
    """
    shorthand = _Shorthand(data, kinds, locate)
    full = {**data, "entities": shorthand.entities, "actions": shorthand.actions, "pages": dict(shorthand.pages())}
    return full, shorthand.declared


def as_mapping(value: Any) -> Any:
    """Return a list of names and mappings as one mapping; anything else unchanged."""
    if not isinstance(value, list):
        return value
    return {
        name: what for entry in value for name, what in (entry if isinstance(entry, dict) else {str(entry): {}}).items()
    }


class _Shorthand:
    def __init__(self, data: Mapping[str, Any], kinds: Kinds, locate: Locate) -> None:
        self.data, self.kinds, self.locate = data, kinds, locate
        self.declared: dict[Place, Place] = {}
        entities = _mapping(data, "entities")
        self.types = {name: entity.get("type", "") for name, entity in entities.items() if isinstance(entity, dict)}
        self.actions = {name: self._action(name, action) for name, action in _mapping(data, "actions").items()}
        self.parts = {
            name: dict(self._declared(name, entity)) for name, entity in entities.items() if isinstance(entity, dict)
        }
        own = ("type", "parts")
        self.entities = {
            name: {key: what for key, what in entity.items() if key not in own} if isinstance(entity, dict) else entity
            for name, entity in entities.items()
        }
        self._check()

    def _action(self, name: str, action: Any) -> Any:
        if not isinstance(action, dict):
            return action
        about = action.get("about")
        fields = as_mapping(action.get("fields") or {})
        if about and isinstance(fields, dict):
            fields = {snake(str(about)): {"type": "hidden", "row": about}, **fields}
        own = {key: what for key, what in action.items() if key != "about"}
        flash = {"flash": f"did_{name}"} if f"did_{name}" in _mapping(self.data, "labels") else {}
        return {"path": f"/{_hyphened(name)}", "do": [{"call": name}], **flash, **own, "fields": fields}

    def _declared(self, entity: str, entity_data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield the parts that an entity declares, each as on a page; lists of parts are unchanged."""
        for key, part in _mapping(entity_data, "parts").items():
            if isinstance(part, list):
                yield key, part
                continue
            raw = {"part": part} if isinstance(part, str) else dict(part or {})
            kind = self.kinds.models["parts"].get(str(raw.get("part")))
            if kind is not None and issubclass(kind, Part):
                raw = {**kind.left_out(key, raw), **raw}
            yield key, raw

    def _check(self) -> None:
        """Report a malformed part where an entity declares it, not where a page shows it."""
        for entity, parts in self.parts.items():
            for key, part in parts.items():
                place = ("entities", entity, "parts", key)
                if isinstance(part, dict):
                    full = self._filled(part, {"row": _Row(entity)}, place)
                    validated(full, AnyPart, partial(_locate_below, self.locate, place), self.kinds.context)  # type: ignore[arg-type]

    def pages(self) -> Iterator[tuple[str, Any]]:
        """Yield every page."""
        people = _mapping(self.data, "people").get("entity")
        me = {"me": _Row(str(people))} if people else {}
        for name, page in _mapping(self.data, "pages").items():
            if not isinstance(page, dict):
                yield name, page
                continue
            rows = {key: row for key, source in _mapping(page, "rows").items() if (row := _Row.of(source))}
            path = "/" if name == "home" else f"/{_hyphened(name)}"
            full = {"path": path, "title": f"title_{name}", **page}
            if "widgets" in page:
                full["widgets"] = self._filled(page["widgets"], me | rows, ("pages", name, "widgets"))
            yield name, full

    def _filled(self, node: Any, scope: Mapping[str, _Row], where: Place) -> Any:
        """Return widgets, or their content, with omitted entries filled in."""
        if isinstance(node, list):
            return [self._filled(child, scope, (*where, position)) for position, child in enumerate(node)]
        if not isinstance(node, dict):
            return node
        row = _Row.of(node.get("source")) or _Row.of(node) or scope.get(str(node.get("row")))
        inner_scope = {**scope, **({"row": row} if row else {})}
        full = {}
        for key, child in node.items():
            if key == "show" and isinstance(child, list):
                parts = list(self._item_parts(child, inner_scope.get("row"), (*where, key)))
                self.declared |= {(*where, key, position): place for position, (_, place) in enumerate(parts)}
                child = [part for part, _ in parts]  # noqa: PLW2901 - names become parts here
            # Fields and sources contain no widgets.
            full[key] = self._filled(child, inner_scope, (*where, key)) if key in ("show", "widgets") else child
            if key == "tabs" and isinstance(child, dict):
                full[key] = {name: self._filled(tab, inner_scope, (*where, key, name)) for name, tab in child.items()}
        return self._with_defaults(full, row, inner_scope)

    def _with_defaults(self, shortened: dict[str, Any], row: _Row | None, scope: Mapping[str, _Row]) -> dict[str, Any]:
        group = "widgets" if "widget" in shortened else "parts"
        kind = self.kinds.models[group].get(str(shortened.get("widget", shortened.get("part"))))
        known = kind.model_fields if kind else {}
        if row and "type" in known and self.types.get(row.entity):
            shortened = {"type": self.types[row.entity], **shortened}
        if "send" in known and shortened.get("action"):
            shortened = {
                **shortened,
                "send": {**self._sent(str(shortened["action"]), scope), **(shortened.get("send") or {})},
            }
        return shortened

    def _sent(self, action: str, scope: Mapping[str, _Row]) -> dict[str, str]:
        """Return the keys of known rows that a form sends: those of hidden fields with the row's entity."""
        fields = _mapping(self.actions.get(action) or {}, "fields")
        keys = {}
        for name, form_field in fields.items():
            entity = (
                form_field.get("row") if isinstance(form_field, dict) and form_field.get("type") == "hidden" else None
            )
            # An item's row takes precedence over the page's, because an item's button is about the item.
            holder = next((key for key in ("row", name) if key in scope and scope[key].entity == entity), None)
            if holder:
                keys[name] = f"{{{holder}.id}}"
        return keys

    def _item_parts(self, show: list[Any], row: _Row | None, where: Place) -> Iterator[tuple[Any, Place]]:
        """Yield the parts of an item, each with its place; a name is replaced by the parts that it refers to."""
        for position, entry in enumerate(show):
            name = entry if isinstance(entry, str) else entry.get("use") if isinstance(entry, dict) else None
            if name is None:
                yield entry, (*where, position)
                continue
            changes = {key: what for key, what in entry.items() if key != "use"} if isinstance(entry, dict) else {}
            yield from (
                ({**part, **changes}, place) for part, place in self._named_parts(str(name), row, (*where, position))
            )

    def _named_parts(self, name: str, row: _Row | None, where: Place) -> Iterator[tuple[dict[str, Any], Place]]:
        if row is None:
            raise UserError(
                f"{self.locate(where)}: {name!r} names a part of an entity; add `of: ENTITY` for these rows"
            )
        first, _, rest = name.partition(".")
        if rest and first in row.join:
            # Parts of a joined row read it through its column: `row.product.name`.
            joined_row = _Row(row.join[first])
            for part, place in self._named_parts(rest, joined_row, where):
                yield _moved(self._with_defaults(part, None, {"row": joined_row}), first), place
            return
        parts = self.parts.get(row.entity, {})
        if name not in parts:
            raise UserError(f"{self.locate(where)}: {unknown(f'part of {row.entity}', name, parts)}")
        declared_at = ("entities", row.entity, "parts", name)
        if isinstance(parts[name], list):
            yield from self._item_parts(parts[name], row, declared_at)
        else:
            yield parts[name], declared_at


def _mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    # Validation reports malformed entries, with their place.
    entry = data.get(key)
    return entry if isinstance(entry, dict) else {}


def _locate_below(locate: Locate, place: Place, where: Sequence[str | int]) -> str:
    return locate((*place, *where))


def _hyphened(name: str) -> str:
    return name.replace("_", "-")


def _moved(part: Any, column: str) -> Any:
    """Return a part in which `row.` is replaced by `row.COLUMN.`."""
    if isinstance(part, dict):
        return {key: _moved(value, column) for key, value in part.items()}
    if isinstance(part, list):
        return [_moved(value, column) for value in part]
    return re.sub(r"\brow\.", f"row.{column}.", part) if isinstance(part, str) else part
