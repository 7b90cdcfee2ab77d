"""Heat maps: success, retention and extra steps by site and condition, a panel for each agent, with n in every cell."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from stressweb.analysis.data_table import Field, Value, in_percent, table_of
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import by_agent, measure
from stressweb.analysis.pairing import grouped
from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.wording import percent
from stressweb.core.words import counted
from stressweb.report.chart import Chart, conditions, ordered
from stressweb.report.panels import Panels, Spec, plain

_NARROW = 5
"""Largest number of site names that fit side by side in half the width."""
_ASLANT = 20
"""Height of rotated names in pixels."""
_NAMES, _CELL = 150, 44
"""Width in pixels of the names of conditions, and least width of a cell."""
_WORST, _MIDDLE, _BEST = "var(--heat-0)", "var(--heat-1)", "var(--heat-2)"
_HIGH_IS_GOOD = [[0, _WORST], [0.5, _MIDDLE], [1, _BEST]]
_HIGH_IS_BAD = [[0, _BEST], [0.5, _MIDDLE], [1, _WORST]]

SITES = "sites"
"""Name of the heat map of success by site."""
_FEWEST = 2
"""Fewest episodes or paired tasks for a cell that shows more than a single outcome."""

type Cells = Mapping[tuple[str, str, str], ResultRow]
"""The row of each agent, site and condition."""


class Heat(NamedTuple):
    """One kind of heat map."""

    name: str
    title: str
    caption: str
    fields: tuple[Field, ...]
    """Columns of its table after agent, site and condition."""
    values: Callable[[ResultRow], tuple[Value, ...]]
    """The values of those columns."""
    colour: Callable[[ResultRow], float | None]
    """The value for the colour; None for a cell without data."""
    text: Callable[[ResultRow], str]
    """The text of the cell."""
    scale: list[list[object]]
    lines: int
    """Lines of text in a cell."""
    paired: bool
    """Whether it uses pairs with clean, so that clean itself has no cells."""
    axis: str = "site"
    """The meaning of the columns."""

    def size(self, row: ResultRow) -> int:
        """Return the n of a cell."""
        return row.paired_tasks if self.paired else row.episodes

    def reach(self, values: Sequence[float]) -> tuple[float, float]:
        """Return the ends of the colour scale; for differences, its middle is 0."""
        if self.scale is _HIGH_IS_GOOD:
            # Fixed and not fitted to the values, so that colours are comparable between reports; retention above 100 %
            # counts as 100.
            return 0.0, 100.0
        most = max((abs(value) for value in values), default=0.0) or 1.0
        return -most, most


def _of_site(episode: Graded) -> str:
    return episode.site


def _of_horizon(episode: Graded) -> str:
    return counted(episode.horizon, "task")


_SITES = Heat(
    SITES,
    "Success by site and mode",
    "Episodes that reached the goal, of those that count.",
    (Field("success [%]", 1), Field("successes"), Field("episodes")),
    lambda row: (in_percent(row.success), row.successes, row.episodes),
    lambda row: in_percent(row.success),
    lambda row: f"{row.successes}/{row.episodes}",
    _HIGH_IS_GOOD,
    lines=1,
    paired=False,
)
HORIZONS = _SITES._replace(
    name="horizons",
    title="Success by horizon and condition",
    caption="Episodes of chains that reached the goal, of those that count, by the number of tasks in a chain.",
    axis="horizon",
)
HEATS = (
    _SITES,
    Heat(
        "retention",
        "Retention by site and mode",
        "Success under the condition / success under clean; n: tasks with a pair. Unstable where clean success is low.",
        (Field("retention [%]", 1), Field("difference [points]", 1), Field("paired tasks")),
        lambda row: (in_percent(row.retention), in_percent(row.difference), row.paired_tasks),
        lambda row: in_percent(row.retention),
        lambda row: f"{percent(row.retention)}<br>n={row.paired_tasks}",
        _HIGH_IS_GOOD,
        lines=2,
        paired=True,
    ),
    Heat(
        "extra-steps",
        "Extra steps by site and mode",
        "Mean steps under the condition minus those under clean; n: tasks with a pair. Fewer can mean that it gave up.",
        (Field("extra steps", 2), Field("steps", 2), Field("paired tasks")),
        lambda row: (row.extra_steps, row.steps, row.paired_tasks),
        lambda row: row.extra_steps,
        lambda row: f"{_signed_text(row.extra_steps)}<br>n={row.paired_tasks}",
        _HIGH_IS_BAD,
        lines=2,
        paired=True,
    ),
)


def heat_maps(rows: Sequence[ResultRow], episodes: Sequence[Graded]) -> list[Chart]:
    """Draw every heat map in which at least half of the cells have an n above 1; the rows measure `episodes`."""
    sites = _cells(episodes, _of_site)
    drawn = [_heat_map(heat, rows, *sites) for heat in HEATS]
    if any(episode.horizon > 1 for episode in episodes):
        drawn.append(_heat_map(HORIZONS, rows, *_cells(episodes, _of_horizon)))
    return [chart for chart in drawn if chart]


def _cells(episodes: Sequence[Graded], of: Callable[[Graded], str]) -> tuple[list[str], Cells]:
    """Return the names of the columns and the row of each agent, column and condition."""
    # A horizon has one digit, so sorting by name sorts by number.
    groups = grouped(episodes, of)
    names = sorted(groups)
    return names, {
        (row.agent, name, row.condition): row for name in names for row in measure(groups[name]) if row.episodes
    }


def _heat_map(heat: Heat, rows: Sequence[ResultRow], names: Sequence[str], cells: Cells) -> Chart | None:
    known = {key: row for key, row in cells.items() if not heat.paired or row.paired_tasks}
    labels = [label for label in conditions(rows) if any(label == key[2] for key in known)]
    agents = [agent for agent in by_agent(rows) if any(agent == key[0] for key in known)]
    # Colours for single episodes would look like findings, and the list of episodes has the same data.
    if not known or 2 * sum(heat.size(row) >= _FEWEST for row in known.values()) < len(known):
        return None
    columns = 2 if len(names) <= 2 * _NARROW else 1
    height = 26 if heat.lines == 1 else 36
    panels = Panels(len(agents), columns, body=height * len(labels) + _ASLANT)
    # One scale for all agents, so that a colour means the same in each panel.
    ends = heat.reach([value for row in known.values() if (value := heat.colour(row)) is not None])
    traces: list[Spec] = []
    for number, agent in enumerate(agents):
        grid = [[known.get((agent, site, label)) for site in names] for label in labels]
        traces.append(_trace(heat, names, labels, grid, ends) | panels.axes(number))
        x = {"type": "category", "showgrid": False, "automargin": True}
        panels.place(number, agent, x=x, y=ordered(labels) | {"showgrid": False})
    side_by_side = min(columns, len(agents))
    wide = len(names) * side_by_side > _NARROW
    fields = (Field("agent"), Field(heat.axis), Field("condition"), *heat.fields)
    order = sorted(known, key=lambda key: (agents.index(key[0]), key[1], labels.index(key[2])))
    cell_rows = [(*key, *heat.values(known[key])) for key in order]
    table = table_of(heat.name, heat.title, fields, cell_rows, heat.caption)
    caption = f"{heat.caption} A single {'pair' if heat.paired else 'episode'} is grey."
    spec = {"data": traces, "layout": panels.layout()}
    return Chart(
        heat.name, heat.title, caption, spec, table, wide=wide, least=_NAMES + _CELL * len(names) * side_by_side
    )


def _shade(heat: Heat, row: ResultRow, middle: float) -> float | None:
    """Return the value for a cell's colour; for a single episode, the middle of the scale."""
    value = heat.colour(row)
    return value if value is None or heat.size(row) >= _FEWEST else middle


def _trace(
    heat: Heat,
    names: Sequence[str],
    labels: Sequence[str],
    grid: Sequence[Sequence[ResultRow | None]],
    ends: tuple[float, float],
) -> Spec:
    middle = sum(ends) / 2
    return {
        "zmin": ends[0],
        "zmax": ends[1],
        "type": "heatmap",
        "x": [plain(site) for site in names],
        "y": [plain(label) for label in labels],
        "z": [[_shade(heat, row, middle) if row else None for row in line] for line in grid],
        "text": [[heat.text(row) if row else "–" for row in line] for line in grid],
        "texttemplate": "%{text}",
        "xgap": 2,
        "ygap": 2,
        "showscale": False,
        "colorscale": heat.scale,
        "textfont": {"color": "var(--ink)", "size": 11},
        "hovertemplate": "%{y}, %{x}: %{text}<extra></extra>",
    }


def _signed_text(steps: float | None) -> str:
    return "–" if steps is None else f"{steps:+.1f}".replace("-", "−")
