"""What pages show: widgets and their parts, each of a kind that the kit or the site defines in a folder.

A folder holds `model.py` (what the spec may say), `template.html` (a macro of the kind's name), and, if the kind needs
them, `script.js` and `style.css`. docs/sites.md has an example.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Protocol

from pydantic import PlainValidator, SerializeAsAny, TypeAdapter, ValidationInfo

from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.strict import Condition, EntityName, Label, Spec


class Widget(Spec):
    """A block of a page. A kind is a subclass whose `widget` is a literal, the name of the kind."""

    widget: str
    title: Label = ""
    """Label key of the heading; the wording is a template over the page."""
    when: Condition = ""
    """What must hold for the widget to be shown."""

    @property
    def level(self) -> int:
        """Level of the headings in it: below its own heading if it has one, and below the page's otherwise."""
        return 3 if self.title else 2

    # Any, because a `Visit` serves specs, which are made of widgets.
    def view(self, visit: Any) -> Any:
        """Return what the template gets as `it`, besides `Visit` and widget: nothing unless a kind needs more."""


class Part(Spec):
    """A piece of an item. A kind is a subclass whose `part` is a literal, the name of the kind."""

    part: str
    when: Condition = ""
    """What must hold for the part to be shown."""

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what a part may leave out that an entity declares under `key`: nothing unless a kind says more."""
        return {}

    def view(self, visit: Any, names: Mapping[str, Any]) -> Any:
        """Return what the template gets as `it`, besides `Visit`, part and names."""


class Lists(Spec):
    """What shows several rows: those of a source, or those at hand under a path."""

    source: Source | None = None
    row: str = ""
    """Path of the rows, where there is no source."""
    of: EntityName = ""
    """Entity of the rows at hand, if they are called by the parts that it declares."""
    type: str
    """The schema.org type of a row; the entity's unless said otherwise."""


def named_by_action(value: Any) -> Any:
    """Return what has an `action` with the label key of its button: the action's name, unless it says another."""
    return {"label": value["action"], **value} if isinstance(value, dict) and value.get("action") else value


class KnownKinds(Protocol):
    """Reads widgets, parts and fields of a spec; `Kinds` is one."""

    @property
    def widget(self) -> TypeAdapter[Widget]:
        """Reads a widget."""

    @property
    def part(self) -> TypeAdapter[Part]:
        """Reads a part."""

    @property
    def field(self) -> TypeAdapter[Any]:
        """Reads a field."""


def kinds_at_hand(info: ValidationInfo) -> KnownKinds:
    """Return the kinds of the site whose spec is read; those of the kit where no site's are given."""
    from stressweb.sites.kit.spec.kinds import shipped  # noqa: PLC0415 - kinds are subclasses of the classes of this module

    kinds: KnownKinds = info.context["kinds"] if info.context else shipped()
    return kinds


# Validators that let the union's own error through: it keeps its place in the file.
def _widget(value: Any, info: ValidationInfo) -> Widget:
    return kinds_at_hand(info).widget.validate_python(value, context=info.context)


def _part(value: Any, info: ValidationInfo) -> Part:
    return kinds_at_hand(info).part.validate_python(value, context=info.context)


def _part_or_name(value: Any, info: ValidationInfo) -> Part | str:
    return value if isinstance(value, str) else _part(value, info)


type AnyWidget = Annotated[SerializeAsAny[Widget], PlainValidator(_widget)]
"""A widget of any kind that the site can use; validated with the site's `Kinds` as context."""
type AnyPart = Annotated[SerializeAsAny[Part], PlainValidator(_part)]
type PartOrName = Annotated[SerializeAsAny[Part] | str, PlainValidator(_part_or_name)]
"""A part, or the name of one that an entity declares."""
