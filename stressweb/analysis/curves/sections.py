"""The tables of curves as text: a section for each kind of figure."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from stressweb.analysis.curves.alarms import AlarmCurve
from stressweb.analysis.curves.collapse import WAYS, Collapse
from stressweb.analysis.curves.costs import Costs
from stressweb.analysis.curves.difficulty import Difficulty
from stressweb.analysis.curves.dose import DoseResponse
from stressweb.analysis.curves.interaction import Interaction
from stressweb.analysis.curves.measured import Curves
from stressweb.analysis.curves.repeated import Repeated
from stressweb.analysis.curves.steps import StepsCurve
from stressweb.analysis.curves.tolerance import FLOOR, SeverityInterval, Tolerance
from stressweb.analysis.curves.trend import FEWEST_DECIDING, Trend
from stressweb.analysis.pairing import grouped
from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.statistics import ALPHA, Interval
from stressweb.analysis.wording import p_value, percent, points, span, whole

BUDGETS = (5, 10, 20, 40, 100)
"""Steps at which the curve of success against steps is printed."""
HARDEST = 5
"""Number of printed tasks per agent."""
NONE = "–"


class Section(NamedTuple):
    """A table: a title, a head, rows of cells as text, and lines below."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    below: Sequence[str] = ()
    legend: Sequence[str] = ()


def sections(curves: Curves) -> Iterator[Section]:
    """Yield the sections with data, in a useful order."""
    yield from _by_agent("results", curves.results, _results)
    yield from map(_dose, curves.dose_responses)
    yield from map(_alarms, curves.alarms)
    yield from _by_agent("interactions", curves.interactions, _interactions)
    yield from _by_agent("success within steps", curves.steps, _steps)
    yield from _by_agent("costs", curves.costs, _costs)
    yield from _by_agent("how episodes go, beside clean successes", curves.collapses, _collapses)
    yield from _by_agent("repeats", curves.repeats, _repeats)
    yield from _by_agent("hardest tasks", curves.difficulties, _difficulties)


class Body(NamedTuple):
    """A section without its title."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    legend: Sequence[str] = ()


type _Row = ResultRow | Interaction | StepsCurve | Costs | Collapse | Repeated | Difficulty


def _by_agent[R: _Row](title: str, rows: Sequence[R], body: Callable[[Sequence[R]], Body]) -> Iterator[Section]:
    for agent, own in grouped(rows, lambda row: row.agent).items():
        contents = body(own)
        yield Section(f"{agent} · {title}", contents.head, contents.rows, legend=contents.legend)


def _results(rows: Sequence[ResultRow]) -> Body:
    head = (
        "",
        "check-\npoints",
        "reten-\ntion",
        "steps",
        "extra\nsteps",
        "claimed /\nactual",
        "ratio",
        "with\nrepeats",
        "repeats",
        "longest\nrow",
    )
    cells = [
        (
            row.condition,
            percent(row.checkpoints),
            percent(row.retention),
            _figure(row.steps, ".1f"),
            _figure(row.extra_steps, "+.1f").replace("-", "−"),
            f"{row.claimed}/{row.successes}",
            _figure(row.claim_ratio, ".1f"),
            percent(row.repeating),
            _figure(row.repeats, ","),
            _figure(row.longest_repeat, ","),
        )
        for row in rows
    ]
    legend = (
        "checkpoints: mean share that passed. steps: mean number of actions; extra steps: more than under clean.",
        "retention: success divided by success under clean, of the same tasks.",
        "claimed / actual: episodes that the agent calls done, and those that are done; ratio: one by the other.",
        "with repeats: share of episodes with two identical actions in a row.",
        "repeats: actions that equal the one before; longest row: most repeats in a row.",
    )
    return Body(head, cells, legend)


def _dose(curve: DoseResponse) -> Section:
    has_new_sites = any(point.pointwise.new_sites for point in curve.points)
    head = ["", "success", "vs clean", "these sites [95 %]", "all severities", "retention"]
    # Clean is over all tasks of the agent, "vs clean" only over pairs, so with missing episodes they may not add up.
    rows = [["clean", percent(curve.clean), NONE, "", "", ""]]
    for point in curve.points:
        intervals = (span(point.pointwise.these_sites) or NONE, span(point.band.these_sites) or NONE)
        figures = (points(point.difference), *intervals, percent(point.retention))
        rows.append([point.condition, percent(point.success), *figures])
    below = [
        *(f"{label}: {why}; it is not on the curve" for label, why in curve.left_out.items()),
        *_curve_lines(curve),
    ]
    if has_new_sites:
        new_sites_intervals = [f"{point.condition} {span(point.pointwise.new_sites)}" for point in curve.points]
        below.append(f"new sites [95 %]: {', '.join(new_sites_intervals)}")
    legend = (
        "these sites: 95 % interval of the difference for other tasks of these sites, at one severity.",
        "all severities: the same, wide enough for all severities together to hold in 95 % of runs.",
        f"tolerance: the severity at which retention, made monotone, falls below {percent(FLOOR)}.",
        "trend: Page's test, one-sided: whether success falls from severity to severity; clean is no part of it.",
        "decide: tasks, or families of tasks, whose success is not the same at all severities.",
    )
    return Section(f"{curve.agent} · {curve.mode}", head, rows, below, legend)


def _alarms(curve: AlarmCurve) -> Section:
    head = ["", "false alarms", "FAR", "[95 %]", "vs clean", "[95 %]", "in a disturbed step"]
    rows = []
    for point in curve.points:
        change = (NONE, NONE)
        if point.difference is not None:
            change = (points(point.difference), span(point.difference_interval) or NONE)
        counts = f"{point.false_alarms}/{point.passing}"
        disturbed = f"{point.disturbed}/{point.false_alarms}" if point.severity else NONE
        rows.append([point.condition, counts, percent(point.rate), _share_span(point.interval), *change, disturbed])
    legend = (
        "FAR: share of passing cases that were called failing.",
        "in a disturbed step: false alarms at a step inside which the mode delivered something.",
    )
    return Section(f"{curve.agent} · {curve.mode} · false alarms", head, rows, legend=legend)


def _share_span(interval: Interval | None) -> str:
    """Return an interval of a share as "[12 %, 40 %]"."""
    return f"[{percent(interval.low)}, {percent(interval.high)}]" if interval else NONE


def _curve_lines(curve: DoseResponse) -> Iterator[str]:
    """Yield lines about the whole curve."""
    if curve.tolerance:
        yield _tolerance_text(curve.tolerance)
    if curve.mean_difference is not None and len(curve.points) > 1:
        named_intervals = [
            ("these sites", curve.mean_difference_intervals.these_sites),
            ("new sites", curve.mean_difference_intervals.new_sites),
        ]
        intervals = [f"{name} {span(interval)}" for name, interval in named_intervals if interval]
        yield f"mean difference: {points(curve.mean_difference)}{'; ' if intervals else ''}{'; '.join(intervals)}"
    if len(curve.points) > 1 and curve.tasks < (most_tasks := max(point.tasks for point in curve.points)):
        yield f"these are over {curve.tasks} of {most_tasks} tasks: those with a pair of episodes at every severity"
    if curve.trend:
        yield _trend_text(curve.trend)


def _tolerance_text(limit: Tolerance) -> str:
    if limit.these_sites and not limit.these_sites.excludes_a_severity:
        return f"tolerance: not determined: the interval allows all severities (estimate {limit.severity})"
    intervals = [("these sites", limit.these_sites), ("new sites", limit.new_sites)]
    return "; ".join(
        [
            f"tolerance: severity {limit.severity}",
            *(f"{name} {_interval_text(interval)}" for name, interval in intervals if interval),
        ]
    )


def _interval_text(interval: SeverityInterval) -> str:
    return f"[{interval.low}, {interval.high}]" if interval.excludes_a_severity else "not determined"


def _trend_text(test: Trend) -> str:
    """Return the result of the trend test and its number of deciding units: "trend: none is shown (…)"."""
    unit = "families" if test.families < test.tasks else "tasks"
    decide = f"{test.deciding} of {test.families} {unit} decide"
    if test.p_value is None:
        return f"trend: not tested: {decide}, and it takes {FEWEST_DECIDING}"
    severity_range = f"{test.severities[0]} to {test.severities[-1]}"
    # The adjusted value decides, as in the table.
    falls = test.p_holm is not None and test.p_holm <= ALPHA
    verdict = (
        f"success falls from severity {severity_range}" if falls else f"none is shown from severity {severity_range}"
    )
    tested = f"Page's L {test.statistic:g}, p {p_value(test.p_value)}, adjusted {p_value(test.p_holm)}"
    return f"trend: {verdict} ({tested}; {decide})"


def _interactions(rows: Sequence[Interaction]) -> Body:
    head = ("", "together", "alone", "interaction", "these sites [95 %]", "adj. p")
    cells = []
    for row in rows:
        single_effects = " ".join(map(points, row.differences_alone))
        sites_interval = span(row.intervals.these_sites) or NONE
        cells.append(
            (
                row.condition,
                points(row.difference),
                single_effects,
                points(row.interaction),
                sites_interval,
                p_value(row.p_holm),
            )
        )
        if row.intervals.new_sites:
            # On a separate line, because a column would be empty in most runs (it needs five sites).
            cells.append(("", "", "", "new sites", span(row.intervals.new_sites), ""))
    legend = (
        "interaction: together minus the sum of alone, in points; below 0 both cost more than the sum, above 0 less."
    )
    return Body(head, cells, (legend,))


def _steps(rows: Sequence[StepsCurve]) -> Body:
    longest = max((row.steps[-1] for row in rows if row.steps), default=0)
    # Up to one budget beyond the longest success; further columns would repeat it.
    budgets = [steps for number, steps in enumerate(BUDGETS) if not number or BUDGETS[number - 1] < longest]
    head = ("", *(f"{steps} steps" for steps in budgets), "half by", "at cap")
    cells = [
        (
            row.condition,
            *(percent(row.at(steps)) for steps in budgets),
            NONE if row.half is None else str(row.half),
            str(row.capped),
        )
        for row in rows
    ]
    legend = (
        "steps: share of tasks finished with success within so many steps; unknown beyond a cap that was hit.",
        "half by: steps within which half of the tasks are. at cap: episodes that used up their steps.",
    )
    return Body(head, cells, legend)


def _costs(rows: Sequence[Costs]) -> Body:
    tokens, priced = any(row.tokens_in or row.tokens_out for row in rows), any(row.dollars is not None for row in rows)
    # Without the columns of tokens and prices if they are empty, as for scripted agents.
    visible = [True, tokens, tokens, tokens, priced, priced, True, True]
    head = (
        "",
        "tokens\nin",
        "tokens\nout",
        "tokens per\nsuccess",
        "$",
        "$ per\nsuccess",
        "s per\nsuccess",
        "steps per\nsuccess",
    )
    cells = [
        (
            row.condition,
            f"{row.tokens_in:,}",
            f"{row.tokens_out:,}",
            _figure(row.tokens_per_success, ",.0f"),
            _figure(row.dollars, ",.2f"),
            _figure(row.dollars_per_success, ",.3f"),
            _figure(row.seconds_per_success, ",.1f"),
            _figure(row.steps_per_success, ",.1f"),
        )
        for row in rows
    ]
    visible_rows = [tuple(cell for cell, show in zip(line, visible, strict=True) if show) for line in (head, *cells)]
    legend = "per success: all that the condition cost, failures and errors included, divided by its successes."
    return Body(visible_rows[0], visible_rows[1:], (legend,))


def _figure(value: float | None, form: str) -> str:
    return NONE if value is None else f"{value:{form}}"


def _collapses(rows: Sequence[Collapse]) -> Body:
    short = {"inefficient exploration": "inefficient\nexploration"}
    head = ("", *(short.get(way, way.replace(" ", "\n")) for way in WAYS), "steps")
    cells = [
        (row.condition, *(percent(share.share) for share in row.shares), f"x{row.steps_ratio:.1f}") for row in rows
    ]
    legend = (
        "early collapse: failed within 2/3 of the steps of a clean success; inefficient exploration: with 3/2 or more.",
        "costly success: with 3/2 or more. steps: in those of a clean success. Tasks without one are left out.",
    )
    return Body(head, cells, legend)


def _repeats(rows: Sequence[Repeated]) -> Body:
    largest_k = max(len(row.pass_k) for row in rows)
    # Some small k, and the largest.
    ks = sorted({1, 2, 3, 5, largest_k} & set(range(1, largest_k + 1)))
    head = ("", *(f"pass^{k}" for k in ks), "these sites [95 %]", "flips")
    cells = []
    for row in rows:
        by_k = {pass_k.k: pass_k for pass_k in row.pass_k}
        largest_k_interval = _percent_interval(row.pass_k[-1].intervals.these_sites)
        cells.append(
            (
                row.condition,
                *(percent(by_k[k].value) if k in by_k else NONE for k in ks),
                largest_k_interval,
                percent(row.flip_rate),
            )
        )
    legend = (
        "pass^k: chance that k episodes of a task all succeed; the interval is that of the largest k.",
        "flips: how often two episodes with the same draws disagree.",
    )
    return Body(head, cells, legend)


def _difficulties(rows: Sequence[Difficulty]) -> Body:
    head = ("", "clean", "this task", "stressed", "this task")
    cells = [
        (
            row.task,
            f"{row.clean_successes}/{row.clean_episodes}",
            _percent_interval(row.clean_interval),
            f"{row.stressed_successes}/{row.stressed_episodes}",
            _percent_interval(row.stressed_interval),
        )
        # `difficulty` returns the hardest first.
        for row in rows[:HARDEST]
    ]
    return Body(head, cells, ("this task: 95 % interval in per cent, for other episodes of the same task (Wilson).",))


def _percent_interval(interval: Interval | None) -> str:
    """Return an interval of shares in per cent."""
    return f"[{whole(100 * interval.low)}, {whole(100 * interval.high)}]" if interval else NONE
