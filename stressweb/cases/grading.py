"""Grades of test cases: the tester's verdict beside the truth, and what of the case the recording shows."""

from collections.abc import Iterator, Sequence

from stressweb.cases.checking import holds
from stressweb.cases.sight import Sight, read
from stressweb.core.verdict import Answer, Judgement, NoVerdict, verdict_in
from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Run, State
from stressweb.plugins.test_case import CaseStep, TestCase


def judged(case: TestCase, run: Run, message: str) -> Grade:
    """Return the grade of an episode of a test case.

    `message` is what the tester said at the end, empty if it came to no end of its own. The checkpoints are the
    expected results of the steps before the failing one: they show how far it got, and the verdict alone decides.
    """
    shown = [*reached(case.steps, [sight_of(state) for state in run.states])]
    # Without a verdict, the episode ended at the first step that it did not reach.
    stopped = next((number for number, seen in enumerate(shown, start=1) if seen is False), len(shown))
    answer: Answer = verdict_in(message) or NoVerdict(reason="tester", step=stopped)
    before = len(shown) if case.truth.step is None else case.truth.step - 1
    passed = {
        f"step {number}: {step.expected}": seen
        for number, (step, seen) in enumerate(zip(case.steps[:before], shown, strict=False), start=1)
        if seen is not None
    }
    return Grade(passed, {}, None, contradictions=[], judgement=Judgement.of(case.truth, answer, shown))


def sight_of(state: State) -> Sight:
    """Return what is seen of a recorded page, without what disturbed it."""
    return read(state.url, state.page.root, state.page.names)


def reached(steps: Sequence[CaseStep], pages: Sequence[Sight]) -> Iterator[bool | None]:
    """Yield of each step whether its expected result is seen, on a page after those of the steps before it.

    `pages` are the first page, and the page after each action. A step without an expected result takes a page as well,
    and yields None. After the first step that is not reached, no other one is.
    """
    at = 0
    for step in steps:
        if step.check is None:
            at += 1
            yield None
            continue
        check = step.check
        seen = next((place for place in range(at + 1, len(pages)) if holds(check, pages[place])), None)
        at = len(pages) if seen is None else seen
        yield seen is not None
