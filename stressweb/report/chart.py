"""What every chart of a report is made of."""

from collections.abc import Sequence
from itertools import count
from typing import Literal, NamedTuple

from stressweb.analysis.data_table import DataTable
from stressweb.analysis.result_row import ResultRow
from stressweb.report.panels import Spec, plain

Shape = Literal["square", "ring", "dot", "diamond", "cross"]
MARKS: dict[Shape, str] = {"square": "", "ring": "○", "dot": "●", "diamond": "◆", "cross": "✕"}
"""What a legend shows for a shape; a square is all colour."""

_AGENTS = 6
"""Agents that have a colour of their own."""


class Key(NamedTuple):
    """An entry of a legend."""

    label: str
    colour: str
    """Name in the style sheet."""
    shape: Shape = "square"


class Chart(NamedTuple):
    """One figure."""

    name: str
    title: str
    caption: str
    spec: Spec
    """Data and layout, as plotly reads them; `var(--name)` is a colour of the style sheet."""
    table: DataTable | None = None
    """The numbers that it shows, which readers can copy or save; None where the page itself has them in a table."""
    legend: tuple[Key, ...] = ()
    wide: bool = False
    """Whether it has the whole width of the page."""
    least: int = 0
    """Pixels of width below which it is scrolled."""


def agent_colour(number: int) -> str:
    """Return the colour of an agent by its place among those of the run, or of anything else that a line stands for."""
    return f"agent-{number % _AGENTS + 1}"


def whiskers(colour: str, above: Sequence[float], below: Sequence[float], thickness: float = 2) -> Spec:
    """Return the lines of intervals: how far each reaches above and below its point, in a colour of the style sheet."""
    return {
        "type": "data",
        "symmetric": False,
        "array": list(above),
        "arrayminus": list(below),
        "color": f"var(--{colour})",
        "thickness": thickness,
        "width": 0,
    }


def conditions(rows: Sequence[ResultRow]) -> list[str]:
    """Return every condition once, in the order in which they come."""
    return list(dict.fromkeys(row.condition for row in rows))


def ordered(names: Sequence[str]) -> Spec:
    """Return an axis with these names from top to bottom."""
    labels = [plain(name) for name in names]
    return {"type": "category", "categoryorder": "array", "categoryarray": labels, "autorange": "reversed"}


def counts(most: int) -> Spec:
    """Return an axis from 0 to `most`, a whole number, with at most five ticks: each is another whole number."""
    # Plotly would choose steps of 0.5 for a small range, and write each tick without its fraction: 0 1 1 2 2.
    steps = (size * 10**power for power in count() for size in (1, 2, 5))
    return {"range": [0, most], "tick0": 0, "dtick": next(step for step in steps if 4 * step >= most)}
