"""Messages about unknown names, with the nearest choices and a command that lists all.

Imports only the standard library, so that make's variables can be checked before anything is installed.
"""

import difflib
from collections.abc import Iterable, Sequence

from stressweb.core.task_id import TaskId

FEW = 10
"""Up to this number of choices, a message lists all; otherwise only the nearest."""
_MOST = 3
_CUTOFF = 0.6
_LEAST = 3
"""Shortest text that counts as part of a name."""
_LONGEST = 80
"""Longest name that a message repeats and compares, in characters; comparing takes quadratic time."""


def unknown(kind: str, name: str, choices: Iterable[str], *, command: str = "", more: str = "") -> str:
    """Return one line about an unknown name: the nearest choices, then all of them if they are few.

    `command` lists the choices if they are many. `more` is appended to the list of choices, such as " or all".
    """
    quoted = f"{name[:_LONGEST]!r}" + ("..." if len(name) > _LONGEST else "")
    return f"unknown {kind} {quoted}; {offered(name, list(choices), command=command, more=more)}"


def offered(name: str, choices: Sequence[str], *, command: str = "", more: str = "", few: int = FEW) -> str:
    """Return the alternatives to a name: `did you mean remap? There are clean, sham, remap`."""
    nearest_choices = nearest(name, choices)
    if len(choices) <= few:
        listing = f"there are {', '.join(choices)}{more}" if choices else "there are none"
    else:
        listing = f"`{command}` lists all {len(choices)}" if command else f"there are {len(choices)}"
    if not nearest_choices:
        return listing
    # If all choices follow anyway, one guess is enough.
    guess = _either(nearest_choices[:1] if len(choices) <= few else nearest_choices)
    return f"did you mean {guess}? {listing.replace('there are', 'There are', 1)}"


def suggestion(name: str, choices: Iterable[str]) -> str:
    """Return `; did you mean remap?` with the nearest choice; an empty text if no choice resembles the name."""
    nearest_choices = nearest(name, choices)
    return f"; did you mean {nearest_choices[0]}?" if nearest_choices else ""


def nearest(name: str, choices: Iterable[str]) -> list[str]:
    """Return up to three choices that resemble `name` or contain it, the nearest first.

    Case is ignored, and an id such as `shop/profile` may be given by its last part.
    """
    name = name[:_LONGEST].lower()
    scores: dict[str, float] = {}
    for choice in choices:
        # Compare also without the site, because a user may omit it, which would lower the ratio.
        words = {choice.lower(), TaskId.read(choice.lower()).short}
        scores[choice] = max(difflib.SequenceMatcher(None, word[:_LONGEST], name).ratio() for word in words)
        if len(name) >= _LEAST and name in choice.lower():
            # Offered after similar spellings.
            scores[choice] = max(scores[choice], _CUTOFF)
    close = [choice for choice, score in scores.items() if score >= _CUTOFF]
    return sorted(close, key=lambda choice: -scores[choice])[:_MOST]


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
