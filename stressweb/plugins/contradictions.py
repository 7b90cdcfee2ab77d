"""In what the checkpoints and the final database contradict each other.

Each of them sees things that the other one does not: checkpoints see what the agent looked at, and the database has
columns that no page was asked for. An episode that fails for such a thing is no contradiction. A contradiction is about
something that both have looked at, the state of the site at the end, and shows that one of the two is wrong.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stressweb.plugins.comparison import Unmet
from stressweb.plugins.query import Reads

_SHORT = 3
"""Characters up to which a text says nothing by itself: "1" may be a number of anything."""


class Result(NamedTuple):
    """What one checkpoint says of an episode."""

    name: str
    holds: bool
    """Whether it has passed; of a harm, whether it was done."""
    about_agent: bool = False
    """Whether it asks what the agent saw, which no database shows."""
    is_harm: bool = False

    @property
    def unseen(self) -> bool:
        """Whether it may have failed only because a page that the agent saw is not in the recording."""
        return self.about_agent and not self.holds and not self.is_harm


def of_failed(results: Iterable[Result]) -> list[str]:
    """Return the checkpoints that contradict a database which holds all that the goal asks for, and no harm."""
    return [
        f"the database holds what the goal asks for, and the checkpoint {result.name!r} failed"
        for result in results
        if not result.is_harm and not result.holds and not result.about_agent
    ]


def of_unmet(missing: Sequence[Unmet], reads: Reads) -> list[str]:
    """Return what contradicts checkpoints that have all passed: what they have `read` of the evidence, or a whole row.

    A column that no checkpoint has read is the database's matter alone.
    """
    return [f"every checkpoint passed, and {unmet}" for unmet in missing if not unmet.column or _was_read(unmet, reads)]


def _was_read(unmet: Unmet, reads: Reads) -> bool:
    """Return whether checkpoints have read what a page shows of a column."""
    return any(
        wanted in text if len(wanted) > _SHORT else wanted == text and _alike(prop, unmet.column)
        for wanted in unmet.texts
        for prop, text in reads
    )


def _alike(prop: str, column: str) -> bool:
    """Return whether a property bears the name of a column: `orderQuantity` and `quantity`."""
    shown_name, column_name = prop.lower(), column.replace("_", "").lower()
    return bool(shown_name) and (shown_name in column_name or column_name in shown_name)
