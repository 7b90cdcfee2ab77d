"""Files that a task offers to the agent; only these can be uploaded."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from stressweb.core.templates import fill

TOGETHER = ", "
"""Separator of several names in one text, as in the value of a file field; no name contains it."""


def _without_separator(name: str) -> str:
    if TOGETHER in name:
        raise ValueError(f"the name {name!r} has a comma followed by a blank, which separates names")
    return name


class Offer(BaseModel):
    """An offered file: its name and its text."""

    model_config = ConfigDict(frozen=True)

    # 255 is the longest name in common file systems. No slashes, because a path would be another file.
    name: Annotated[
        str,
        Field(min_length=1, max_length=255, pattern=r"^[^/\\\x00-\x1f]+$"),
        AfterValidator(_without_separator),
    ]
    text: Annotated[str, Field(max_length=200_000)]


class OfferSpec(BaseModel):
    """Offered files as in a task's file: templates of name and text, for one file or for each of several drawn rows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    text: str
    each: Annotated[dict[str, str], Field(max_length=1)] = {}
    """A name for the row, and the drawn rows for each of which there is a file: `{bill: bills}`."""

    def resolve(self, names: Mapping[str, Any]) -> Iterator[Offer]:
        """Yield the files in one world; raises KeyError for an unknown name, ValueError for an invalid file name."""
        for scope in self._scopes(names):
            yield Offer(name=fill(self.name, scope), text=fill(self.text, scope))

    def _scopes(self, names: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        if not self.each:
            yield names
        for name, rows in self.each.items():
            yield from ({**names, name: row} for row in names[rows])


def together(names: tuple[str, ...]) -> str:
    """Return names as one text."""
    return TOGETHER.join(names)


def apart(text: str) -> tuple[str, ...]:
    """Return the names in one text."""
    return tuple(text.split(TOGETHER)) if text else ()
