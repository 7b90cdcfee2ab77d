"""Texts of an item: its name, texts, facts, badges and times."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Part


def _camel(key: str) -> str:
    """Return the name of a column in schema.org's notation: `order_number` becomes `orderNumber`."""
    first, *rest = key.split("_")
    return first + "".join(word.capitalize() for word in rest)


class Said(Part):
    """A text, and its microdata."""

    text: Template = ""
    label: Label = ""
    """Label key of a wording that is shown instead of a text, or as the name before it."""
    word: bool = False
    """Whether the text is a label key, whose wording is shown."""
    day: bool = False
    """Whether the text is a date, to be shown in words."""
    moment: bool = False
    """Whether the text is a past moment or day, to be shown in words such as `Yesterday, 09:30`; its property keeps the
    form of the database."""
    prop: str = ""
    """The itemprop of the text."""
    content: Template = ""
    """Value of the property, if it is not the text."""
    style: Template = ""

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column with the part's name as default of the text, unless there is a label."""
        return {} if "label" in declared else {"text": f"{{row.{key}}}"}


class Name(Part):
    """The name of an item as a heading, or as a line if it is `plain`."""

    part: Literal["name"]
    text: Template
    href: Template = ""
    """Path of the item's page."""
    prop: str = "name"
    plain: bool = False
    prose: bool = False
    """Whether the name is the beginning of a text, as the first sentence of a post; it looks like the rest of it."""

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column with the part's name as default of the text."""
        return {"text": f"{{row.{key}}}"}


class Text(Said):
    """A line of text."""

    part: Literal["text"]

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column with the part's name as default of text and property, unless there is a label."""
        return {} if "label" in declared else {"text": f"{{row.{key}}}", "prop": _camel(key)}


class Fact(Said):
    """A text after its label."""

    part: Literal["fact"]
    counter: bool = False
    """Whether an icon replaces its label, which remains for screen readers, as for numbers below a post."""
    bar: Template = ""
    """Percentage of a bar below it, 0 to 100."""

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column with the part's name as default of text, property and label key."""
        return {"label": key, "text": f"{{row.{key}}}", "prop": _camel(key)}


class Badge(Said):
    """A text in a small box."""

    part: Literal["badge"]


class Time(Said):
    """A moment in words; `content` is its machine-readable form."""

    part: Literal["time"]
