"""A verdict beside the truth: one outcome each, and no failure without a step."""

import pytest
from pydantic import ValidationError

from stressweb.core.verdict import Answer, NoVerdict, Outcome, Truth, Verdict, outcome

PASSING = Truth(verdict="pass")
FAILING = Truth(verdict="fail", step=3, cause="assertion", operator="wrong_count")


def fails(step: int) -> Verdict:
    return Verdict(verdict="fail", step=step)


@pytest.mark.parametrize(
    ("truth", "answer", "expected", "as_the_paper"),
    [
        (PASSING, Verdict(verdict="pass"), Outcome.TN, Outcome.TN),
        (PASSING, fails(1), Outcome.FP, Outcome.FP),
        (FAILING, Verdict(verdict="pass"), Outcome.FN, Outcome.FN),
        (FAILING, fails(2), Outcome.AFB, Outcome.AFB),
        (FAILING, fails(3), Outcome.AFC, Outcome.AFC),
        (FAILING, fails(4), Outcome.AFA, Outcome.AFA),
        (PASSING, NoVerdict(reason="tester", step=3), Outcome.PASSING_WITHOUT_VERDICT, Outcome.FP),
        (FAILING, NoVerdict(reason="tester", step=3), Outcome.FAILING_WITHOUT_VERDICT, Outcome.AFC),
        (FAILING, NoVerdict(reason="tester"), Outcome.FAILING_WITHOUT_VERDICT, Outcome.AFB),
        (PASSING, NoVerdict(reason="infrastructure", step=2), None, Outcome.FP),
        (FAILING, NoVerdict(reason="infrastructure", step=4), None, Outcome.AFA),
    ],
)
def test_an_answer_has_one_outcome(
    truth: Truth, answer: Answer, expected: Outcome | None, as_the_paper: Outcome
) -> None:
    assert outcome(truth, answer) is expected
    assert outcome(truth, answer, errors_as_fail=True) is as_the_paper


@pytest.mark.parametrize("kind", [Truth, Verdict])
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"verdict": "fail", "cause": "action"}, "needs the step that fails"),
        ({"verdict": "fail", "step": 0, "cause": "action"}, "greater than or equal to 1"),
        ({"verdict": "pass", "step": 2}, "neither a failing step nor a cause"),
        ({"verdict": "pass", "cause": "action"}, "neither a failing step nor a cause"),
        ({"verdict": "unknown"}, "'pass' or 'fail'"),
    ],
)
def test_a_verdict_that_says_too_little_or_too_much_is_refused(
    kind: type[Truth | Verdict], fields: dict[str, object], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        kind.model_validate(fields)


def test_a_true_failure_has_a_cause_and_a_tester_need_not_name_it() -> None:
    with pytest.raises(ValidationError, match="action or assertion"):
        Truth(verdict="fail", step=1)
    assert Verdict(verdict="fail", step=1).cause is None
