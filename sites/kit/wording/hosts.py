"""The name under which a world is served: an ordinary one, made of what the site calls itself there.

A name may belong to somebody. Nothing is ever sent there: the proxy answers for it, and the browser looks no name up.
"""

import re

from stressweb.core import draws
from stressweb.sites.kit.wording.slugs import slug

_ENDINGS = ("com",) * 6 + ("net", "net", "org", "co", "co.uk", "us", "eu", "info", "io")
"""Common ones more often. Browsers insist on TLS for all names under some others, such as `app`, `dev` and `page`."""
_BEFORE = ("get", "go", "my", "use", "try", "hello", "join")
_AFTER = ("hq", "online", "web", "direct", "hub", "now")
_SHAPES = ("{name}", "{name}", "{name}", "{before}{between}{name}", "{name}{between}{after}")
_LONE_SHAPES = _SHAPES[-2:]
"""Shapes for a name of one word, which somebody is likely to have taken already."""
_AND = ("and", "and", "")
_HYPHENATED = 0.2
"""Share of names that keep hyphens between their words."""
_LONGEST = 40
"""Characters of a name without `www.` and ending; 63 are allowed."""
_TELLS = re.compile(r"test|example|localhost|invalid|stress|dummy|sandbox|proxy")
"""Words that no host may contain, because an agent could tell from them that the site is a test."""
_SPARE = ("amber", "cedar", "glacier", "harbour", "lagoon", "meadow", "orchard", "pebble", "saffron", "willow")
"""Words for a name in which no letter of ours is left."""


def draw(name: str, *key: draws.Part) -> str:
    """Return the host of a world whose site is called `name`."""

    def pick(what: str, options: tuple[str, ...]) -> str:
        return draws.pick(options, *key, "host", what)

    words = _words(name) or [pick("first word", _SPARE), pick("second word", _SPARE)]
    between = "-" if draws.unit(*key, "host", "hyphens") < _HYPHENATED else ""
    words = [word for part in words if (word := pick("and", _AND) if part == "&" else part)]
    # Where two words meet, they can make a third.
    joined = ("-" if _TELLS.search("".join(words)) else between).join(words)[:_LONGEST].strip("-")
    shape = pick("shape", _SHAPES if len(words) > 1 else _LONE_SHAPES)
    host = shape.format(name=joined, between=between, before=pick("before", _BEFORE), after=pick("after", _AFTER))
    return f"{pick('leading', ('www.', ''))}{host}.{pick('ending', _ENDINGS)}"


def _words(name: str) -> list[str]:
    """Return the words of a name that may stand in a host, with `&` where it says so or says "and"."""
    plain = re.sub(r"['’]", "", name).replace("&", " and ")
    words = ["&" if word == "and" else word for word in slug(plain).split("-") if word and not _TELLS.search(word)]
    words = words[1:] if len(words) > 2 and words[0] in ("the", "our") else words
    return words if any(word != "&" for word in words) else []
