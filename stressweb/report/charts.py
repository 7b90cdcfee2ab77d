"""The charts of a report, as plotly specifications with colour names from the page's style sheet."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stressweb.analysis.curves.measured import Curves
from stressweb.analysis.data_table import Field, ends_in_percent, in_percent, table_of
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import by_agent
from stressweb.analysis.paper_baseline import HUMAN_STEPS
from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.statistics import Interval
from stressweb.log.recording import Claim
from stressweb.report.chart import Chart, Key, agent_colour, conditions, ordered, whiskers
from stressweb.report.curve_charts import curve_charts
from stressweb.report.heat_maps import heat_maps
from stressweb.report.pairs import pairs
from stressweb.report.panels import Panels, Spec, plain
from stressweb.report.stacks import Stack, stacked
from stressweb.report.tester_charts import verdicts

_FEWEST = 2
"""Fewest episodes for which a row is drawn as more than a single outcome."""
_BAR = 17
"""Height of a bar in pixels."""
_PEOPLE = "Human mean steps reported in the paper (its own tasks)"

_WHO = (Field("agent"), Field("condition"))
_SUCCESS = (
    *_WHO, Field("success [%]", 1), Field("95 % low", 1), Field("95 % high", 1), Field("successes"), Field("episodes"),
)  # fmt: skip


class Share(NamedTuple):
    """A segment of a bar: episodes with certain claims that passed, or that failed."""

    label: str
    colour: str
    claims: tuple[Claim, ...]
    passed: bool

    def of(self, row: ResultRow) -> int:
        """Return the number of these episodes in a row."""
        verdicts = [row.claims[claim] for claim in self.claims]
        return sum(verdict_counts.passed if self.passed else verdict_counts.failed for verdict_counts in verdicts)


SHARES = (
    Share("achieved and claimed", "good", ("done",), passed=True),
    Share("achieved, not claimed", "good-soft", ("failed", "none"), passed=True),
    Share("claimed, not achieved", "bad", ("done",), passed=False),
    Share("neither", "quiet", ("failed", "none"), passed=False),
)


def charts(rows: Sequence[ResultRow], episodes: Sequence[Graded], curves: Curves | None = None) -> list[Chart]:
    """Return the charts of a run and of its curves; none if no agent has two episodes under the same condition."""
    counted = [row for row in rows if row.episodes]
    # The result table has the same figures, without overstating single episodes.
    if max((row.episodes for row in counted), default=0) < _FEWEST:
        return []
    tasks, cases = ([row for row in counted if (row.testing is not None) == of_cases] for of_cases in (False, True))
    return [
        *([claims(tasks)] if tasks else ()),
        *([verdicts(cases)] if cases else ()),
        success(counted),
        steps(counted),
        *heat_maps(counted, episodes),
        *curve_charts(curves or Curves(), list(by_agent(counted))),
        *pairs(counted, episodes),
    ]


def claims(rows: Sequence[ResultRow]) -> Chart:
    """Draw claims against achievements: a panel for each agent."""
    caption = "Episodes by claim and outcome. Red: false claims, claimed to be done but failed."
    shares = [Stack(share.label, share.colour, share.of) for share in SHARES]
    return stacked("claims", "Claims and outcomes", caption, rows, shares)


def success(rows: Sequence[ResultRow]) -> Chart:
    """Draw the success of every agent under every condition, with the intervals of its row."""
    traces: list[Spec] = [
        {
            "type": "scatter",
            "mode": "markers",
            "orientation": "h",
            "offsetgroup": str(number),
            "marker": {"color": f"var(--{agent_colour(number)})", "size": 9},
            "y": [plain(row.condition) for row in own],
            "x": [in_percent(row.success) for row in own],
            "text": [f"{row.successes}/{row.episodes}" for row in own],
            "error_x": _whiskers(own, agent_colour(number)),
            "cliponaxis": False,
            "hovertemplate": f"%{{y}}: %{{text}}<extra>{plain(agent)}</extra>",
        }
        for number, (agent, own) in enumerate(by_agent(rows).items())
    ]
    layout = _bar_layout(rows, len(traces), {"range": [-2, 102], "ticksuffix": " %", "nticks": 6})
    layout |= {"scattermode": "group", "scattergap": 0.3}
    caption = "Share of episodes that reached the goal, each task with equal weight; lines: 95 % intervals over tasks."
    if all(row.testing for row in rows):
        caption = "Share of right verdicts, each case with equal weight; lines: 95 % intervals over families of cases."
    title = "Success by mode"
    cells = [
        (*_who(row), in_percent(row.success), *ends_in_percent(row.success_interval), row.successes, row.episodes)
        for row in rows
    ]
    table = table_of("modes", title, _SUCCESS, cells, caption)
    return Chart("modes", title, caption, {"data": traces, "layout": layout}, table, _legend(rows))


def steps(rows: Sequence[ResultRow]) -> Chart:
    """Draw mean steps by condition, next to the human means from the paper."""
    traces = [
        _bars(agent, agent_colour(number), {row.condition: row.steps for row in own})
        for number, (agent, own) in enumerate(by_agent(rows).items())
    ]
    # The human means are for tasks, not for test cases.
    of_tasks = any(row.testing is None for row in rows)
    known = {label: HUMAN_STEPS[label] for label in conditions(rows) if of_tasks and label in HUMAN_STEPS}
    people = (Key(_PEOPLE, "quiet"),) if known else ()
    if known:
        traces.append(_bars("human (paper)", "quiet", known))
    layout = _bar_layout(rows, len(traces), {"rangemode": "tozero", "nticks": 6})
    caption = "Mean actions of an episode, DONE or FAIL included. Few steps and a failure: it stopped early."
    title = "Steps by mode"
    cells = [(*_who(row), row.steps, row.episodes, HUMAN_STEPS.get(row.condition)) for row in rows]
    table = table_of("steps", title, (*_WHO, Field("steps", 2), Field("episodes"), Field(_PEOPLE, 2)), cells, caption)
    legend = (*_legend(rows), *people)
    return Chart("steps", title, caption, {"data": traces, "layout": layout}, table, legend)


def _legend(rows: Sequence[ResultRow]) -> tuple[Key, ...]:
    return tuple(Key(agent, agent_colour(number)) for number, agent in enumerate(by_agent(rows)))


def _bars(who: str, colour: str, steps: Mapping[str, float | None]) -> Spec:
    """Return bars of mean steps by condition."""
    return {
        "type": "bar",
        "orientation": "h",
        "marker": {"color": f"var(--{colour})"},
        "y": [plain(label) for label in steps],
        "x": [*steps.values()],
        "text": [f"{mean:.1f}" for mean in steps.values()],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": f"%{{y}}: %{{x:.1f}} steps<extra>{plain(who)}</extra>",
    }


def _bar_layout(rows: Sequence[ResultRow], traces: int, x: Spec) -> Spec:
    panels = Panels(1, 1, body=len(conditions(rows)) * (_BAR * traces + 10))
    panels.place(0, "", x=x, y=ordered(conditions(rows)))
    return {**panels.layout(), "barmode": "group", "bargap": 0.25, "bargroupgap": 0.08}


def _whiskers(rows: Sequence[ResultRow], colour: str) -> Spec:
    rates = [row.success or 0.0 for row in rows]
    ends = [row.success_interval or Interval(rate, rate) for row, rate in zip(rows, rates, strict=True)]
    above = [100 * (end.high - rate) for end, rate in zip(ends, rates, strict=True)]
    return whiskers(colour, above, [100 * (rate - end.low) for end, rate in zip(ends, rates, strict=True)])


def _who(row: ResultRow) -> tuple[str, str]:
    return row.agent, row.condition
