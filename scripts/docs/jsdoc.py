"""The types in the JSDoc comments of our scripts."""

import re
from typing import NamedTuple

_COMMENT = re.compile(r"/\*\*(.*?)\*/", re.DOTALL)
_STAR = re.compile(r"^[ \t]*\*[ \t]?", re.MULTILINE)
_NAMED = re.compile(r"@typedef \{object\} (\w+)")
_PROPERTY = re.compile(r"@property \{(?P<type>.*?)\}\s+\[?(?P<name>\w+)\]?(?:\s+-\s+(?P<about>.*))?", re.DOTALL)


class Member(NamedTuple):
    """One property of a type."""

    type: str
    """In TypeScript's notation."""
    about: str
    """Its meaning; empty if the name is enough."""


def typedefs(text: str) -> dict[str, dict[str, Member]]:
    """Return the members of every object type that a script defines, by name; raises ValueError for a malformed one."""
    members: dict[str, dict[str, Member]] = {}
    for comment in _COMMENT.findall(text):
        comment_text = _STAR.sub("", comment)
        if named := _NAMED.search(comment_text):
            members[named[1]] = dict(map(_member, re.split(r"^(?=@)", comment_text, flags=re.MULTILINE)[2:]))
    return members


def _member(text: str) -> tuple[str, Member]:
    # A type may contain braces, so the end of the type is that of the shortest match over the whole text.
    match = _PROPERTY.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text.strip()!r} is not a property with a type and a name")
    about = " ".join((match["about"] or "").split())
    return match["name"], Member(" ".join(match["type"].split()), about)
