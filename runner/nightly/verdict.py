"""The verdict of a night on an agent, including its rerun if there was one."""

from collections.abc import Collection
from typing import NamedTuple

from stressweb.analysis import cusum
from stressweb.analysis.comparison import Comparison
from stressweb.analysis.nights import AgentNight, Outcome, Rerun
from stressweb.analysis.regressions import Evidence, JudgedNight, RegressionState
from stressweb.log.limits import Limits
from stressweb.runner.api.compare import replays


class Verdict(NamedTuple):
    """The comparison of an agent's night, and the agent's state before it."""

    comparison: Comparison
    state_before: RegressionState
    tasks: frozenset[str]
    """Tasks of the night."""
    left_out: frozenset[str] = frozenset()
    """Tasks of the baseline that are no longer comparable."""

    @property
    def state_before_rerun(self) -> RegressionState:
        """State after the night, before its rerun; unchanged if the night is not comparable."""
        return (
            self.state_before.after_run(evidence(self.comparison, self.tasks))
            if self.comparison.comparable
            else self.state_before
        )

    @property
    def needs_rerun(self) -> bool:
        """Whether the night's tasks must run again before a verdict."""
        night = evidence(self.comparison, self.tasks)
        return self.comparison.comparable and self.state_before_rerun.needs_rerun(night, self.left_out)

    def agent_night(
        self, number: int, rerun_comparison: Comparison | None, rerun_name: str, limits: Limits
    ) -> AgentNight:
        """Return the agent's entry in night `number`; `rerun_comparison` is the comparison of its rerun, if any."""
        judged_night = self._judge(number, rerun_comparison)
        rerun_record = (
            Rerun(run=rerun_name, robustness=rerun_comparison.robustness, clean=rerun_comparison.clean)
            if rerun_comparison
            else None
        )
        return AgentNight.model_validate(
            {
                **AgentNight.of(self.comparison),
                "outcome": self._outcome(judged_night, rerun_comparison),
                "rerun": rerun_record,
                "robustness_sum": judged_night.state.chart_totals[0],
                "clean_sum": judged_night.state.chart_totals[1],
                "highest_sum": judged_night.highest_total,
                "failing": {
                    task: tuple(replay_commands) for task, replay_commands in replays(self.comparison, limits).items()
                },
                "open": dict(judged_night.state.open),
                "opened": judged_night.opened,
                "closed": dict(judged_night.closed),
            }
        )

    def _judge(self, number: int, rerun_comparison: Comparison | None) -> JudgedNight:
        if rerun_comparison is None or not rerun_comparison.comparable:
            return JudgedNight(self.state_before_rerun, max(self.state_before_rerun.chart_totals), (), {})
        failing = list(dict.fromkeys(cell.task for cell in self.comparison.failing))
        return self.state_before_rerun.after_rerun(
            evidence(rerun_comparison, self.tasks), number, failing, self.left_out
        )

    def _outcome(self, judged_night: JudgedNight, rerun_comparison: Comparison | None) -> Outcome:
        # An unconfirmed suspicion must not count as passed.
        if not self.comparison.comparable or (rerun_comparison is not None and not rerun_comparison.comparable):
            return "not comparable"
        if judged_night.state.open:
            return "regressed"
        verdict = self.comparison.robustness.verdict
        # A rerun that closed a regression confirms a good night.
        if rerun_comparison is not None and (not judged_night.closed or verdict == "regressed"):
            return "not confirmed"
        return verdict


def evidence(comparison: Comparison, tasks: Collection[str]) -> Evidence:
    """Return the evidence of a comparison of these tasks for the charts."""
    robustness, clean = comparison.robustness, comparison.clean
    scores = cusum.score(robustness.change, robustness.p_value), cusum.score(clean.change, clean.p_value)
    return Evidence(scores, (robustness.families, clean.families), tasks)
