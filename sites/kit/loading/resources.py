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
type Gift = Literal["list", "page", "create", "change", "delete"]


class ResourceSpec(Spec):
    """How people see and change the rows of an entity.

    Of an entity `Address` it gives the pages `addresses`, `address`, `new_address` and `edit_address`, the actions
    `add_address`, `change_address` and `drop_address`, and the labels of all of them. The site's own spec can
    replace any part of these under the same name.
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
    """Singular noun; default: the entity's name."""
    nouns: str = ""
    """Plural noun; default: the noun with an s."""
    gives: tuple[Gift, ...] = ("list", "page", "create", "change", "delete")
    """What there is. Without `page`, links and buttons stand in the list."""
    face: bool = False
    """Whether a face stands before the name."""
    show: tuple[PartOrName, ...] = ()
    """The parts of an item besides name and buttons; a text names a part that the entity declares."""
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
        for name, names in (("columns", [*self.columns]), ("fixed", [*self.fixed])):
            for field in names:
                if field not in self.fields:
                    raise mistake("ResourceSpec", name, names, unknown("field", field, self.fields))
        return self


def snake(name: str) -> str:
    """Return the name of an entity as labels and pages write it: `OrderLine` is `order_line`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def expanded(entity: str, spec: ResourceSpec, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pages, actions and labels of a resource, as a `site.yaml` would say them.

    `raw` is the resource as its file says it: fields and parts are taken over from there.
    """
    expansion = _Expansion(entity, spec, raw)
    return {"labels": dict(expansion.labels()), "pages": dict(expansion.pages()), "actions": dict(expansion.actions())}


@cache
def _wordings() -> Mapping[str, Any]:
    wordings: Mapping[str, Any] = load(KIT / "corpora" / "resources.yaml")
    return wordings


def _with_words(text: Any, words: Mapping[str, str]) -> Any:
    """Return a text, or a list of texts, with words in place of `<noun>` and the like."""
    if isinstance(text, list):
        return [_with_words(line, words) for line in text]
    return reduce(lambda done, name: done.replace(name, words[name]), words, text)


class _Expansion:
    def __init__(self, entity: str, spec: ResourceSpec, raw: Mapping[str, Any]) -> None:
        self.entity, self.spec, self.raw = entity, spec, raw
        self.singular = snake(entity)
        self.noun = spec.noun or self.singular.replace("_", " ")
        self.nouns = spec.nouns or f"{self.noun}s"
        self.plural = self.nouns.replace(" ", "_")
        self.mine = {spec.owner: "{owner}"} if spec.owner else {}
        self.about = {"signed_in": spec.signed_in}

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
        row = {"rows": {singular: {"of": self.entity, "where": {spec.key: "{key}", **self.mine}}}}
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

    def _page(self, below: str, title: str, crumbs: Any, widgets: list[Any]) -> dict[str, Any]:
        return {**self.about, "path": self.spec.path + below, "title": title, "crumbs": crumbs, "widgets": widgets}

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
            # A form of a row that is there begins with what the row says.
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

    def _action(self, what: Change, verb: str, fields: Any, operation: Any) -> dict[str, Any]:
        spec, name = self.spec, f"{verb}_{self.singular}"
        calls = [{"call": spec.calls[what]}] if what in spec.calls else []
        then = {"then": spec.path} if "list" in spec.gives else {}
        does = {"do": [*calls, operation], "flash": f"did_{name}", "allow_when": dict(spec.allow.get(what, {}))}
        return {**self.about, "path": f"{spec.path}/{verb}", "fields": fields, **does, **then}

    def _list(self) -> list[dict[str, Any]]:
        spec, key = self.spec, f"{{row.{self.spec.key}}}"
        paged = "page" in spec.gives
        parts = [*self._name(f"{spec.path}/{key}" if paged else ""), *self.raw.get("show", ())]
        source = {"of": self.entity, "where": self.mine, "order": list(spec.order)}
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
        also = self.raw.get("also", ())
        return [*([edit] if "change" in spec.gives else []), *also, *([drop] if "delete" in spec.gives else [])]

    def _form(self, action: str, send: dict[str, str]) -> dict[str, Any]:
        return {"widget": "form", "action": action, "send": send, "width": "wide"}
