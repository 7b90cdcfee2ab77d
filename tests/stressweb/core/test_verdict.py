"""Verdicts compared with the truth: one outcome each, and no failure without a step."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from stressweb.core.verdict import Answer, Judgement, NoVerdict, Outcome, Truth, Verdict, outcome, verdict_in

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
        (PASSING, NoVerdict(reason="infrastructure", step=2), None, None),
        (FAILING, NoVerdict(reason="infrastructure", step=4), None, None),
    ],
)
def test_an_answer_has_one_outcome(
    truth: Truth, answer: Answer, expected: Outcome | None, as_the_paper: Outcome | None
) -> None:
    assert outcome(truth, answer) is expected
    assert outcome(truth, answer, missing_verdict_fails=True) is as_the_paper


@pytest.mark.parametrize("kind", [Truth, Verdict])
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"verdict": "fail", "cause": "action"}, "needs the step that fails"),
        ({"verdict": "fail", "step": 0, "cause": "action"}, "greater than or equal to 1"),
        ({"verdict": "pass", "step": 2}, "only a case that fails has a failing step"),
        ({"verdict": "pass", "cause": "action"}, "only a case that fails has a failing step"),
        ({"verdict": "maybe"}, "'pass'"),
        ({"verdict": ""}, "'pass'"),
    ],
)
def test_incomplete_and_contradictory_verdicts_are_refused(
    kind: type[Truth | Verdict], fields: dict[str, object], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        kind.model_validate(fields)


def test_a_failure_need_not_name_its_cause() -> None:
    assert Truth(verdict="fail", step=1).cause is Verdict(verdict="fail", step=1).cause is None


def test_only_a_truth_can_be_unknown() -> None:
    assert Truth(verdict="unknown").step is None
    with pytest.raises(ValidationError, match="'pass' or 'fail'"):
        Verdict.model_validate({"verdict": "unknown"})


@pytest.mark.parametrize("answer", [Verdict(verdict="pass"), fails(1), NoVerdict(reason="tester")])
def test_no_answer_is_right_or_wrong_without_a_stated_truth(answer: Answer) -> None:
    judgement = Judgement.of(Truth(verdict="unknown"), answer, [None])
    assert (judgement.outcome, judgement.right, judgement.grounded) == (None, False, None)
    assert outcome(Truth(verdict="unknown"), answer, missing_verdict_fails=True) is None


VERDICTS = st.one_of(
    st.builds(Verdict, verdict=st.just("pass"), note=st.text()),
    st.builds(
        Verdict,
        verdict=st.just("fail"),
        step=st.integers(1, 40),
        cause=st.sampled_from(["action", "assertion", None]),
        steps=st.lists(st.sampled_from(["pass", "fail", "not run"])).map(tuple),
        note=st.text(),
    ),
)


@given(VERDICTS, st.text(st.characters(exclude_characters="{")), st.text(st.characters(exclude_characters="{")))
def test_a_verdict_is_extracted_from_surrounding_text(verdict: Verdict, before: str, after: str) -> None:
    assert verdict_in(f"{before}{verdict.model_dump_json()}{after}") == verdict


@given(VERDICTS, VERDICTS)
def test_of_several_verdicts_the_last_counts(first: Verdict, last: Verdict) -> None:
    assert verdict_in(f"{first.model_dump_json()} No: {last.model_dump_json()}") == last


@pytest.mark.parametrize(
    "message",
    ["", "The case passes.", '{"verdict": "unknown"}', '{"verdict": "fail"}', '{"verdict": "pass", "step": 2}',
     '{"verdict": "fail", "step": "three"}', "{" * 5000, '{"verdict": "pass"', '["pass"]'],
)  # fmt: skip
def test_messages_without_a_verdict_give_none(message: str) -> None:
    assert verdict_in(message) is None


@given(st.text())
def test_any_message_is_read_without_an_error(message: str) -> None:
    verdict_in("{" + message)


@pytest.mark.parametrize(
    ("truth", "answer", "right"),
    [
        (PASSING, Verdict(verdict="pass"), True),
        (PASSING, fails(1), False),
        (FAILING, Verdict(verdict="pass"), False),
        (FAILING, fails(2), False),
        (FAILING, fails(3), True),
        (FAILING, fails(4), False),
        (FAILING, NoVerdict(reason="tester", step=3), False),
        (PASSING, NoVerdict(reason="tester", step=1), False),
    ],
)
def test_a_judgement_is_right_at_the_right_step_alone(truth: Truth, answer: Answer, right: bool) -> None:
    judgement = Judgement.of(truth, answer, [None] * 4)
    assert judgement.right is right
    assert judgement.outcome is outcome(truth, answer)


@pytest.mark.parametrize(
    ("answer", "reached", "grounded"),
    [
        (Verdict(verdict="pass"), [True, True, True], True),
        (Verdict(verdict="pass"), [True, None, True], True),
        (Verdict(verdict="pass"), [True, True, False], False),
        (fails(3), [True, True, False], True),
        (fails(3), [True, False, False], False),
        (Verdict(verdict="fail", step=3, steps=("pass", "not run", "fail")), [True, False, False], True),
        (Verdict(verdict="fail", step=3, steps=("pass", "pass", "fail")), [True, False, False], False),
        (NoVerdict(reason="tester"), [False, False, False], True),
    ],
)
def test_a_verdict_is_grounded_if_the_steps_that_it_calls_passing_are_recorded(
    answer: Answer, reached: list[bool | None], grounded: bool
) -> None:
    assert Judgement.of(FAILING, answer, reached).grounded is grounded


def test_a_verdict_is_readable_json() -> None:
    text = Verdict(verdict="fail", step=3, cause="assertion").model_dump_json(exclude_defaults=True)
    assert json.loads(text) == {"verdict": "fail", "step": 3, "cause": "assertion"}
