"""Charts of stacked bars: episodes by outcome, a panel for each agent."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from stressweb.analysis.data_table import Field, Value, table_of
from stressweb.analysis.measures import by_agent
from stressweb.analysis.result_row import ResultRow
from stressweb.report.chart import Chart, Key, conditions, counts, ordered
from stressweb.report.panels import Panels, Spec, plain

_ROW = 26
"""Height of a bar and its gap in pixels."""


class Stack(NamedTuple):
    """One segment of every bar."""

    label: str
    colour: str
    """Name in the style sheet."""
    count: Callable[[ResultRow], int]
    """Returns the number of a row's episodes in this segment."""


def stacked(name: str, title: str, caption: str, rows: Sequence[ResultRow], stacks: Sequence[Stack]) -> Chart:
    """Draw a bar for each row, made of `stacks` from left to right."""
    agents = by_agent(rows)
    panels = Panels(len(agents), 3, body=_ROW * len(conditions(rows)))
    traces: list[Spec] = [
        {
            "type": "bar",
            "orientation": "h",
            "y": [plain(row.condition) for row in own],
            "x": [stack.count(row) for row in own],
            # Otherwise a missing segment would be labelled 0.
            "text": [str(stack.count(row) or "") for row in own],
            "textposition": "inside",
            "textangle": 0,
            "insidetextanchor": "middle",
            "insidetextfont": {"color": "var(--panel)"},
            "marker": {"color": f"var(--{stack.colour})"},
            "hovertemplate": f"%{{y}}: %{{x}} {stack.label}<extra></extra>",
            **panels.axes(place),
        }
        for place, own in enumerate(agents.values())
        for stack in stacks
    ]
    most = max(row.episodes for row in rows)
    for place, agent in enumerate(agents):
        panels.place(place, agent, x=counts(most), y=ordered(conditions(rows)))
    fields = (Field("agent"), Field("condition"), *(Field(stack.label) for stack in stacks))
    numbers: list[tuple[Value, ...]] = [
        (row.agent, row.condition, *(stack.count(row) for stack in stacks)) for row in rows
    ]
    legend = tuple(Key(stack.label, stack.colour) for stack in stacks)
    spec = {"data": traces, "layout": {**panels.layout(), "barmode": "stack"}}
    return Chart(name, title, caption, spec, table_of(name, title, fields, numbers), legend)
