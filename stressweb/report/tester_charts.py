"""Charts of testers: verdicts against the truth, and false alarms by severity."""

from collections.abc import Sequence
from functools import partial

from stressweb.analysis.curves.alarms import AlarmCurve, AlarmPoint
from stressweb.analysis.data_table import Field, Value, ends_in_percent, in_percent, table_of
from stressweb.analysis.pairing import grouped
from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.wording import percent
from stressweb.core.verdict import Outcome
from stressweb.report.chart import Chart, Key, agent_colour, whiskers
from stressweb.report.panels import Spec
from stressweb.report.share_panels import SEVERITY_AXIS, in_panels, severity_line
from stressweb.report.stacks import Stack, stacked

_STACKS = (
    ("right", "good", (Outcome.TN, Outcome.AFC)),
    ("false alarm", "bad", (Outcome.FP,)),
    ("missed failure", "agent-2", (Outcome.FN,)),
    ("failure at a wrong step", "agent-4", (Outcome.AFB, Outcome.AFA)),
    ("no verdict", "quiet", (Outcome.PASSING_WITHOUT_VERDICT, Outcome.FAILING_WITHOUT_VERDICT)),
)
_MATRIX = (
    "TN and FP, passing cases called passing and failing; FN, failing cases called passing; AFB, AFC, AFA, failing"
    " cases called failing before, at and after the failing step."
)


def verdicts(rows: Sequence[ResultRow]) -> Chart:
    """Draw the verdicts of every tester against the truth: a panel for each."""
    stacks = [Stack(label, colour, partial(_count, outcomes)) for label, colour, outcomes in _STACKS]
    caption = (
        "Episodes by verdict and truth. Red: passing cases that were called failing. The table has the confusion"
        f" matrix: {_MATRIX}"
    )
    fields = (Field("agent"), Field("condition"), *(Field(outcome.value) for outcome in Outcome))
    numbers: list[tuple[Value, ...]] = [
        (row.agent, row.condition, *(_count((outcome,), row) for outcome in Outcome)) for row in rows
    ]
    # The bars join what a reader compares at a glance; the table keeps the cells apart.
    chart = stacked("verdicts", "Verdicts", caption, rows, stacks)
    return chart._replace(table=table_of(chart.name, chart.title, fields, numbers, _MATRIX))


def false_alarms(curves: Sequence[AlarmCurve], agents: Sequence[str]) -> Chart:
    """Draw the rate of false alarms by severity: a panel for each mode, a line for each tester.

    `agents` are all agents in the order of the other charts, so that their colours agree.
    """
    modes = grouped(curves, lambda curve: curve.mode)
    drawing = in_panels(
        {mode: [_line(curve, agent_colour(agents.index(curve.agent))) for curve in own] for mode, own in modes.items()},
        SEVERITY_AXIS,
    )
    caption = (
        "Share of passing cases that were called failing (FAR) at each severity; 0 is clean. Vertical lines: 95 %"
        " intervals over families of cases."
    )
    title = "False alarms by severity"
    fields = (
        Field("agent"), Field("mode"), Field("severity"), Field("passing cases"), Field("false alarms"),
        Field("FAR [%]", 1), Field("95 % low", 1), Field("95 % high", 1), Field("FAR minus clean [points]", 1),
        Field("difference, low", 1), Field("difference, high", 1), Field("in a disturbed step"),
    )  # fmt: skip
    numbers = [_numbers(curve, point) for curve in curves for point in curve.points]
    table = table_of("false-alarms", title, fields, numbers, caption)
    known = {curve.agent for curve in curves}
    legend = tuple(Key(agent, agent_colour(place)) for place, agent in enumerate(agents) if agent in known)
    return Chart("false-alarms", title, caption, table=table, legend=legend, **drawing._asdict())


def _line(curve: AlarmCurve, colour: str) -> Spec:
    points = curve.points
    texts = [f"{point.false_alarms}/{point.passing}, {percent(point.rate)}" for point in points]
    rates = [point.rate for point in points]
    line = severity_line(curve.agent, colour, [point.severity for point in points], rates, texts)
    above = [100 * (point.interval.high - point.rate) if point.interval else 0.0 for point in points]
    lower_ends = [100 * (point.rate - point.interval.low) if point.interval else 0.0 for point in points]
    return {**line, "error_y": whiskers(colour, above, lower_ends)}


def _numbers(curve: AlarmCurve, point: AlarmPoint) -> tuple[Value, ...]:
    return (
        curve.agent, curve.mode, point.severity, point.passing, point.false_alarms, 100 * point.rate,
        *ends_in_percent(point.interval), in_percent(point.difference), *ends_in_percent(point.difference_interval),
        point.disturbed,
    )  # fmt: skip


def _count(outcomes: Sequence[Outcome], row: ResultRow) -> int:
    return sum(row.testing.outcomes.get(outcome, 0) for outcome in outcomes) if row.testing else 0
