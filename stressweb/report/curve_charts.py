"""Charts of curves: success by severity, tolerated severity, interactions, and success against steps."""

from collections.abc import Iterable, Iterator, Sequence

from stressweb.analysis.curves.dose import DoseResponse
from stressweb.analysis.curves.estimands import Intervals
from stressweb.analysis.curves.interaction import Interaction
from stressweb.analysis.curves.measured import Curves
from stressweb.analysis.curves.steps import StepsCurve
from stressweb.analysis.curves.tolerance import FLOOR, Severity, SeverityInterval
from stressweb.analysis.data_table import Field, Value, ends_in_percent, in_percent, table_of
from stressweb.analysis.pairing import grouped
from stressweb.analysis.statistics import Interval
from stressweb.analysis.wording import percent, points
from stressweb.report.chart import Chart, Key, agent_colour, ordered, whiskers
from stressweb.report.panels import Panels, Spec, plain
from stressweb.report.share_panels import SEVERITY_AXIS, in_panels, severity_line
from stressweb.report.tester_charts import false_alarms

_ROW = 30
"""Height of a row of dots in pixels."""
_SYMBOLS = {"at": "circle", "above": "triangle-right", "below": "triangle-left"}
_ENDS = ("these sites, low", "these sites, high")


def curve_charts(curves: Curves, agents: Sequence[str]) -> list[Chart]:
    """Return the charts for which a run has data.

    `agents` are all agents in the order of the other charts, so that their colours agree.
    """
    tolerances = [curve for curve in curves.dose_responses if curve.tolerance]
    graded = any(len(curve.points) > 1 for curve in curves.dose_responses)
    graded_alarms = any(sum(point.severity > 0 for point in curve.points) > 1 for curve in curves.alarms)
    drawn = (
        dose_response(curves.dose_responses, agents) if graded else None,
        false_alarms(curves.alarms, agents) if graded_alarms else None,
        tolerance(tolerances, agents) if tolerances else None,
        interactions(curves.interactions, agents) if curves.interactions else None,
        steps(curves.steps, agents) if any(curve.steps for curve in curves.steps) else None,
    )
    return [chart for chart in drawn if chart]


def dose_response(curves: Sequence[DoseResponse], agents: Sequence[str]) -> Chart:
    """Draw success by severity: a panel for each mode, a line for each agent, its band shaded."""
    modes = grouped(curves, lambda curve: curve.mode)
    drawing = in_panels(
        {
            mode: [trace for curve in own for trace in _dose(curve, agent_colour(agents.index(curve.agent)))]
            for mode, own in modes.items()
        },
        SEVERITY_AXIS,
    )
    caption = (
        "Share of tasks solved at each severity; 0 is clean. Shaded: 95 % band of the difference to clean, for all"
        " severities together and other tasks of these sites."
    )
    lost = [f"{curve.agent} {label} ({why})" for curve in curves for label, why in curve.left_out.items()]
    if lost:
        caption += f" Not drawn: {', '.join(lost)}."
    fields = (
        Field("agent"), Field("mode"), Field("severity"), Field("tasks"), Field("episodes"), Field("success [%]", 1),
        Field("clean [%]", 1), Field("difference [points]", 1), *(Field(f"band, {end}", 1) for end in _ENDS),
        *(Field(f"pointwise, {end}", 1) for end in _ENDS), Field("pointwise, new sites, low", 1),
        Field("pointwise, new sites, high", 1), Field("retention [%]", 1),
    )  # fmt: skip
    title = "Success by severity"
    table = table_of("dose-response", title, fields, _dose_rows(curves), caption)
    return Chart(
        "dose-response", title, caption, table=table, legend=_legend(agents, curves), **drawing._asdict()
    )  # fmt: skip


def tolerance(curves: Sequence[DoseResponse], agents: Sequence[str]) -> Chart:
    """Draw the tolerated severity of each agent for each mode; an arrow means beyond the severities that were run."""
    modes = list(dict.fromkeys(curve.mode for curve in curves))
    rows = [(curve, curve.tolerance.severity, curve.tolerance) for curve in curves if curve.tolerance]
    traces = []
    for agent in agents:
        own = [row for row in rows if row[0].agent == agent]
        if own:
            intervals = [both.these_sites for _, _, both in own]
            ends = [
                (severity.value, *_span(severity, interval))
                for (_, severity, _), interval in zip(own, intervals, strict=True)
            ]
            trace = _dots(agents.index(agent), [curve.mode for curve, _, _ in own], ends)
            trace["marker"] |= {"symbol": [_SYMBOLS[severity.side] for _, severity, _ in own]}
            texts = [
                f"{severity}{_interval_text(interval)}"
                for (_, severity, _), interval in zip(own, intervals, strict=True)
            ]
            traces.append(trace | {"text": texts, "hovertemplate": f"%{{y}}: %{{text}}<extra>{plain(agent)}</extra>"})
    caption = (
        f"Severity at which retention falls below {percent(FLOOR)}, with 95 % intervals for other tasks of these sites."
        " A triangle: it lies beyond the severities that were run. A line over all severities: it is not determined."
    )
    title = "Tolerated severity"
    fields = (
        Field("agent"), Field("mode"), Field("tolerance"), Field("these sites, low"), Field("these sites, high"),
        Field("new sites, low"), Field("new sites, high"), Field("tasks"),
    )  # fmt: skip
    numbers = [
        (
            curve.agent,
            curve.mode,
            str(severity),
            *_interval_ends(both.these_sites),
            *_interval_ends(both.new_sites),
            curve.tasks,
        )
        for curve, severity, both in rows
    ]
    table = table_of("tolerance", title, fields, numbers, caption)
    x = {"range": [-0.1, 5.3], "tickvals": [0, 1, 2, 3, 4, 5]}
    spec = {"data": traces, "layout": _dot_layout(modes, len(traces), x)}
    return Chart("tolerance", title, caption, spec, table, _legend(agents, curves))


def interactions(pairs: Sequence[Interaction], agents: Sequence[str]) -> Chart:
    """Draw how far the joint difference of two modes is from the sum of their single differences."""
    labels = list(dict.fromkeys(pair.condition for pair in pairs))
    traces = []
    for agent in agents:
        own = [pair for pair in pairs if pair.agent == agent]
        if own:
            ends = [(100 * pair.interaction, *_points(pair.intervals.these_sites, pair.interaction)) for pair in own]
            trace = _dots(agents.index(agent), [pair.condition for pair in own], ends)
            texts = [points(pair.interaction) for pair in own]
            traces.append(trace | {"text": texts, "hovertemplate": f"%{{y}}: %{{text}}<extra>{plain(agent)}</extra>"})
    caption = (
        "Difference of both modes together minus the sum of their single differences, in percentage points; left of 0"
        " both cost more than the sum. Lines: 95 % intervals for other tasks of these sites."
    )
    title = "Interaction of modes"
    fields = (
        Field("agent"), Field("condition"), Field("tasks"), Field("together [points]", 1),
        Field("first alone [points]", 1), Field("second alone [points]", 1), Field("interaction [points]", 1),
        *(Field(end, 1) for end in _ENDS), Field("new sites, low", 1), Field("new sites, high", 1), Field("p", 4),
        Field("adjusted p", 4),
    )  # fmt: skip
    numbers = [_interaction_row(pair) for pair in pairs]
    table = table_of("interactions", title, fields, numbers, caption)
    x = {"ticksuffix": "", "nticks": 7, "zeroline": True, "zerolinecolor": "var(--dim)"}
    spec = {"data": traces, "layout": _dot_layout(labels, len(traces), x)}
    return Chart("interactions", title, caption, spec, table, _legend(agents, pairs))


def steps(curves: Sequence[StepsCurve], agents: Sequence[str]) -> Chart:
    """Draw the share of tasks solved within a number of steps: a panel for each condition, a line for each agent."""
    labels = grouped(curves, lambda curve: curve.condition)
    most = max((max(curve.steps, default=0) for curve in curves), default=1)
    drawing = in_panels(
        {
            label: [_steps_line(curve, agent_colour(agents.index(curve.agent)), most) for curve in own]
            for label, own in labels.items()
        },
        {"range": [0, most + 0.5], "nticks": 6},
    )
    caption = (
        "Share of tasks solved within so many steps. A line ends where an episode used up its steps, which might have"
        " succeeded later."
    )
    title = "Success against steps"
    fields = (
        Field("agent"), Field("condition"), Field("tasks"), Field("steps"), Field("success [%]", 1),
        *(Field(end, 1) for end in _ENDS), Field("new sites, low", 1), Field("new sites, high", 1),
    )  # fmt: skip
    numbers = [
        (curve.agent, curve.condition, curve.tasks, step, 100 * share, *_both(intervals))
        for curve in curves
        for step, share, intervals in zip(curve.steps, curve.success, curve.intervals, strict=True)
    ]
    table = table_of("success-steps", title, fields, numbers, caption)
    return Chart(
        "success-steps", title, caption, table=table, legend=_legend(agents, curves), **drawing._asdict()
    )  # fmt: skip


def _steps_line(curve: StepsCurve, colour: str, most: int) -> Spec:
    # Only as far as the curve is known: a capped episode might have succeeded later.
    end = most if curve.known_to is None else min(most, curve.known_to)
    last = curve.success[-1] if curve.success else 0.0
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [0, *curve.steps, end],
        "y": [0.0, *(100 * share for share in curve.success), 100 * last],
        "line": {"color": f"var(--{colour})", "width": 2, "shape": "hv"},
        "hovertemplate": f"%{{x}} steps: %{{y:.0f}} %<extra>{plain(curve.agent)}</extra>",
    }


def _dose(curve: DoseResponse, colour: str) -> Iterator[Spec]:
    """Yield the band of a curve and the curve itself, which begins at clean."""
    start = curve.points[0].clean if curve.clean is None else curve.clean
    banded = [(point.severity, point.clean, point.band.these_sites) for point in curve.points]
    # The band is that of the difference to clean, so it has no width at clean.
    upper = [(0, start), *((severity, clean + band.high) for severity, clean, band in banded if band)]
    lower = [(0, start), *((severity, clean + band.low) for severity, clean, band in banded if band)]
    if len(upper) > 1:
        outline = [*upper, *reversed(lower)]
        yield {
            "type": "scatter",
            "mode": "lines",
            "fill": "toself",
            "x": [severity for severity, _ in outline],
            # A difference may exceed the possible range of the share, which is clipped.
            "y": [100 * min(1.0, max(0.0, share)) for _, share in outline],
            "line": {"width": 0},
            "fillcolor": f"var(--{colour})",
            "opacity": 0.16,
            "hoverinfo": "skip",
        }
    severities, shares = (
        [0, *(point.severity for point in curve.points)],
        [start, *(point.success for point in curve.points)],
    )
    yield severity_line(curve.agent, colour, severities, shares, [percent(share) for share in shares])


def _dose_rows(curves: Sequence[DoseResponse]) -> Iterator[tuple[Value, ...]]:
    for curve in curves:
        for point in curve.points:
            yield (
                curve.agent, curve.mode, point.severity, point.tasks, point.episodes, 100 * point.success,
                100 * point.clean, 100 * point.difference, *ends_in_percent(point.band.these_sites),
                *_both(point.pointwise), in_percent(point.retention),
            )  # fmt: skip


def _interaction_row(pair: Interaction) -> tuple[Value, ...]:
    single_effects = (100 * difference for difference in pair.differences_alone)
    changes = 100 * pair.difference, *single_effects, 100 * pair.interaction
    return pair.agent, pair.condition, pair.tasks, *changes, *_both(pair.intervals), pair.p_value, pair.p_holm


def _dots(number: int, names: Sequence[str], ends: Sequence[tuple[float, float, float]]) -> Spec:
    """Return dots with whiskers: value, low and high for each name."""
    colour = agent_colour(number)
    return {
        "type": "scatter",
        "mode": "markers",
        "orientation": "h",
        "offsetgroup": str(number),
        "marker": {"color": f"var(--{colour})", "size": 9},
        "y": [plain(name) for name in names],
        "x": [value for value, _, _ in ends],
        "error_x": whiskers(colour, [high - value for value, _, high in ends], [value - low for value, low, _ in ends]),
        "cliponaxis": False,
    }


def _dot_layout(names: Sequence[str], traces: int, x: Spec) -> Spec:
    panels = Panels(1, 1, body=len(names) * (_ROW + 8 * traces))
    panels.place(0, "", x=x, y=ordered(names))
    return {**panels.layout(), "scattermode": "group", "scattergap": 0.3}


def _legend(agents: Sequence[str], measured: Iterable[DoseResponse | Interaction | StepsCurve]) -> tuple[Key, ...]:
    there = {figure.agent for figure in measured}
    return tuple(Key(agent, agent_colour(number)) for number, agent in enumerate(agents) if agent in there)


def _span(severity: Severity, interval: SeverityInterval | None) -> tuple[float, float]:
    return (interval.low.value, interval.high.value) if interval else (severity.value, severity.value)


def _interval_text(interval: SeverityInterval | None) -> str:
    if interval is None:
        return ""
    return f" [{interval.low}, {interval.high}]" if interval.excludes_a_severity else " [not determined]"


def _interval_ends(interval: SeverityInterval | None) -> tuple[str | None, str | None]:
    return (str(interval.low), str(interval.high)) if interval else (None, None)


def _points(interval: Interval | None, value: float) -> tuple[float, float]:
    return (100 * interval.low, 100 * interval.high) if interval else (100 * value, 100 * value)


def _both(intervals: Intervals) -> tuple[float | None, ...]:
    return *ends_in_percent(intervals.these_sites), *ends_in_percent(intervals.new_sites)
