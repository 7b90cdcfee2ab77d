"""What a spec may leave out: paths and titles of pages, what a form sends, and the parts that an entity is shown by.

All of it is filled in before the spec is read, so that pages and actions have one form, however they were written.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sites.kit.loading.resources import snake
from sites.kit.spec.kinds import Kinds
from sites.kit.spec.widgets import AnyPart, Part
from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.core.yaml_models import validated

type Place = tuple[str | int, ...]
type Says = Callable[[Place], str]
"""Says where a place in the spec stands: file, line and keys, as a message begins."""


@dataclass(frozen=True)
class _Row:
    """What is known of the row that a name stands for."""

    entity: str
    join: Mapping[str, str] = field(default_factory=dict)
    """Columns that are rows themselves, by entity."""

    @classmethod
    def of(cls, source: Any) -> "_Row | None":
        return cls(str(source["of"]), source.get("join") or {}) if isinstance(source, dict) and "of" in source else None


def expanded(data: Mapping[str, Any], kinds: Kinds, says: Says) -> tuple[dict[str, Any], Mapping[Place, Place]]:
    """Return a spec with everything that it leaves out, and where the parts of its pages are declared, by place.

    Raises UserError for a part that no entity declares, and for a malformed one.
    """
    made = _Shorthand(data, kinds, says)
    full = {**data, "entities": made.entities, "actions": made.actions, "pages": dict(made.pages())}
    return full, made.declared


def listed(value: Any) -> Any:
    """Return a list of names, some of them with more to say, as a mapping; and anything else as it is."""
    if not isinstance(value, list):
        return value
    return {name: what for one in value for name, what in (one if isinstance(one, dict) else {str(one): {}}).items()}


class _Shorthand:
    def __init__(self, data: Mapping[str, Any], kinds: Kinds, says: Says) -> None:
        self.data, self.kinds, self.says = data, kinds, says
        self.declared: dict[Place, Place] = {}
        said = _mapping(data, "entities")
        self.types = {name: one.get("type", "") for name, one in said.items() if isinstance(one, dict)}
        self.actions = {name: self._action(name, one) for name, one in _mapping(data, "actions").items()}
        self.parts = {name: dict(self._declared(name, one)) for name, one in said.items() if isinstance(one, dict)}
        own = ("type", "parts")
        self.entities = {
            name: {key: what for key, what in one.items() if key not in own} if isinstance(one, dict) else one
            for name, one in said.items()
        }
        self._check()

    def _action(self, name: str, said: Any) -> Any:
        if not isinstance(said, dict):
            return said
        about = said.get("about")
        fields = listed(said.get("fields") or {})
        if about and isinstance(fields, dict):
            fields = {snake(str(about)): {"type": "hidden", "row": about}, **fields}
        given = {key: what for key, what in said.items() if key != "about"}
        flash = {"flash": f"did_{name}"} if f"did_{name}" in _mapping(self.data, "labels") else {}
        return {"path": f"/{_hyphened(name)}", "do": [{"call": name}], **flash, **given, "fields": fields}

    def _declared(self, entity: str, said: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield the parts that an entity declares, each as a page would say it, and names of several as they are."""
        for key, one in _mapping(said, "parts").items():
            if isinstance(one, list):
                yield key, one
                continue
            raw = {"part": one} if isinstance(one, str) else dict(one or {})
            kind = self.kinds.models["parts"].get(str(raw.get("part")))
            if kind is not None and issubclass(kind, Part):
                raw = {**kind.left_out(key, raw), **raw}
            yield key, raw

    def _check(self) -> None:
        """Refuse a malformed part where an entity declares it, and not where it is shown."""
        for entity, parts in self.parts.items():
            for key, one in parts.items():
                at = ("entities", entity, "parts", key)
                if isinstance(one, dict):
                    full = self._filled(one, {"row": _Row(entity)}, at)
                    validated(full, AnyPart, lambda where, at=at: self.says((*at, *where)), self.kinds.context)  # type: ignore[misc, arg-type]

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

    def _filled(self, said: Any, scope: Mapping[str, _Row], where: Place) -> Any:
        """Return widgets, or what is in them, with what they leave out."""
        if isinstance(said, list):
            return [self._filled(one, scope, (*where, at)) for at, one in enumerate(said)]
        if not isinstance(said, dict):
            return said
        row = _Row.of(said.get("source")) or _Row.of(said) or scope.get(str(said.get("row")))
        inner = {**scope, **({"row": row} if row else {})}
        full = {}
        for key, one in said.items():
            if key == "show" and isinstance(one, list):
                found = list(self._shown(one, inner.get("row"), (*where, key)))
                self.declared |= {(*where, key, at): place for at, (_, place) in enumerate(found)}
                one = [part for part, _ in found]  # noqa: PLW2901 - names become parts here
            # Fields and sources are no widgets.
            full[key] = self._filled(one, inner, (*where, key)) if key in ("show", "widgets") else one
            if key == "tabs" and isinstance(one, dict):
                full[key] = {name: self._filled(tab, inner, (*where, key, name)) for name, tab in one.items()}
        return self._with_defaults(full, row, inner)

    def _with_defaults(self, said: dict[str, Any], row: _Row | None, scope: Mapping[str, _Row]) -> dict[str, Any]:
        group = "widgets" if "widget" in said else "parts"
        kind = self.kinds.models[group].get(str(said.get("widget", said.get("part"))))
        known = kind.model_fields if kind else {}
        if row and "type" in known and self.types.get(row.entity):
            said = {"type": self.types[row.entity], **said}
        if "send" in known and said.get("action"):
            said = {**said, "send": {**self._sent(str(said["action"]), scope), **(said.get("send") or {})}}
        return said

    def _sent(self, action: str, scope: Mapping[str, _Row]) -> dict[str, str]:
        """Return the keys that a form sends of the rows at hand: those of hidden fields that name their entity."""
        fields = _mapping(self.actions.get(action) or {}, "fields")
        found = {}
        for name, one in fields.items():
            entity = one.get("row") if isinstance(one, dict) and one.get("type") == "hidden" else None
            # The row of an item before that of the page: on an item's button, the item is meant.
            holder = next((key for key in ("row", name) if key in scope and scope[key].entity == entity), None)
            if holder:
                found[name] = f"{{{holder}.id}}"
        return found

    def _shown(self, show: list[Any], row: _Row | None, where: Place) -> Iterator[tuple[Any, Place]]:
        """Yield the parts of an item, with those of a name in place of it, each with the place where it stands."""
        for at, one in enumerate(show):
            name = one if isinstance(one, str) else one.get("use") if isinstance(one, dict) else None
            if name is None:
                yield one, (*where, at)
                continue
            over = {key: what for key, what in one.items() if key != "use"} if isinstance(one, dict) else {}
            yield from (({**part, **over}, place) for part, place in self._named(str(name), row, (*where, at)))

    def _named(self, name: str, row: _Row | None, where: Place) -> Iterator[tuple[dict[str, Any], Place]]:
        if row is None:
            raise UserError(f"{self.says(where)}: {name!r} is a part of an entity; say `of: ENTITY` for these rows")
        first, _, rest = name.partition(".")
        if rest and first in row.join:
            # The parts of a row that is joined read it where it stands: `row.product.name`.
            joined = _Row(row.join[first])
            for part, place in self._named(rest, joined, where):
                yield _moved(self._with_defaults(part, None, {"row": joined}), first), place
            return
        parts = self.parts.get(row.entity, {})
        if name not in parts:
            raise UserError(f"{self.says(where)}: {unknown(f'part of {row.entity}', name, parts)}")
        here = ("entities", row.entity, "parts", name)
        if isinstance(parts[name], list):
            yield from self._shown(parts[name], row, here)
        else:
            yield parts[name], here


def _mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    # What is malformed is refused when the spec is read, with its place.
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _hyphened(name: str) -> str:
    return name.replace("_", "-")


def _moved(part: Any, column: str) -> Any:
    """Return a part that reads `row.COLUMN` where it read `row`."""
    if isinstance(part, dict):
        return {key: _moved(value, column) for key, value in part.items()}
    if isinstance(part, list):
        return [_moved(value, column) for value in part]
    return re.sub(r"\brow\.", f"row.{column}.", part) if isinstance(part, str) else part
