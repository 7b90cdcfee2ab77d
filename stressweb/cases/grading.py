"""Grades of test cases: the tester's verdict compared with the truth, and the progress in the recording."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from stressweb.cases.checking import holds
from stressweb.cases.sight import Sight, read
from stressweb.core.verdict import Answer, Judgement, NoVerdict, verdict_in
from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Run, State
from stressweb.plugins.test_case import CaseStep, TestCase

type Ahead = Callable[[Sequence[Sight]], tuple[int, ...] | None]
"""Returns the numbers of the actions ahead of the script, given the first page and the page after each action."""


def judged(case: TestCase, run: Run, message: str, ahead: Ahead = lambda pages: None) -> Grade:
    """Return the grade of an episode of a test case.

    `message` is what the tester said at the end, empty if it came to no end of its own. `ahead` finds the actions that
    were ahead of the script. The checkpoints are the expected results of the steps before the failing one: they show
    how far it got, and the verdict alone decides.
    """
    pages = [sight_of(state) for state in run.states]
    progress = [*progress_of(case.steps, pages)]
    reached = [step.reached for step in progress]
    # Without a verdict, the episode ended at the first step that it did not reach.
    stopped = next((number for number, seen in enumerate(reached, start=1) if seen is False), len(reached))
    answer: Answer = verdict_in(message) or NoVerdict(reason="tester", step=stopped)
    before = len(reached) if case.truth.step is None else case.truth.step - 1
    passed = {
        f"step {number}: {step.expected}": seen
        for number, (step, seen) in enumerate(zip(case.steps[:before], reached, strict=False), start=1)
        if seen is not None
    }
    # Words alone do not determine the action after which a step begins.
    began = [step.began for step in progress] if case.scripted else []
    judgement = Judgement.of(case.truth, answer, reached, began, ahead(pages))
    return Grade(passed, {}, None, judgement=judgement)


class StepProgress(NamedTuple):
    """The progress of a case's step in the recording."""

    began: int
    """The number of the page on which it began, from 0, which is the number of earlier actions."""
    reached: bool | None
    """Whether its expected result appears on a page after those of earlier steps; None without one."""


def sight_of(state: State) -> Sight:
    """Return the visible content of a recorded page, without disturbances."""
    return read(state.url, state.page.root, state.page.names)


def progress_of(steps: Sequence[CaseStep], pages: Sequence[Sight]) -> Iterator[StepProgress]:
    """Yield the progress of each step.

    `pages` are the first page, and the page after each action. A step without an expected result takes one page. After
    the first step that is not reached, no other step is.
    """
    place, lost = 0, False
    for step in steps:
        began = place
        if step.check is None:
            place = min(place + 1, len(pages) - 1)
            yield StepProgress(began, None)
            continue
        check = step.check
        seen = None if lost else next((n for n in range(place + 1, len(pages)) if holds(check, pages[n])), None)
        place, lost = (place, True) if seen is None else (seen, lost)
        yield StepProgress(began, seen is not None)
