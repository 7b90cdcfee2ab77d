"""The paired plot: every task under clean and under each condition."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from stressweb.analysis.data_table import Field, Value, table_of
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import by_agent
from stressweb.analysis.pairing import Means, Pair, paired
from stressweb.analysis.result_row import ResultRow
from stressweb.report.chart import Chart, Key, Shape, ordered
from stressweb.report.panels import Panels, Spec, plain

_COLUMNS = 6
_LABELS, _PANEL = 200, 125
"""Width in pixels of the names of tasks, and least width of a panel."""
_SYMBOLS: dict[Shape, tuple[str, int]] = {
    "ring": ("circle-open", 10), "dot": ("circle", 8), "diamond": ("diamond", 8), "cross": ("x", 7),
}  # fmt: skip
"""plotly's name of a shape, and its size in pixels."""


class End(NamedTuple):
    """One kind of mark."""

    key: Key
    arm: int
    """0: clean, 1: the condition."""
    fits: Callable[[Means], bool]


ENDS = (
    End(Key("clean", "dim", "ring"), 0, lambda mean: True),
    End(Key("succeeded", "good", "dot"), 1, lambda mean: mean.success == 1),
    End(Key("sometimes", "warn", "diamond"), 1, lambda mean: 0 < mean.success < 1),
    End(Key("failed", "bad", "cross"), 1, lambda mean: mean.success == 0),
)

FIELDS = (
    Field("condition"), Field("task"), Field("checkpoints, clean [%]", 1), Field("success, clean [%]", 1),
    Field("checkpoints [%]", 1), Field("success [%]", 1),
)  # fmt: skip
"""Columns of its table, about the condition unless they mention clean."""


def pairs(rows: Sequence[ResultRow], episodes: Sequence[Graded]) -> list[Chart]:
    """Draw every task clean and under each condition: a figure for each agent, a panel for each condition."""
    figures: list[Chart] = []
    for agent, own in by_agent(rows).items():
        mine = [episode for episode in episodes if episode.agent == agent]
        # A condition without any pair would be an empty panel.
        labels = [row.condition for row in own if row.condition != "clean" and row.paired_tasks]
        if labels:
            figures.append(_pair_chart(len(figures), agent, labels, mine))
    return figures


def _pair_chart(number: int, agent: str, labels: Sequence[str], episodes: Sequence[Graded]) -> Chart:
    tasks = sorted({episode.task for episode in episodes})
    panels = Panels(len(labels), _COLUMNS, body=17 * len(tasks))
    traces: list[Spec] = []
    rows: list[tuple[Value, ...]] = []
    for place, label in enumerate(labels):
        pairs_by_task = {task: pair for task in tasks if (pair := _pair(task, label, episodes))}
        traces += [_links(pairs_by_task, panels.axes(place)), *_ends(pairs_by_task, panels.axes(place))]
        axis = {"range": [-6, 106], "tickvals": [0, 50, 100], "ticktext": ["0", "50", "100 %"], "tickangle": 0}
        panels.place(place, label, x=axis, y=ordered(tasks))
        rows += [(label, task, *_numbers(pair)) for task, pair in pairs_by_task.items()]
    caption = "Checkpoints that held, for each task: the ring is clean, the filled mark is the condition."
    title = f"Clean against perturbed: {agent}"
    spec = {"data": traces, "layout": panels.layout()}
    least = _LABELS + _PANEL * min(len(labels), _COLUMNS)
    table = table_of(f"pairs-{number}", title, FIELDS, rows, "Means over the episodes of each task.")
    return Chart(f"pairs-{number}", title, caption, spec, table, tuple(end.key for end in ENDS), wide=True, least=least)


def _numbers(pair: Pair) -> tuple[float, ...]:
    return tuple(100 * share for mean in pair for share in (mean.checkpoints, mean.success))


def _pair(task: str, label: str, episodes: Sequence[Graded]) -> Pair | None:
    arms = [
        [episode for episode in episodes if episode.task == task and episode.condition == name]
        for name in ("clean", label)
    ]
    task_pairs = paired(*arms)
    return task_pairs[0] if task_pairs else None


def _links(pairs_by_task: Mapping[str, Pair], axes: Mapping[str, str]) -> Spec:
    """Return the lines from clean to perturbed, separated by None."""
    ends = [(task, mean) for task, pair in pairs_by_task.items() for mean in (*pair, None)]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [None if mean is None else 100 * mean.checkpoints for _, mean in ends],
        "y": [None if mean is None else plain(task) for task, mean in ends],
        "line": {"color": "var(--quiet)", "width": 2},
        "hoverinfo": "skip",
        **axes,
    }


def _ends(pairs_by_task: Mapping[str, Pair], axes: Mapping[str, str]) -> list[Spec]:
    traces: list[Spec] = []
    for end in ENDS:
        means = {task: pair[end.arm] for task, pair in pairs_by_task.items() if end.fits(pair[end.arm])}
        symbol, size = _SYMBOLS[end.key.shape]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [100 * mean.checkpoints for mean in means.values()],
                "y": [plain(task) for task in means],
                "marker": {"symbol": symbol, "size": size, "color": f"var(--{end.key.colour})"},
                "cliponaxis": False,
                "hovertemplate": f"%{{y}}: %{{x:.0f}} %<extra>{end.key.label}</extra>",
                **axes,
            }
        )
    return traces
