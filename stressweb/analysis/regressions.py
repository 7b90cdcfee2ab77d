"""Regressions over nights: a night opens one, and later nights must show its end before it is closed.

Each line of an agent (robustness, clean) has a chart (`cusum`). An alarm opens a regression of its line. From then on,
the line has another sum: the evidence that the nights are better than under a lasting decline. If it exceeds
`cusum.RECOVERED`, the night's tasks run again with the fresh stress seed; if it still does, the regression is closed. A
single good night is not enough, nor are nights without the tasks that failed.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from stressweb.analysis import cusum

LINES = ("robustness", "clean")
"""The lines of an agent, in the order of `cusum.Both`."""
REMAINING = 0.5
"""Share of the failed tasks that must still be comparable; otherwise only a person can close the regression."""


class Regression(BaseModel):
    """An open regression of one line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: int
    """Number of the alarming night."""
    families: int
    """Families of tasks of that night."""
    tasks: tuple[str, ...] = ()
    """Tasks that newly failed on that night."""
    unseen: tuple[str, ...] = ()
    """Tasks among them that have not run since."""
    recovery: float = 0.0
    """Evidence that the nights since then are better than under a lasting decline, in standard deviations."""

    def looks_gone(self, left_out: Collection[str] = ()) -> bool:
        """Whether the nights since then show its end; tasks that are `left_out` can no longer run."""
        comparable = set(self.tasks) - set(left_out)
        return (
            self.recovery > cusum.RECOVERED
            and not comparable & set(self.unseen)
            and len(comparable) >= REMAINING * len(self.tasks)
        )

    def after_run(self, score: float, family_count: int, tasks: Collection[str]) -> "Regression":
        """Return the regression after one more run of these tasks, by a night or its rerun."""
        recovery = cusum.recovery(self.recovery, score, family_count / self.families if self.families else 1.0)
        unseen = tuple(task for task in self.unseen if task not in set(tasks))
        return self.model_copy(update={"recovery": recovery, "unseen": unseen})


class Evidence(NamedTuple):
    """The result of one run for an agent, by a night or its rerun."""

    scores: cusum.Both
    family_counts: tuple[int, int]
    """Units of the test of each line."""
    tasks: Collection[str] = ()


class RegressionState(NamedTuple):
    """The state of an agent after some nights."""

    chart_totals: cusum.Both = (0.0, 0.0)
    """Totals of the charts; 0 on a line with an open regression."""
    open: Mapping[str, Regression] = {}
    """Open regressions, by line."""

    def after_run(self, run: Evidence) -> "RegressionState":
        """Return the state after one more run; nothing is opened or closed yet."""
        continued = {
            line: self.open[line].after_run(score, family_count, run.tasks)
            for line, score, family_count in zip(LINES, run.scores, run.family_counts, strict=True)
            if line in self.open
        }
        return RegressionState(cusum.added(self.chart_totals, self._chart_scores(run)), continued)

    def needs_rerun(self, night: Evidence, left_out: Collection[str] = ()) -> bool:
        """Whether the night, which this state includes, must be rerun before anything is opened or closed."""
        gone = any(regression.looks_gone(left_out) for regression in self.open.values())
        return gone or cusum.suspected(self.chart_totals, self._chart_scores(night))

    def after_rerun(
        self, rerun: Evidence, number: int, failing: Sequence[str], left_out: Collection[str] = ()
    ) -> "JudgedNight":
        """Return the result after the rerun of night `number`, on which `failing` tasks newly failed."""
        after = self.after_run(rerun)
        scores = self._chart_scores(rerun)
        alarm = cusum.confirmed(after.chart_totals, scores)
        opened = {
            line: Regression(since=number, families=family_count, tasks=tuple(failing), unseen=tuple(failing))
            for line, total, score, family_count in zip(
                LINES, after.chart_totals, scores, rerun.family_counts, strict=True
            )
            if cusum.confirmed((total, 0.0), (score, 0.0))
        }
        # Both before and after the rerun, so that a lucky rerun alone closes nothing.
        closed = {
            line: regression
            for line, regression in after.open.items()
            if self.open[line].looks_gone(left_out) and regression.looks_gone(left_out)
        }
        still_open = {line: _capped(regression) for line, regression in after.open.items() if line not in closed}
        state = RegressionState(cusum.carried_over(after.chart_totals, alarm=alarm), {**still_open, **opened})
        return JudgedNight(
            state,
            max(after.chart_totals),
            tuple(opened),
            {line: regression.since for line, regression in closed.items()},
        )

    def _chart_scores(self, run: Evidence) -> cusum.Both:
        """Return the scores for the charts of decline: 0 for a line with an open regression."""
        robustness, clean = (0.0 if line in self.open else score for line, score in zip(LINES, run.scores, strict=True))
        return robustness, clean


class JudgedNight(NamedTuple):
    """The result of a night with its rerun."""

    state: RegressionState
    highest_total: float
    """The higher total before an alarm reset it."""
    opened: tuple[str, ...]
    closed: Mapping[str, int]
    """Closed regressions, by line: the number of the night that opened them."""


def _capped(regression: Regression) -> Regression:
    # Otherwise, after an unconfirmed rerun, every night would trigger another one.
    return regression.model_copy(update={"recovery": min(regression.recovery, cusum.RECOVERED)})
