"""Grades of test cases: the verdict decides, and the recording shows how far the episode got."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.cases.checking import holds
from stressweb.cases.grading import judged, progress_of, sight_of
from stressweb.cases.rendering import case_step
from stressweb.core.verdict import Outcome, Truth
from stressweb.plugins.query import Run, State
from stressweb.plugins.steps import Step
from stressweb.plugins.test_case import CaseStep, Check, TestCase

PRESS = (Step(verb="press", target="Go on"),)
HEADINGS = ("Start", "Lamps", "Oslo lamp", "Basket")


def page(heading: str, text: str = "") -> State:
    return State("http://toy.local/", f"<html><body><main><h1>{heading}</h1><p>{text}</p></main></body></html>")


def step(heading: str | None) -> CaseStep:
    return case_step(PRESS, Check(kind="heading", says=heading) if heading else None)


def case(truth: Truth, *headings: str | None) -> TestCase:
    return TestCase(id="cases/toy/lamp", title="Lamp", steps=tuple(map(step, headings)), truth=truth)


PASSING = case(Truth(verdict="pass"), "Lamps", "Oslo lamp", "Basket")
FAILING = case(Truth(verdict="fail", step=2, cause="assertion"), "Lamps", "Bergen lamp", "Basket")


def run(*headings: str) -> Run:
    return Run([page(heading) for heading in headings])


def test_a_right_verdict_is_a_success_with_its_progress() -> None:
    grade = judged(PASSING, run(*HEADINGS), 'All is well. {"verdict": "pass"}')
    assert grade.success
    assert [*grade.passed.values()] == [True, True, True]
    assert grade.judgement is not None
    assert (grade.judgement.outcome, grade.judgement.grounded) == (Outcome.TN, True)


def test_a_right_verdict_without_progress_is_ungrounded() -> None:
    grade = judged(PASSING, run("Start"), '{"verdict": "pass"}')
    assert grade.success
    assert [*grade.passed.values()] == [False, False, False]
    assert grade.judgement is not None
    assert not grade.judgement.grounded


@pytest.mark.parametrize(
    ("message", "outcome", "success"),
    [
        ('{"verdict": "fail", "step": 2, "cause": "action"}', Outcome.AFC, True),
        ('{"verdict": "fail", "step": 1}', Outcome.AFB, False),
        ('{"verdict": "fail", "step": 3}', Outcome.AFA, False),
        ('{"verdict": "pass"}', Outcome.FN, False),
        ("I do not know.", Outcome.FAILING_WITHOUT_VERDICT, False),
        ("", Outcome.FAILING_WITHOUT_VERDICT, False),
    ],
)
def test_the_verdict_alone_decides(message: str, outcome: Outcome, success: bool) -> None:
    for pages in (run("Start", "Lamps"), run("Start"), run("Start", "Lamps", "Oslo lamp", "Basket")):
        grade = judged(FAILING, pages, message)
        assert (grade.judgement and grade.judgement.outcome, grade.success) == (outcome, success)
        assert len(grade.passed) == 1, "checkpoints are the steps before the failing one"


@pytest.mark.parametrize(("seen", "step"), [(("Start",), 1), (HEADINGS[:2], 2), (HEADINGS[:3], 3), (HEADINGS, 3)])
def test_without_a_verdict_it_ended_at_the_first_unreached_step(seen: Sequence[str], step: int) -> None:
    judgement = judged(PASSING, run(*seen), "").judgement
    assert judgement is not None
    assert judgement.step == step


def test_a_result_seen_before_its_step_does_not_count() -> None:
    """Results in the wrong order reach no step."""
    steps = PASSING.steps
    pages = [sight_of(page(heading)) for heading in ("Basket", "Oslo lamp", "Lamps")]
    assert [part.reached for part in progress_of(steps, pages)] == [True, False, False]
    assert [part.reached for part in progress_of(steps, pages[:1])] == [False, False, False]


@given(
    st.lists(st.sampled_from((*HEADINGS, None)), min_size=1, max_size=6),
    st.lists(st.sampled_from(HEADINGS), min_size=1),
)
def test_steps_are_reached_in_order_and_each_begins_where_the_one_before_ended(
    expected: list[str | None], shown_headings: list[str]
) -> None:
    steps = [step(heading) for heading in expected]
    pages = [sight_of(page(heading)) for heading in shown_headings]
    progress = [*progress_of(steps, pages)]
    assert len(progress) == len(steps)
    began = [part.began for part in progress]
    assert began == sorted(began)
    assert began[0] == 0
    assert max(began) < len(pages)
    checked = [part.reached for part in progress if part.reached is not None]
    assert checked == sorted(checked, reverse=True), "after a step that is not reached, none is"
    for part, following, own in zip(progress, progress[1:], steps, strict=False):
        if part.reached:
            assert own.check
            assert holds(own.check, pages[following.began])
            assert not any(holds(own.check, pages[n]) for n in range(part.began + 1, following.began))


def test_a_case_in_words_has_an_outcome_by_its_truth_alone() -> None:
    words = (CaseStep(action="Open the lamps", expected="Lamps are listed"), CaseStep(action="Press it"))
    for truth, message, counted in (
        (Truth(verdict="fail", step=2), '{"verdict": "fail", "step": 2}', True),
        (Truth(verdict="pass"), '{"verdict": "fail", "step": 2}', False),
        (Truth(verdict="unknown"), '{"verdict": "pass"}', None),
    ):
        own = TestCase(id="cases/toy/own", title="Own", steps=words, truth=truth)
        grade = judged(own, run("Start", "Lamps", "Oslo lamp"), message)
        assert (grade.outcome, grade.undecided, grade.passed) == (counted, counted is None, {})
        assert grade.judgement is not None
        # Steps in plain words have no known beginning and no checkable result.
        assert (grade.judgement.began, grade.judgement.grounded) == ((), None)
