"""How a world words things: one wording of each label, drawn from the seed."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from stressweb.core import draws

_MONEY = re.compile(r"\{money\[(\d+)\]\}")


def draw(
    labels: Mapping[str, tuple[str, ...] | str], money: Callable[[int], str], *key: draws.Part
) -> Mapping[str, str]:
    """Return the wording of every label for one world; a label with a single wording does not vary.

    `{money[2000]}` in a wording is the amount, in hundredths, as the world writes it.
    """
    drawn = {
        # Keyed by the label's name, so adding a label to a spec does not reword the others.
        name: wordings if isinstance(wordings, str) else draws.pick(wordings, *key, "label", name)
        for name, wordings in labels.items()
    }
    return MappingProxyType(
        # Only amounts are filled in here: they are the same on every page, and other names belong to the request.
        {name: _MONEY.sub(lambda found: money(int(found[1])), wording) for name, wording in drawn.items()}
    )
