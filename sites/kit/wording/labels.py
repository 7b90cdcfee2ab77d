"""How a world words things: one wording of each label, drawn from the seed."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from stressweb.core import draws

_MONEY = re.compile(r"\{money\[(\d+)\]\}")
WORD = re.compile(r"\{word\.(\w+)\}")
"""A word of the world in a wording: what its label `word_NAME` says."""
_ALTERNATIVES = re.compile(r"\(([^()|]*(?:\|[^()|]*)+)\)")


def spun(text: str, unit: float) -> str:
    """Return a text with one of each of its alternatives: `(Save|Keep) the (page|list)`.

    `unit` is a draw from 0 to below 1; what an alternative leaves of it decides the next.
    """
    while match := _ALTERNATIVES.search(text):
        choices = match[1].split("|")
        unit *= len(choices)
        text = f"{text[: match.start()]}{choices[int(unit)]}{text[match.end() :]}"
        unit %= 1
    return text


def _with_words(wording: str, drawn: Mapping[str, str]) -> str:
    """Return a wording with the words of its world; one that begins with such a word begins with a capital."""
    begins = WORD.match(wording) is not None
    # Twice, because a word may be made of another: `{word.item}s`.
    for _ in range(2):
        wording = WORD.sub(lambda match: drawn[f"word_{match[1]}"], wording)
    return wording[:1].upper() + wording[1:] if begins else wording


def draw(
    labels: Mapping[str, tuple[str, ...] | str], money: Callable[[int], str], *key: draws.Part
) -> Mapping[str, str]:
    """Return the wording of every label for one world; a label with a single wording does not vary.

    `{money[2000]}` in a wording is the amount, in hundredths, as the world writes it, and `{word.cart}` what the label
    `word_cart` says.
    """
    drawn = {
        # Keyed by the label's name, so adding a label to a spec does not reword the others.
        name: spun(
            wordings if isinstance(wordings, str) else draws.pick(wordings, *key, "label", name),
            draws.unit(*key, "alternatives", name),
        )
        for name, wordings in labels.items()
    }
    drawn = {name: _with_words(wording, drawn) for name, wording in drawn.items()}
    return MappingProxyType(
        # Only amounts are filled in here: they are the same on every page, and other names belong to the request.
        {name: _MONEY.sub(lambda match: money(int(match[1])), wording) for name, wording in drawn.items()}
    )
