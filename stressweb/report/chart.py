"""Building blocks of a report's charts."""

from collections.abc import Sequence
from itertools import count
from typing import Literal, NamedTuple

from stressweb.analysis.data_table import DataTable
from stressweb.analysis.result_row import ResultRow
from stressweb.report.panels import Spec, plain

Shape = Literal["square", "ring", "dot", "diamond", "cross"]
MARKS: dict[Shape, str] = {"square": "", "ring": "○", "dot": "●", "diamond": "◆", "cross": "✕"}
"""Symbol of each shape in a legend; a square is a patch of colour."""

_AGENTS = 6
"""Number of distinct colours for agents."""


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
    """The numbers of the chart, to copy or save; None if the page shows them in a table anyway."""
    legend: tuple[Key, ...] = ()
    wide: bool = False
    """Whether it takes the whole width of the page."""
    least: int = 0
    """Minimum width in pixels; below it, the chart scrolls."""


def agent_colour(number: int) -> str:
    """Return the colour of an agent, or of another line, by its position."""
    return f"agent-{number % _AGENTS + 1}"


def whiskers(colour: str, above: Sequence[float], below: Sequence[float], thickness: float = 2) -> Spec:
    """Return plotly's error bars: how far each interval reaches above and below its point."""
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
    # For a small range plotly would choose steps of 0.5, and round the labels: 0 1 1 2 2.
    steps = (size * 10**power for power in count() for size in (1, 2, 5))
    return {"range": [0, most], "tick0": 0, "dtick": next(step for step in steps if 4 * step >= most)}
