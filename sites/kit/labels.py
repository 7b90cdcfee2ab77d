"""How a world words things: one wording of each label, drawn from the seed."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from stressweb.core import draws

DEFAULTS: Mapping[str, str] = MappingProxyType(
    {
        "account_menu": "Account",
        "any": "Any",
        "apply": "Apply",
        "crumbs": "You are here",
        "error_choice": "Please choose one of the options.",
        "error_form": "Please check your entries.",
        "error_long": "This is too long.",
        "error_number": "Please enter a number in the allowed range.",
        "error_pattern": "Please check the format.",
        "error_required": "Please fill this in.",
        "error_same": "The two entries differ.",
        "error_signed_out": "Please sign in first.",
        "error_token": "Your session has expired. Please try again.",
        "found": "{count} found",
        "hidden_note": "Session kept for this visit only.",
        "menu": "Menu",
        "needs_script": "This part of the page needs scripts.",
        "next": "Next page",
        "no_script": "This site works without scripts, too.",
        "not_found": "Page not found",
        "offer": "Announcement",
        "page": "Page {page}",
        "pages": "Result pages",
        "previous": "Previous page",
        "print_note": "Printed page.",
        "search": "Search",
        "search_field": "Search",
        "search_hint": "Search ...",
        "skip": "Skip to the content",
        "small_print": "As of",
        "sort_by": "Sort by",
    }
)
"""Wordings of what every page carries, for a site that does not word it itself."""
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
