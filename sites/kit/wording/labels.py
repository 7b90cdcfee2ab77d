"""The wording of a world: one wording of each label, drawn from the seed."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from stressweb.core import draws
from stressweb.sites.kit.wording.capitals import capitalized

_MONEY = re.compile(r"\{money\[(\d+)\]\}")
WORD = re.compile(r"\{word\.(\w+)\}")
"""A placeholder in a wording for the wording of the label `word_NAME`."""
_ALTERNATIVES = re.compile(r"\(([^()|]*(?:\|[^()|]*)+)\)")


def spun(text: str, unit: float) -> str:
    """Return a text with one alternative chosen in each group, such as `(Save|Keep) the (page|list)`.

    `unit` is a draw from 0 to below 1; each choice uses a part of it, and the rest decides the next one.
    """
    while match := _ALTERNATIVES.search(text):
        choices = match[1].split("|")
        unit *= len(choices)
        text = f"{text[: match.start()]}{choices[int(unit)]}{text[match.end() :]}"
        unit %= 1
    return text


def _with_words(wording: str, drawn: Mapping[str, str]) -> str:
    """Return a wording with each `{word.NAME}` filled in; if it begins with one, capitalise its first letter."""
    begins = WORD.match(wording) is not None
    # Twice, because a word may contain another: `{word.item}s`.
    for _ in range(2):
        wording = WORD.sub(lambda match: drawn[f"word_{match[1]}"], wording)
    return capitalized(wording) if begins else wording


def draw(
    labels: Mapping[str, tuple[str, ...] | str], money: Callable[[int], str], *key: draws.Part
) -> Mapping[str, str]:
    """Return the wording of every label for one world; a label with a single wording does not vary.

    In a wording, `{money[2000]}` becomes the amount, given in hundredths, as the world writes it, and `{word.cart}`
    becomes the wording of the label `word_cart`.
    """
    drawn = {
        # The label's name is in the key, so that adding a label does not change the wording of others.
        name: spun(
            wordings if isinstance(wordings, str) else draws.pick(wordings, *key, "label", name),
            draws.unit(*key, "alternatives", name),
        )
        for name, wordings in labels.items()
    }
    drawn = {name: _with_words(wording, drawn) for name, wording in drawn.items()}
    return MappingProxyType(
        # Fill in only amounts here, which are the same on every page; other names depend on the request.
        {name: _MONEY.sub(lambda match: money(int(match[1])), wording) for name, wording in drawn.items()}
    )
