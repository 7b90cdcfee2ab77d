"""The verdict of a night on an agent, including its rerun if there was one."""

from collections.abc import Collection
from typing import NamedTuple

from stressweb.analysis import cusum
from stressweb.analysis.comparison import Comparison
from stressweb.analysis.nights import AgentNight, Outcome, Rerun
from stressweb.analysis.regressions import Evidence, Judged, Standing
from stressweb.log.limits import Limits
from stressweb.runner.api.compare import replays


class Verdict(NamedTuple):
    """The comparison of an agent's night, and the agent's standing before it."""

    comparison: Comparison
    before: Standing
    tasks: frozenset[str]
    """Tasks of the night."""
    left_out: frozenset[str] = frozenset()
    """Tasks of the baseline that are no longer comparable."""

    @property
    def standing(self) -> Standing:
        """Standing after the night, before its rerun; unchanged if the night is not comparable."""
        return (
            self.before.after_run(evidence(self.comparison, self.tasks)) if self.comparison.comparable else self.before
        )

    @property
    def needs_rerun(self) -> bool:
        """Whether the night's tasks must run again before a verdict."""
        night = evidence(self.comparison, self.tasks)
        return self.comparison.comparable and self.standing.needs_rerun(night, self.left_out)

    def agent_night(self, number: int, second: Comparison | None, rerun: str, limits: Limits) -> AgentNight:
        """Return the agent's entry in night `number`; `second` is the comparison of its rerun, if any."""
        judged = self._judge(number, second)
        rerun_result = Rerun(run=rerun, robustness=second.robustness, clean=second.clean) if second else None
        return AgentNight.model_validate(
            {
                **AgentNight.of(self.comparison),
                "outcome": self._outcome(judged, second),
                "rerun": rerun_result,
                "robustness_sum": judged.standing.totals[0],
                "clean_sum": judged.standing.totals[1],
                "highest_sum": judged.highest,
                "failing": {task: tuple(again) for task, again in replays(self.comparison, limits).items()},
                "open": dict(judged.standing.open),
                "opened": judged.opened,
                "closed": dict(judged.closed),
            }
        )

    def _judge(self, number: int, second: Comparison | None) -> Judged:
        if second is None or not second.comparable:
            return Judged(self.standing, max(self.standing.totals), (), {})
        failing = list(dict.fromkeys(cell.task for cell in self.comparison.failing))
        return self.standing.judged(evidence(second, self.tasks), number, failing, self.left_out)

    def _outcome(self, judged: Judged, second: Comparison | None) -> Outcome:
        # An unconfirmed suspicion must not count as passed.
        if not self.comparison.comparable or (second is not None and not second.comparable):
            return "not comparable"
        if judged.standing.open:
            return "regressed"
        verdict = self.comparison.robustness.verdict
        # A rerun that closed a regression confirms a good night.
        if second is not None and (not judged.closed or verdict == "regressed"):
            return "not confirmed"
        return verdict


def evidence(comparison: Comparison, tasks: Collection[str]) -> Evidence:
    """Return the evidence of a comparison of these tasks for the charts."""
    robustness, clean = comparison.robustness, comparison.clean
    scores = cusum.score(robustness.change, robustness.p_value), cusum.score(clean.change, clean.p_value)
    return Evidence(scores, (robustness.families, clean.families), tasks)
