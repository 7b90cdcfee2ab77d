"""Episodes of test cases with the verdict of a tester."""

from typing import Any

from stressweb.analysis.graded import Graded
from stressweb.core.verdict import Judgement, NoVerdict, Truth, Verdict
from tests.support.graded_episodes import episode

PASSING = Truth(verdict="pass")


FAILING = Truth(verdict="fail", step=3, cause="assertion")


def judged(number: int, truth: Truth, step: int | str | None, condition: str = "clean", **changes: Any) -> Graded:
    """Return an episode of a case; `step` is that of the alarm, None for no alarm, "none" for no verdict."""
    answer = (
        NoVerdict(reason="tester", step=2)
        if isinstance(step, str)
        else Verdict(verdict="pass" if step is None else "fail", step=step)
    )
    judgement = Judgement.of(truth, answer, [])
    plain = episode(condition=condition, success=judgement.right)
    return plain.model_copy(
        update={
            "task": f"cases/shop/case-{number}",
            "family": f"case-{number}",
            "tester_verdict": judgement.verdict,
            "tester_step": judgement.step,
            "truth": truth.verdict,
            "truth_step": truth.step,
            "truth_cause": truth.cause,
            "judged": judgement.outcome.value if judgement.outcome else "",
            "undecided": judgement.outcome is None,
            "grounded": True,
            **changes,
        },
    )
