"""Resources: pages, actions and labels to list, show, add, change and delete the rows of an entity."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from typing import Any, Literal, Self

from pydantic import model_validator

from stressweb.core.choices import unknown
from stressweb.core.templates import Scalar
from stressweb.core.yaml_models import load
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.spec.fields import Fields
from stressweb.sites.kit.spec.strict import Condition, Function, Label, Spec, Template, mistake
from stressweb.sites.kit.spec.widgets import PartOrName

type Change = Literal["create", "change", "delete"]
type Feature = Literal["list", "page", "create", "change", "delete"]


class ResourceSpec(Spec):
    """How people see and change the rows of an entity.

    For an entity `Address`, it adds the pages `addresses`, `address`, `new_address` and `edit_address`, the actions
    `add_address`, `change_address` and `drop_address`, and their labels. The site's own spec can replace any of them
    under the same name.
    """

    path: str
    """Path of the list; `/new`, `/KEY` and `/KEY/edit` are below it."""
    type: str
    """The schema.org type of an item."""
    name: str
    """Column with the name of a row."""
    key: str = "id"
    """Column that names a row in paths."""
    noun: str = ""
    """Singular noun; default: the entity's name."""
    nouns: str = ""
    """Plural noun; default: the noun with an s."""
    gives: tuple[Feature, ...] = ("list", "page", "create", "change", "delete")
    """Which pages and actions there are. Without `page`, links and buttons are in the list."""
    face: bool = False
    """Whether a face is shown before the name."""
    show: tuple[PartOrName, ...] = ()
    """Parts of an item in addition to name and buttons; a text names a part that the entity declares."""
    also: tuple[PartOrName, ...] = ()
    """Further parts, between the link for editing and the button for deleting."""
    fields: Fields
    """Fields of the forms; a field fills the column with its name."""
    columns: dict[str, str] = {}
    """Columns that fields fill, if the names differ."""
    values: dict[str, Scalar] = {}
    """Further columns of a new row, as templates."""
    fixed: tuple[str, ...] = ()
    """Fields that are only in the form for a new row."""
    calls: dict[Change, Function] = {}
    """Functions of the site's logic that run before a change; they may refuse it."""
    allow: dict[Change, dict[Label, Condition]] = {}
    """Conditions for a change, each under the label key of the message if it does not hold."""
    order: tuple[str, ...] = ()
    signed_in: bool = False
    owner: str = ""
    """Column with the owner of a row; people see and change only their own rows."""
    crumbs: dict[Label, Template] = {}
    """Label keys and paths of the breadcrumbs above the list."""
    style: str = "list"
    adds: dict[Function, tuple[str, ...]] = {}
    """Functions of the site's logic that add columns to the rows of the list, and the columns."""

    @model_validator(mode="after")
    def _has_a_key_for_paths(self) -> Self:
        # The id of such a row begins with its owner and a slash, which cannot be in a part of a path.
        if self.owner and self.key == "id":
            raise ValueError("needs a key: a column that is unique among the rows of one owner")
        return self

    @model_validator(mode="after")
    def _names_known_fields(self) -> Self:
        for name, names in (("columns", [*self.columns]), ("fixed", [*self.fixed])):
            for field in names:
                if field not in self.fields:
                    raise mistake("ResourceSpec", name, names, unknown("field", field, self.fields))
        return self


def snake(name: str) -> str:
    """Return the name of an entity as labels and pages write it: `OrderLine` is `order_line`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def expanded(entity: str, spec: ResourceSpec, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pages, actions and labels of a resource, in the form of a `site.yaml`.

    `raw` is the resource as in its file; fields and parts are copied from it.
    """
    expansion = _Expansion(entity, spec, raw)
    return {"labels": dict(expansion.labels()), "pages": dict(expansion.pages()), "actions": dict(expansion.actions())}


@cache
def _wordings() -> Mapping[str, Any]:
    wordings: Mapping[str, Any] = load(KIT / "corpora" / "resources.yaml")
    return wordings


def _with_words(text: Any, words: Mapping[str, str]) -> Any:
    """Return a text, or a list of texts, with placeholders such as `<noun>` replaced by words."""
    if isinstance(text, list):
        return [_with_words(line, words) for line in text]
    return reduce(lambda filled, name: filled.replace(name, words[name]), words, text)


class _Expansion:
    def __init__(self, entity: str, spec: ResourceSpec, raw: Mapping[str, Any]) -> None:
        self.entity, self.spec, self.raw = entity, spec, raw
        self.singular = snake(entity)
        self.noun = spec.noun or self.singular.replace("_", " ")
        self.nouns = spec.nouns or f"{self.noun}s"
        self.plural = self.nouns.replace(" ", "_")
        self.own_rows = {spec.owner: "{owner}"} if spec.owner else {}
        self.common = {"signed_in": spec.signed_in}

    def labels(self) -> Iterator[tuple[str, Any]]:
        """Yield every label with its wordings."""
        noun, nouns = self.noun, self.nouns
        words = {
            "<one>": self.singular,
            "<many>": self.plural,
            "<name>": self.spec.name,
            "<noun>": noun,
            "<nouns>": nouns,
            "<Nouns>": nouns.capitalize(),
            "<a noun>": ("an " if noun[0] in "aeiou" else "a ") + noun,
        }
        for key, wordings in _wordings().items():
            yield _with_words(key, words), _with_words(wordings, words)

    def pages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every page by its name."""
        singular, spec, crumbs = self.singular, self.spec, dict(self.spec.crumbs)
        key = f"{{{singular}.{spec.key}}}"
        row = {"rows": {singular: {"of": self.entity, "where": {spec.key: "{key}", **self.own_rows}}}}
        if "list" in spec.gives:
            yield self.plural, self._page("", f"title_{self.plural}", crumbs, self._list())
            crumbs = {**crumbs, f"link_{self.plural}": spec.path}
        if "create" in spec.gives:
            yield (
                f"new_{singular}",
                self._page("/new", f"title_new_{singular}", crumbs, [self._form(f"add_{singular}", {})]),
            )
        if "page" in spec.gives:
            parts = [*self._name(""), *self.raw.get("show", ()), *self._controls(key)]
            item = {"widget": "item", "row": singular, "type": spec.type, "show": parts}
            yield singular, {**row, **self._page("/<key>", f"title_{singular}", crumbs, [item])}
            crumbs = {**crumbs, f"title_{singular}": f"{spec.path}/{key}"}
        if "change" in spec.gives:
            form = self._form(f"change_{singular}", {singular: f"{{{singular}.id}}"})
            yield f"edit_{singular}", {**row, **self._page("/<key>/edit", f"title_edit_{singular}", crumbs, [form])}

    def _page(self, subpath: str, title: str, crumbs: Any, widgets: list[Any]) -> dict[str, Any]:
        return {**self.common, "path": self.spec.path + subpath, "title": title, "crumbs": crumbs, "widgets": widgets}

    def actions(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every action by its name."""
        singular, spec = self.singular, self.spec
        fields: dict[str, dict[str, Any]] = {name: dict(field or {}) for name, field in self.raw["fields"].items()}
        hidden = {singular: {"type": "hidden", "row": self.entity}}
        filled = {spec.columns.get(name, name): f"{{{name}}}" for name in fields}
        where = {"id": f"{{{singular}.id}}"}
        if "create" in spec.gives:
            insert = {"insert": self.entity, "values": {**filled, **spec.values}}
            yield f"add_{singular}", self._action("create", "add", fields, insert)
        if "change" in spec.gives:
            # The form for an existing row has the row's values at first.
            prefilled = {
                name: {**field, "value": f"{{{singular}.{spec.columns.get(name, name)}}}"}
                for name, field in fields.items()
                if name not in spec.fixed
            }
            changeable = {column: text for column, text in filled.items() if text[1:-1] not in spec.fixed}
            update = {"update": self.entity, "where": where, "values": changeable}
            yield f"change_{singular}", self._action("change", "change", {**hidden, **prefilled}, update)
        if "delete" in spec.gives:
            yield f"drop_{singular}", self._action("delete", "drop", hidden, {"delete": self.entity, "where": where})

    def _action(self, change: Change, verb: str, fields: Any, operation: Any) -> dict[str, Any]:
        spec, name = self.spec, f"{verb}_{self.singular}"
        calls = [{"call": spec.calls[change]}] if change in spec.calls else []
        then = {"then": spec.path} if "list" in spec.gives else {}
        action = {"do": [*calls, operation], "flash": f"did_{name}", "allow_when": dict(spec.allow.get(change, {}))}
        return {**self.common, "path": f"{spec.path}/{verb}", "fields": fields, **action, **then}

    def _list(self) -> list[dict[str, Any]]:
        spec, key = self.spec, f"{{row.{self.spec.key}}}"
        paged = "page" in spec.gives
        parts = [*self._name(f"{spec.path}/{key}" if paged else ""), *self.raw.get("show", ())]
        source = {"of": self.entity, "where": self.own_rows, "order": list(spec.order), "adds": dict(spec.adds)}
        show = {"show": [*parts, *(() if paged else self._controls(key))], "empty": f"empty_{self.plural}"}
        items = {"widget": "items", "source": source, "type": spec.type, "style": spec.style, **show}
        links = {"widget": "links", "links": {f"new_{self.singular}": f"{spec.path}/new"}}
        return [items, links] if "create" in spec.gives else [items]

    def _name(self, href: str) -> list[dict[str, Any]]:
        name = f"{{row.{self.spec.name}}}"
        face = [{"part": "face", "text": name, "big": not href}] if self.spec.face else []
        return [*face, {"part": "name", "text": name, **({"href": href} if href else {})}]

    def _controls(self, key: str) -> list[dict[str, Any]]:
        singular, spec = self.singular, self.spec
        edit = {"part": "link", "label": f"edit_{singular}", "href": f"{spec.path}/{key}/edit"}
        send = {singular: "{row.id}"}
        drop = {"part": "button", "action": f"drop_{singular}", "send": send, "style": "secondary"}
        more_controls = self.raw.get("also", ())
        return [
            *([edit] if "change" in spec.gives else []),
            *more_controls,
            *([drop] if "delete" in spec.gives else []),
        ]

    def _form(self, action: str, send: dict[str, str]) -> dict[str, Any]:
        return {"widget": "form", "action": action, "send": send, "width": "wide"}
