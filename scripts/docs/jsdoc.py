"""The types that our scripts are described with, as their JSDoc comments have them."""

import re
from typing import NamedTuple

_COMMENT = re.compile(r"/\*\*(.*?)\*/", re.DOTALL)
_STAR = re.compile(r"^[ \t]*\*[ \t]?", re.MULTILINE)
_NAMED = re.compile(r"@typedef \{object\} (\w+)")
_PROPERTY = re.compile(r"@property \{(?P<type>.*?)\}\s+\[?(?P<name>\w+)\]?(?:\s+-\s+(?P<about>.*))?", re.DOTALL)


class Member(NamedTuple):
    """One property of a type."""

    type: str
    """As TypeScript writes it."""
    about: str
    """What it means; empty where its name says it all."""


def typedefs(text: str) -> dict[str, dict[str, Member]]:
    """Return the members of every object type that a script defines, by name."""
    members: dict[str, dict[str, Member]] = {}
    for comment in _COMMENT.findall(text):
        comment_text = _STAR.sub("", comment)
        if named := _NAMED.search(comment_text):
            members[named[1]] = dict(map(_member, re.split(r"^(?=@)", comment_text, flags=re.MULTILINE)[2:]))
    return members


def _member(text: str) -> tuple[str, Member]:
    # A type may hold braces itself, so the shortest match that takes in the whole text finds its end.
    match = _PROPERTY.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text.strip()!r} is no property with a type and a name")
    about = " ".join((match["about"] or "").split())
    return match["name"], Member(" ".join(match["type"].split()), about)
