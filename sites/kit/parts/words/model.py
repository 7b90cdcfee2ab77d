"""Words of an item: its name, texts, facts, badges and times."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Part


def _camel(key: str) -> str:
    """Return a column as schema.org writes properties: `order_number` is `orderNumber`."""
    first, *rest = key.split("_")
    return first + "".join(word.capitalize() for word in rest)


class Said(Part):
    """A text, and the microdata that it is."""

    text: Template = ""
    label: Label = ""
    """Label key of what is shown instead of a text, or of the name before it."""
    word: bool = False
    """Whether the text is a label key, of which the wording is shown."""
    day: bool = False
    """Whether the text is a date, which is shown in words."""
    moment: bool = False
    """Whether the text is a moment or a day before today, which is shown in words, `Yesterday, 09:30` for example; as
    property it keeps the text's own form."""
    prop: str = ""
    """The itemprop that the text is."""
    content: Template = ""
    """The property's value where it is not the text."""
    style: Template = ""

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column of the name as text, unless a label stands there."""
        return {} if "label" in declared else {"text": f"{{row.{key}}}"}


class Name(Part):
    """What an item is called: a heading, or a line if it is `plain`."""

    part: Literal["name"]
    text: Template
    href: Template = ""
    """Path of the item's page."""
    prop: str = "name"
    plain: bool = False

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column of the name as text."""
        return {"text": f"{{row.{key}}}"}


class Text(Said):
    """A line of text."""

    part: Literal["text"]

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column of the name as text and as property, unless a label stands there."""
        return {} if "label" in declared else {"text": f"{{row.{key}}}", "prop": _camel(key)}


class Fact(Said):
    """A text with its name before it."""

    part: Literal["fact"]
    counter: bool = False
    """Whether the icon of its label stands for its name, which is only read aloud: numbers below a post."""

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column of the name as text, as property and as label key."""
        return {"label": key, "text": f"{{row.{key}}}", "prop": _camel(key)}


class Badge(Said):
    """A text in a box of its own."""

    part: Literal["badge"]


class Time(Said):
    """A moment: `content` is what it is to machines."""

    part: Literal["time"]
