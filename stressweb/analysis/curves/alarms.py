"""False alarms of a tester by the severity of a mode."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stressweb.analysis.curves.labels import dose
from stressweb.analysis.measures import by_agent
from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.statistics import Interval
from stressweb.core.conditions import CLEAN, Condition
from stressweb.core.verdict import Outcome


@dataclass(frozen=True)
class AlarmPoint:
    """One severity. Rates and differences (0 to 1) are those of the condition's row in the table."""

    severity: int
    """0 for clean."""
    condition: str
    passing: int
    """Episodes of passing cases."""
    false_alarms: int
    """Episodes of passing cases that the tester called failing."""
    rate: float
    """`false_alarms` / `passing`."""
    interval: Interval | None
    """95 % interval of the rate over families of cases; None below 5 families, or if a passing case ended without a
    verdict, which is neither a false alarm nor right."""
    difference: float | None
    """The rate minus that under clean, over cases with a pair of episodes; None for clean."""
    difference_interval: Interval | None
    disturbed: int
    """False alarms at a step inside which the mode delivered something."""


@dataclass(frozen=True)
class AlarmCurve:
    """One tester under the severities of one mode."""

    agent: str
    mode: str
    points: list[AlarmPoint]
    """By severity; the first is clean, if it was run."""


def alarm_curves(rows: Sequence[ResultRow], planned: Mapping[str, Condition]) -> Iterator[AlarmCurve]:
    """Yield a curve for each tester and mode; `rows` are the rows of a run, `planned` its conditions by label."""
    # Without rows of tasks.
    for agent, own in by_agent([row for row in rows if row.testing]).items():
        clean: list[AlarmPoint] = []
        modes: dict[str, list[AlarmPoint]] = {}
        for row in own:
            if row.condition == CLEAN.label:
                clean = _points(row, 0)
            elif applied := dose(planned[row.condition]):
                modes.setdefault(applied.mode, []).extend(_points(row, applied.severity))
        for mode, points in modes.items():
            if points:
                yield AlarmCurve(agent, mode, [*clean, *sorted(points, key=lambda point: point.severity)])


def _points(row: ResultRow, severity: int) -> list[AlarmPoint]:
    """Return the point of a row; an empty list if it has no passing case."""
    figures = row.testing
    if figures is None or figures.false_alarm_rate is None:
        return []
    right = figures.specificity_interval
    complement = right and not figures.outcomes.get(Outcome.PASSING_WITHOUT_VERDICT)
    return [
        AlarmPoint(
            severity,
            row.condition,
            figures.passing,
            figures.false_alarms,
            figures.false_alarm_rate,
            Interval(1 - right.high, 1 - right.low) if right and complement else None,
            figures.false_alarm_difference,
            figures.false_alarm_difference_interval,
            figures.disturbed_alarms,
        )
    ]
