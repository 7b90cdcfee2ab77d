"""The passing test case of a task: its trajectory in steps, with checks as a manual tester would make them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from stressweb.cases.checking import holds
from stressweb.cases.sight import LONGEST, Sight
from stressweb.cases.wording import action, expected, title
from stressweb.core.draws import pick
from stressweb.core.task_id import CASES, TaskId
from stressweb.core.verdict import Truth
from stressweb.plugins.steps import Step
from stressweb.plugins.test_case import CaseStep, Check, TestCase

type States = tuple[Sight, ...]
"""The page before a step of a case, and after each of its actions."""

_FILLS = ("enter", "choose", "tick", "untick", "upload")
# Usually the first possible check; sometimes the second or the third.
_RANKS = (0, 0, 0, 1, 2)


def grouped(way: Sequence[Step]) -> list[tuple[Step, ...]]:
    """Return the steps of a way as in a test case: consecutive entries into fields are one step."""
    groups: list[tuple[Step, ...]] = []
    for before, step in pairwise((None, *way)):
        assert step is not None
        if before is not None and before.verb in _FILLS and step.verb in _FILLS:
            groups[-1] += (step,)
        else:
            groups.append((step,))
    return groups


def passing_case(task: str, world_seed: int, groups: Sequence[tuple[Step, ...]], seen: Sequence[States]) -> TestCase:
    """Return the test case of a task; `seen` has the pages of each step on the undisturbed site."""
    steps = []
    for number, (group, states) in enumerate(zip(groups, seen, strict=True)):
        candidates = [*checks(group, states)]
        rank = pick(_RANKS, CASES, task, world_seed, number)
        check = candidates[min(rank, len(candidates) - 1)] if candidates else None
        steps.append(case_step(group, check))
    name = TaskId.read(task).name
    return TestCase(id=f"{CASES}/{task}", title=title(name), steps=tuple(steps), truth=Truth(verdict="pass"))


def case_step(group: tuple[Step, ...], check: Check | None) -> CaseStep:
    """Return a step in words, with its form for programs."""
    return CaseStep(action=action(group), expected=expected(check) if check else "", steps=group, check=check)


def checks(group: Sequence[Step], states: States) -> Iterator[Check]:
    """Yield the possible checks after a step, the most informative first: all hold then, and did not hold before.

    What held before as well would not see that the step had no effect.
    """
    for check in _candidates(group, states[0], states[-1]):
        if holds(check, states[-1]) and not holds(check, states[0]):
            yield check


def _candidates(group: Sequence[Step], before: Sight, after: Sight) -> Iterator[Check]:
    if group[0].verb in _FILLS:
        yield from _of_fields(group, after)
        return
    if group[-1].verb == "press" and group[-1].target in before.switches:
        # Without scripts the whole page is drawn anew, with a message and perhaps another list.
        yield from (Check(kind="button", says=name) for name in sorted(after.switches - before.switches))
        return
    yield from (Check(kind="message", says=message) for message in after.messages)
    if after.heading and len(after.heading) <= LONGEST:
        yield Check(kind="heading", says=after.heading)
    yield from _of_lists(before, after)
    new = [line for line in after.lines if line not in before.text and '"' not in line]
    # Numbers are most informative: the value that the step changed, or a count.
    yield from (Check(kind="line", says=line) for line in sorted(new, key=lambda line: not _has_number(line))[:2])


def _of_fields(group: Sequence[Step], after: Sight) -> Iterator[Check]:
    # The last field first: the earlier ones might be checked too early.
    for step in reversed(group):
        if step.verb in ("tick", "untick") and step.target in after.boxes:
            yield Check(kind="ticked" if step.verb == "tick" else "unticked", says=step.target)
        elif step.target in after.fields and len(step.value or "") <= LONGEST:
            yield Check(kind="field", of=step.target, says=after.fields[step.target])


def _of_lists(before: Sight, after: Sight) -> Iterator[Check]:
    listed = after.listed
    if before.heading == after.heading:
        yield from (Check(kind="listed", says=name) for name in listed[:30] if name not in before.listed)
        yield from (Check(kind="gone", says=name) for name in before.listed[:30] if not after.says(name))
    if len(listed) > 1:
        yield Check(kind="count", says=str(len(listed)))
        first, second = listed[:2]
        if listed.count(first) == 1 and listed.count(second) == 1:
            yield Check(kind="order", says=first, of=second)


def _has_number(text: str) -> bool:
    return any(letter.isdigit() for letter in text)
