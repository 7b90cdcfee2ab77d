"""The charts of the nights: changes since the baseline, sums that raise an alarm, and each condition alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from stressweb.analysis import cusum
from stressweb.analysis.comparison import Line
from stressweb.analysis.data_table import in_percent
from stressweb.analysis.nights import AgentNight, Night
from stressweb.report.chart import Chart, Key, Shape, agent_colour, whiskers
from stressweb.report.panels import Panels, Spec, plain

_BODY = 190
"""Height of a plot in pixels."""


class Point(NamedTuple):
    """One night of one agent."""

    night: Night
    agent_night: AgentNight


def charts(nights: Sequence[Night]) -> list[Chart]:
    """Return the figures of the agents that were compared; none while there are only baselines."""
    points = [Point(night, agent_night) for night in nights for agent_night in night.agents if agent_night.robustness]
    # By the baseline's name: an agent that is renamed with every version is still one line.
    agents = list(dict.fromkeys(point.agent_night.baseline for point in points))
    figures = []
    for number, agent in enumerate(agents):
        own = [point for point in points if point.agent_night.baseline == agent]
        suffix = f" of {agent}" if len(agents) > 1 else ""
        figures += [_changes(number, suffix, own), _sums(number, suffix, own)]
        if any(len(point.agent_night.by_condition) > 1 for point in own):
            figures.append(_conditions(number, suffix, own))
    return figures


def _changes(number: int, suffix: str, points: Sequence[Point]) -> Chart:
    # Both lines are shifted slightly from the night, so that their whiskers do not overlap.
    clean = _line("clean", "agent-2", points, lambda point: _change(point.agent_night.clean), shift=0.12)
    clean["error_y"] = _whiskers("agent-2", [point.agent_night.clean for point in points])
    clean["marker"] |= {"symbol": "diamond"}
    robustness = _line(
        "robustness", "agent-1", points, lambda point: _change(point.agent_night.robustness), shift=-0.12
    )
    robustness["error_y"] = _whiskers("agent-1", [point.agent_night.robustness for point in points])
    alarms = [point for point in points if point.agent_night.outcome == "regressed"]
    rings = [
        _rings(alarms, lambda agent_night: agent_night.robustness, -0.12),
        _rings(alarms, lambda agent_night: agent_night.clean, 0.12),
    ]
    legend = [Key("robustness", "agent-1", "dot"), Key("clean", "agent-2", "diamond")]
    legend += [Key("regressed", "bad", "ring")] if alarms else []
    caption = "Tonight minus the baseline, in percentage points; lines: 95 % intervals over tasks."
    y = {"ticksuffix": "", "nticks": 7, "zeroline": True, "zerolinecolor": "var(--quiet)"}
    return _chart(
        f"changes-{number}", f"Change since the baseline{suffix}", caption, [robustness, clean, *rings], y, legend
    )


def _sums(number: int, suffix: str, points: Sequence[Point]) -> Chart:
    highest = _line("highest", "agent-1", points, lambda point: point.agent_night.highest_sum)
    # An alarm resets the sum, so the line begins anew.
    highest["mode"] = "lines+markers"
    limit: Spec = {
        "type": "scatter",
        "mode": "lines",
        "x": [points[0].night.number - 0.5, points[-1].night.number + 0.5],
        "y": [cusum.THRESHOLD] * 2,
        "line": {"color": "var(--bad)", "width": 1.5, "dash": "dash"},
        "hoverinfo": "skip",
    }
    legend = [Key("higher of both sums", "agent-1", "dot"), Key(f"threshold {cusum.THRESHOLD:g}", "bad")]
    caption = "What nights fall short by, added up; the higher of robustness and clean, reruns included."
    y = {"rangemode": "tozero", "nticks": 6}
    return _chart(f"sums-{number}", f"Sum over nights{suffix}", caption, [highest, limit], y, legend)


def _conditions(place: int, suffix: str, points: Sequence[Point]) -> Chart:
    labels = list(dict.fromkeys(label for point in points for label in point.agent_night.by_condition))
    shapes: Sequence[Shape] = ("dot", "diamond", "square", "cross")
    traces, legend = [], []
    for number, label in enumerate(labels):
        colour, shape = agent_colour(number), shapes[number % len(shapes)]
        shift = 0.1 * (number - (len(labels) - 1) / 2)
        trace = _line(label, colour, points, _under(label), shift=shift)
        trace["marker"] |= {"symbol": {"dot": "circle", "cross": "x"}.get(shape, shape)}
        traces.append(trace)
        legend.append(Key(label, colour, shape))
    caption = "Change of robustness under each condition alone. Exploratory: nothing is tested here."
    y = {"nticks": 7, "zeroline": True, "zerolinecolor": "var(--quiet)"}
    return _chart(f"conditions-{place}", f"By condition{suffix}", caption, traces, y, legend)._replace(wide=True)


def _rings(alarms: Sequence[Point], line: Callable[[AgentNight], Line | None], shift: float) -> Spec:
    """Return a ring around each line of a regressed night that shows a decline."""
    # An alarm may concern only one line, and a ring around the other would be wrong.
    seen = [point for point in alarms if (_change(line(point.agent_night)) or 0) < 0]
    trace = _line("regressed", "bad", seen, lambda point: _change(line(point.agent_night)), shift=shift)
    trace["marker"] = {"color": "var(--bad)", "size": 15, "symbol": "circle-open", "line": {"width": 2}}
    return trace


def _under(label: str) -> Callable[[Point], float | None]:
    return lambda point: in_percent(point.agent_night.by_condition.get(label))


def _line(
    name: str, colour: str, points: Sequence[Point], value: Callable[[Point], float | None], shift: float = 0.0
) -> Spec:
    """Return a line with a marker for each night."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [point.night.number + shift for point in points],
        "y": [value(point) for point in points],
        "text": [
            f"night {point.night.number}, {point.night.date}: {plain(point.agent_night.agent)}" for point in points
        ],
        "marker": {"color": f"var(--{colour})", "size": 8},
        "line": {"color": f"var(--{colour})", "width": 1.5},
        # Markers on the edge of the plot would be cut in half.
        "cliponaxis": False,
        "hovertemplate": f"{plain(name)} %{{y:.1f}}<br>%{{text}}<extra></extra>",
    }


def _whiskers(colour: str, lines: Sequence[Line | None]) -> Spec:
    ends = [(line.change, line.interval) if line else (None, None) for line in lines]
    above = [100 * (end.high - change) if end and change is not None else 0 for change, end in ends]
    lower_ends = [100 * (change - end.low) if end and change is not None else 0 for change, end in ends]
    return whiskers(colour, above, lower_ends, thickness=1.5)


def _change(line: Line | None) -> float | None:
    return None if line is None else in_percent(line.change)


def _chart(
    name: str, title: str, caption: str, traces: Sequence[Spec], y: Mapping[str, object], legend: Sequence[Key]
) -> Chart:
    panels = Panels(1, 1, body=_BODY)
    numbers = [x for trace in traces for x in trace["x"]]
    x: Spec = {"tickformat": "d", "nticks": 10, "range": [min(numbers) - 0.4, max(numbers) + 0.4]}
    # With few nights plotly would add ticks between them.
    if max(numbers) - min(numbers) < 12:
        x |= {"dtick": 1}
    panels.place(0, "", x=x | {"title": {"text": "night", "standoff": 4}}, y=dict(y))
    layout = panels.layout()
    # Space for the name of the axis, which charts with several panels do not have.
    layout["margin"] = {**layout["margin"], "b": 44}
    layout["height"] += 14
    return Chart(name, title, caption, {"data": list(traces), "layout": layout}, legend=tuple(legend))
