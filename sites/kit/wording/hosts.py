"""The host name of a world: an ordinary one, made from the name of the site in this world.

The name may belong to somebody. No request is ever sent to them: the proxy answers, and the browser resolves no names.
"""

import re

from stressweb.core import draws
from stressweb.sites.kit.wording.slugs import slug

_ENDINGS = ("com",) * 6 + ("net", "net", "org", "co", "co.uk", "us", "eu", "info", "io")
"""Top-level domains, common ones more often. Some others, such as `app`, `dev` and `page`, require TLS in browsers."""
_BEFORE = ("get", "go", "my", "use", "try", "hello", "join")
_AFTER = ("hq", "online", "web", "direct", "hub", "now")
_SHAPES = ("{name}", "{name}", "{name}", "{before}{between}{name}", "{name}{between}{after}")
_LONE_SHAPES = _SHAPES[-2:]
"""Shapes for a name of one word, because such a host name is probably taken."""
_AND = ("and", "and", "")
_HYPHENATED = 0.2
"""Share of host names with hyphens between their words."""
_LONGEST = 40
"""Maximum length of a name without `www.` and top-level domain; DNS allows 63 characters."""
_TELLS = re.compile(r"test|example|localhost|invalid|stress|dummy|sandbox|proxy")
"""Words that no host may contain, because they would reveal to an agent that the site is a test."""
_SPARE = ("amber", "cedar", "glacier", "harbour", "lagoon", "meadow", "orchard", "pebble", "saffron", "willow")
"""Words for a site whose name has no usable word."""


def draw(name: str, *key: draws.Part) -> str:
    """Return the host name of a world in which the site's name is `name`."""

    def pick(what: str, options: tuple[str, ...]) -> str:
        return draws.pick(options, *key, "host", what)

    words = _words(name) or [pick("first word", _SPARE), pick("second word", _SPARE)]
    separator = "-" if draws.unit(*key, "host", "hyphens") < _HYPHENATED else ""
    words = [word for part in words if (word := pick("and", _AND) if part == "&" else part)]
    # Two joined words can contain one of these words.
    label = ("-" if _TELLS.search("".join(words)) else separator).join(words)[:_LONGEST].strip("-")
    shape = pick("shape", _SHAPES if len(words) > 1 else _LONE_SHAPES)
    host = shape.format(name=label, between=separator, before=pick("before", _BEFORE), after=pick("after", _AFTER))
    return f"{pick('leading', ('www.', ''))}{host}.{pick('ending', _ENDINGS)}"


def _words(name: str) -> list[str]:
    """Return the words of a name that a host may contain, with `&` for "and"."""
    plain = re.sub(r"['’]", "", name).replace("&", " and ")
    words = ["&" if word == "and" else word for word in slug(plain).split("-") if word and not _TELLS.search(word)]
    words = words[1:] if len(words) > 2 and words[0] in ("the", "our") else words
    return words if any(word != "&" for word in words) else []
