"""Resources: what a site needs so that people can see, add, change and delete the rows of an entity."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from typing import Any, Literal, Self

from pydantic import model_validator

from sites.kit.folder import KIT
from sites.kit.spec.fields import Fields
from sites.kit.spec.strict import Condition, Function, Label, Spec, Template, mistake
from sites.kit.spec.widgets import PartOrName
from stressweb.core.choices import unknown
from stressweb.core.templates import Scalar
from stressweb.core.yaml_models import load

type Change = Literal["create", "change", "delete"]
type Gift = Literal["list", "page", "create", "change", "delete"]


class ResourceSpec(Spec):
    """What people may do with the rows of an entity, and what they see of them.

    Of an entity `Address` it gives the pages `addresses`, `address`, `new_address` and `edit_address`, the actions
    `add_address`, `change_address` and `drop_address`, and the labels of all of them. The site's own spec can say any
    part of these differently, under the same names.
    """

    path: str
    """Where the list is; `/new`, `/KEY`, `/KEY/edit` lie below it."""
    type: str
    """The schema.org type of an item."""
    name: str
    """Column that a row is called by."""
    key: str = "id"
    """Column that stands in the path of a row."""
    noun: str = ""
    """What one is called: the entity's name unless said otherwise."""
    nouns: str = ""
    """What several are called; the noun with an s unless said otherwise."""
    gives: tuple[Gift, ...] = ("list", "page", "create", "change", "delete")
    """What there is. Without `page`, links and buttons stand in the list."""
    face: bool = False
    """Whether a face stands before the name."""
    show: tuple[PartOrName, ...] = ()
    """The parts of an item besides its name and its buttons; a text is one that the entity declares."""
    also: tuple[PartOrName, ...] = ()
    """Further parts, between the link to the form and the button that deletes."""
    fields: Fields
    """What the forms ask; a field fills the column of its name."""
    columns: dict[str, str] = {}
    """Column that a field fills, where it has another name."""
    values: dict[str, Scalar] = {}
    """Further columns of a new row, as templates."""
    fixed: tuple[str, ...] = ()
    """Fields that only a new row is asked for."""
    calls: dict[Change, Function] = {}
    """Functions of the site's logic that are called before the change is made; they may refuse it."""
    allow: dict[Change, dict[Label, Condition]] = {}
    """What must hold for a change, under the label key of what is said if it does not."""
    order: tuple[str, ...] = ()
    signed_in: bool = False
    owner: str = ""
    """Column that holds whose a row is: people see and change their own rows alone."""
    crumbs: dict[Label, Template] = {}
    """What lies above the list."""
    style: str = "list"

    @model_validator(mode="after")
    def _has_a_key_for_paths(self) -> Self:
        # The id of such a row begins with its owner and a slash, which no part of a path may hold.
        if self.owner and self.key == "id":
            raise ValueError("needs a key: a column that is unique among the rows of one owner")
        return self

    @model_validator(mode="after")
    def _says_nothing_of_other_fields(self) -> Self:
        for name, said in (("columns", [*self.columns]), ("fixed", [*self.fixed])):
            for field in said:
                if field not in self.fields:
                    raise mistake("ResourceSpec", name, said, unknown("field", field, self.fields))
        return self


def snake(name: str) -> str:
    """Return the name of an entity as labels and pages write it: `OrderLine` is `order_line`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def expanded(entity: str, spec: ResourceSpec, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pages, actions and labels of a resource, as a `site.yaml` would say them.

    `raw` is the resource as its file says it: fields and parts are taken over from there.
    """
    made = _Expansion(entity, spec, raw)
    return {"labels": dict(made.labels()), "pages": dict(made.pages()), "actions": dict(made.actions())}


@cache
def _wordings() -> Mapping[str, Any]:
    found: Mapping[str, Any] = load(KIT / "corpora" / "resources.yaml")
    return found


def _put(text: Any, said: Mapping[str, str]) -> Any:
    """Return a text, or a list of texts, with words in place of `<noun>` and the like."""
    if isinstance(text, list):
        return [_put(one, said) for one in text]
    return reduce(lambda done, name: done.replace(name, said[name]), said, text)


class _Expansion:
    def __init__(self, entity: str, spec: ResourceSpec, raw: Mapping[str, Any]) -> None:
        self.entity, self.spec, self.raw = entity, spec, raw
        self.one = snake(entity)
        self.noun = spec.noun or self.one.replace("_", " ")
        self.nouns = spec.nouns or f"{self.noun}s"
        self.many = self.nouns.replace(" ", "_")
        self.mine = {spec.owner: "{owner}"} if spec.owner else {}
        self.about = {"signed_in": spec.signed_in}

    def labels(self) -> Iterator[tuple[str, Any]]:
        """Yield every label with its wordings."""
        noun, nouns = self.noun, self.nouns
        said = {
            "<one>": self.one,
            "<many>": self.many,
            "<name>": self.spec.name,
            "<noun>": noun,
            "<nouns>": nouns,
            "<Nouns>": nouns.capitalize(),
            "<a noun>": ("an " if noun[0] in "aeiou" else "a ") + noun,
        }
        for key, wordings in _wordings().items():
            yield _put(key, said), _put(wordings, said)

    def pages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every page by its name."""
        one, spec, crumbs = self.one, self.spec, dict(self.spec.crumbs)
        key = f"{{{one}.{spec.key}}}"
        row = {"rows": {one: {"of": self.entity, "where": {spec.key: "{key}", **self.mine}}}}
        if "list" in spec.gives:
            yield self.many, self._page("", f"title_{self.many}", crumbs, self._list())
            crumbs = {**crumbs, f"link_{self.many}": spec.path}
        if "create" in spec.gives:
            yield f"new_{one}", self._page("/new", f"title_new_{one}", crumbs, [self._form(f"add_{one}", {})])
        if "page" in spec.gives:
            parts = [*self._name(""), *self.raw.get("show", ()), *self._controls(key)]
            item = {"widget": "item", "row": one, "type": spec.type, "show": parts}
            yield one, {**row, **self._page("/<key>", f"title_{one}", crumbs, [item])}
            crumbs = {**crumbs, f"title_{one}": f"{spec.path}/{key}"}
        if "change" in spec.gives:
            form = self._form(f"change_{one}", {one: f"{{{one}.id}}"})
            yield f"edit_{one}", {**row, **self._page("/<key>/edit", f"title_edit_{one}", crumbs, [form])}

    def _page(self, below: str, title: str, crumbs: Any, widgets: list[Any]) -> dict[str, Any]:
        return {**self.about, "path": self.spec.path + below, "title": title, "crumbs": crumbs, "widgets": widgets}

    def actions(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every action by its name."""
        one, spec = self.one, self.spec
        fields: dict[str, dict[str, Any]] = {name: dict(field or {}) for name, field in self.raw["fields"].items()}
        hidden = {one: {"type": "hidden", "row": self.entity}}
        filled = {spec.columns.get(name, name): f"{{{name}}}" for name in fields}
        where = {"id": f"{{{one}.id}}"}
        if "create" in spec.gives:
            insert = {"insert": self.entity, "values": {**filled, **spec.values}}
            yield f"add_{one}", self._action("create", "add", fields, insert)
        if "change" in spec.gives:
            # A form of a row that is there begins with what the row says.
            asked = {
                name: {**field, "value": f"{{{one}.{spec.columns.get(name, name)}}}"}
                for name, field in fields.items()
                if name not in spec.fixed
            }
            kept = {column: text for column, text in filled.items() if text[1:-1] not in spec.fixed}
            update = {"update": self.entity, "where": where, "values": kept}
            yield f"change_{one}", self._action("change", "change", {**hidden, **asked}, update)
        if "delete" in spec.gives:
            yield f"drop_{one}", self._action("delete", "drop", hidden, {"delete": self.entity, "where": where})

    def _action(self, what: Change, verb: str, fields: Any, operation: Any) -> dict[str, Any]:
        spec, name = self.spec, f"{verb}_{self.one}"
        calls = [{"call": spec.calls[what]}] if what in spec.calls else []
        then = {"then": spec.path} if "list" in spec.gives else {}
        does = {"do": [*calls, operation], "flash": f"did_{name}", "allow_when": dict(spec.allow.get(what, {}))}
        return {**self.about, "path": f"{spec.path}/{verb}", "fields": fields, **does, **then}

    def _list(self) -> list[dict[str, Any]]:
        spec, key = self.spec, f"{{row.{self.spec.key}}}"
        paged = "page" in spec.gives
        parts = [*self._name(f"{spec.path}/{key}" if paged else ""), *self.raw.get("show", ())]
        source = {"of": self.entity, "where": self.mine, "order": list(spec.order)}
        show = {"show": [*parts, *(() if paged else self._controls(key))], "empty": f"empty_{self.many}"}
        items = {"widget": "items", "source": source, "type": spec.type, "style": spec.style, **show}
        links = {"widget": "links", "links": {f"new_{self.one}": f"{spec.path}/new"}}
        return [items, links] if "create" in spec.gives else [items]

    def _name(self, href: str) -> list[dict[str, Any]]:
        name = f"{{row.{self.spec.name}}}"
        face = [{"part": "face", "text": name, "big": not href}] if self.spec.face else []
        return [*face, {"part": "name", "text": name, **({"href": href} if href else {})}]

    def _controls(self, key: str) -> list[dict[str, Any]]:
        one, spec = self.one, self.spec
        edit = {"part": "link", "label": f"edit_{one}", "href": f"{spec.path}/{key}/edit"}
        send = {one: "{row.id}"}
        drop = {"part": "button", "action": f"drop_{one}", "send": send, "style": "secondary"}
        also = self.raw.get("also", ())
        return [*([edit] if "change" in spec.gives else []), *also, *([drop] if "delete" in spec.gives else [])]

    def _form(self, action: str, send: dict[str, str]) -> dict[str, Any]:
        return {"widget": "form", "action": action, "send": send, "width": "wide"}
