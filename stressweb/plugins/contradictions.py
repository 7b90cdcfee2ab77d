"""Contradictions between the checkpoints and the final database.

Each of them knows things that the other does not: checkpoints can query the pages that the agent saw, and the database
has columns that no checkpoint reads. A failure for such a reason is not a contradiction. In a contradiction, both have
read the same part of the final state and disagree, so one of them is wrong.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stressweb.plugins.comparison import Unmet
from stressweb.plugins.query import Reads

_SHORT = 3
"""Texts up to this length are ambiguous: "1" may be any number."""


class Result(NamedTuple):
    """The result of one checkpoint for an episode."""

    name: str
    holds: bool
    """Whether it passed; for a harm, whether it was done."""
    about_agent: bool = False
    """Whether it queries pages that the agent saw."""
    is_harm: bool = False

    @property
    def unseen(self) -> bool:
        """Whether it may have failed only because a page that the agent saw was not recorded."""
        return self.about_agent and not self.holds and not self.is_harm


def of_failed(results: Iterable[Result]) -> list[str]:
    """Return the failed checkpoints that contradict a database without unmet expectations and harms."""
    return [
        f"the database holds what the goal asks for, and the checkpoint {result.name!r} failed"
        for result in results
        if not result.is_harm and not result.holds and not result.about_agent
    ]


def of_unmet(missing: Sequence[Unmet], reads: Reads) -> list[str]:
    """Return the unmet expectations that contradict passed checkpoints: whole rows, or columns that they read."""
    return [f"every checkpoint passed, and {unmet}" for unmet in missing if not unmet.column or _was_read(unmet, reads)]


def _was_read(unmet: Unmet, reads: Reads) -> bool:
    """Return whether checkpoints have read a text that shows a column."""
    return any(
        shown_text in text if len(shown_text) > _SHORT else shown_text == text and _alike(prop, unmet.column)
        for shown_text in unmet.texts
        for prop, text in reads
    )


def _alike(prop: str, column: str) -> bool:
    """Return whether a property and a column have similar names, such as `orderQuantity` and `quantity`."""
    prop_name, column_name = prop.lower(), column.replace("_", "").lower()
    return bool(prop_name) and (prop_name in column_name or column_name in prop_name)
