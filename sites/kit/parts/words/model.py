"""Words of an item: its name, texts, facts, badges and times."""

from typing import Literal

from sites.kit.shown import Part
from sites.kit.strict import Label, Template


class Said(Part):
    """A text, and the microdata that it is."""

    text: Template = ""
    label: Label = ""
    """Label key of what is shown instead of a text, or of the name before it."""
    word: bool = False
    """Whether the text is a label key, of which the wording is shown."""
    day: bool = False
    """Whether the text is a date, which is shown in words."""
    prop: str = ""
    """The itemprop that the text is."""
    content: Template = ""
    """The property's value where it is not the text."""
    style: Template = ""


class Name(Part):
    """What an item is called: a heading, or a line if it is `plain`."""

    part: Literal["name"]
    text: Template
    href: Template = ""
    """Path of the item's page."""
    prop: str = "name"
    plain: bool = False


class Text(Said):
    """A line of text."""

    part: Literal["text"]


class Fact(Said):
    """A text with its name before it."""

    part: Literal["fact"]


class Badge(Said):
    """A text in a box of its own."""

    part: Literal["badge"]


class Time(Said):
    """A moment: `content` is what it is to machines."""

    part: Literal["time"]
