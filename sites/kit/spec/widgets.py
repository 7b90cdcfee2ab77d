"""Widgets of pages and their parts, each of a kind that the kit or the site defines in a folder.

The folder has `model.py` (the options), `template.html` (a macro with the kind's name) and, if needed, `script.js` and
`style.css`. docs/sites.md has an example.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Protocol

from pydantic import PlainValidator, SerializeAsAny, TypeAdapter, ValidationInfo

from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.strict import Condition, EntityName, Label, Spec


class Widget(Spec):
    """A block of a page. A kind is a subclass whose `widget` is a literal with the kind's name."""

    widget: str
    title: Label = ""
    """Label key of the heading; the wording is a template over the page."""
    when: Condition = ""
    """Condition for showing the widget."""

    @property
    def level(self) -> int:
        """Level of the headings inside: one below its own heading, or below the page's if it has none."""
        return 3 if self.title else 2

    # `visit` is Any, because importing `Visit` would be circular: a `Visit` serves specs, which have widgets.
    def view(self, visit: Any) -> Any:
        """Return what the template gets as `it`, in addition to `Visit` and widget; by default None."""


class Part(Spec):
    """A piece of an item. A kind is a subclass whose `part` is a literal with the kind's name."""

    part: str
    when: Condition = ""
    """Condition for showing the part."""

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the defaults of a part that an entity declares under `key`; by default there are none."""
        return {}

    def view(self, visit: Any, names: Mapping[str, Any]) -> Any:
        """Return what the template gets as `it`, in addition to `Visit`, part and names; by default None."""


class Rows(Spec):
    """Base of widgets and parts that show something of several rows: those of a source, or those at a path."""

    source: Source | None = None
    row: str = ""
    """Path of the rows, if there is no source."""


class Lists(Rows):
    """Base of widgets and parts that show several rows."""

    of: EntityName = ""
    """Entity of the rows at this path, if they are shown with parts that it declares."""
    type: str
    """The schema.org type of a row; by default the entity's."""


def named_by_action(value: Any) -> Any:
    """Return a mapping with the name of its `action` as default for its `label`; anything else unchanged."""
    return {"label": value["action"], **value} if isinstance(value, dict) and value.get("action") else value


class KnownKinds(Protocol):
    """Validates widgets, parts and fields of a spec; `Kinds` implements it."""

    @property
    def widget(self) -> TypeAdapter[Widget]:
        """Validates a widget."""

    @property
    def part(self) -> TypeAdapter[Part]:
        """Validates a part."""

    @property
    def field(self) -> TypeAdapter[Any]:
        """Validates a field."""


def kinds_at_hand(info: ValidationInfo) -> KnownKinds:
    """Return the kinds in the validation context; the kit's kinds if there is no context."""
    from stressweb.sites.kit.spec.kinds import shipped  # noqa: PLC0415 - kinds are subclasses of the classes of this module

    kinds: KnownKinds = info.context["kinds"] if info.context else shipped()
    return kinds


# These validators let the union's own error through, which keeps its place in the file.
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
