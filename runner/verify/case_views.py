"""Checks in a browser, in a wide and a narrow window, whether the pages show what test cases expect."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from typing import NamedTuple

from lxml.html import HtmlElement

from stressweb.cases.building import Fault, Rejection, fault_of
from stressweb.cases.checking import holds
from stressweb.cases.operators import rejection
from stressweb.cases.rendering import States, grouped
from stressweb.cases.sight import Sight, read
from stressweb.core.task_id import TaskId, site_of
from stressweb.perception.dom_view import DomView
from stressweb.plugins.agent import Observation
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Goal
from stressweb.plugins.test_case import CaseStep, TestCase
from stressweb.runner import registry
from stressweb.runner.episode.playground import Playground
from stressweb.runner.episode.watch import MissedError, watched
from stressweb.runner.verify.in_browser import WIDTHS
from stressweb.runner.verify.narrow import MenuOpener

_IN_FLIGHT = 3
"""Number of concurrent walks in a browser."""


class BuggyCase(NamedTuple):
    """The case `#B1` of a task in one world."""

    case: TestCase
    """The passing case of the task, with the same text."""
    fault: Fault
    site: SiteWorld
    """The site with the bug."""


def seen(observation: Observation) -> Sight:
    """Return the visible content of an observation."""
    view = DomView(observation)

    def is_shown(element: HtmlElement) -> bool:
        # A checkbox may be drawn by its label.
        return view.shown(element) or any(map(view.shown, view.names.labels(element)))

    return read(view.url, view.root, view.names, is_shown)


async def unseen(
    ground: Playground, library: registry.Library, cases: Sequence[TestCase], world_seed: int
) -> list[Rejection]:
    """Walk each passing case in a browser, at both widths; return the cases whose pages differ from their truth.

    `cases` are the cases of one site in one world.
    """
    by_task: dict[str, list[TestCase]] = {}
    for case in cases:
        by_task.setdefault(TaskId.read(case.id).task, []).append(case)
    return await _in_both_windows(
        by_task, lambda task, width: _unseen(ground, library, task, by_task[task], world_seed, width)
    )


async def unseen_bugs(
    ground: Playground, library: registry.Library, cases: Sequence[BuggyCase], world_seed: int
) -> list[Rejection]:
    """Walk passing cases on sites with a bug, at both widths; return the cases whose bug is not visible.

    The expected results must appear before the step with the bug, and must not appear at that step.
    """
    return await _in_both_windows(cases, lambda buggy, width: _unseen_bug(ground, library, buggy, world_seed, width))


async def _in_both_windows[Walk](
    walks: Iterable[Walk], look: Callable[[Walk, int], Awaitable[list[Rejection]]]
) -> list[Rejection]:
    """Do walks in windows of both widths, a few at a time; return the rejections, one for each case."""
    slots = asyncio.Semaphore(_IN_FLIGHT)

    async def look_in_slot(walk: Walk, width: int) -> list[Rejection]:
        async with slots:
            return await look(walk, width)

    rejections_by_look = await asyncio.gather(*(look_in_slot(walk, width) for walk in walks for width in WIDTHS))
    # Without duplicates of cases that are wrong at both widths.
    return [
        *{rejected.case: rejected for rejections in reversed(rejections_by_look) for rejected in rejections}.values()
    ]


async def _unseen_bug(
    ground: Playground, library: registry.Library, buggy: BuggyCase, world_seed: int, width: int
) -> list[Rejection]:
    steps = buggy.case.steps[: buggy.fault.step]
    goal = library.goal(TaskId.read(buggy.case.id).task, world_seed)
    way = tuple(step for step_of_case in steps for step in step_of_case.steps)
    try:
        states = await _walk_states(ground, buggy.site, goal.model_copy(update={"ways": (way,)}), width)
        *before, last = [_wrong_step(step, of_step) for step, of_step in zip(steps, states, strict=True)]
        why = next((f"step {number}{wrong}" for number, wrong in enumerate(before, start=1) if wrong), "")
        why = why or ("" if last else f"step {len(steps)} is as if there were no bug")
    except MissedError as missed:
        why = str(missed)
    return [Rejection(buggy.case.id, buggy.fault, f"{width} pixels wide: {why}")] if why else []


async def _walk_states(ground: Playground, site: SiteWorld, goal: Goal, width: int) -> list[States]:
    """Walk the first way of a goal like an end-to-end script; return the pages of each step. Raises MissedError."""
    walker = MenuOpener(registry.AGENTS.get("naive")())
    async with aclosing(watched(ground, site, goal, walker, width)) as observations:
        sights = [seen(observation) async for observation in observations if not walker.is_opening]
    return [*_by_step(sights, [len(group) for group in grouped(goal.ways[0])])]


async def _unseen(
    ground: Playground, library: registry.Library, task: str, cases: Sequence[TestCase], world_seed: int, width: int
) -> list[Rejection]:
    goal, site = library.goal(task, world_seed), library.world(site_of(task), world_seed)
    try:
        states = await _walk_states(ground, site, goal, width)
    except MissedError as missed:
        return [Rejection(case.id, fault_of(case), f"{width} pixels wide: {missed}") for case in cases]
    wrong = [
        Rejection(case.id, fault_of(case), f"{width} pixels wide: {why}")
        for case in cases
        if (why := _wrong(case, states))
    ]
    # If the passing case is wrong, report only that, because the failing cases are made from it.
    return [rejected for rejected in wrong if rejected.fault is None] or wrong


def _by_step(sights: Sequence[Sight], lengths: Iterable[int]) -> Iterator[States]:
    """Yield the states of each step of a case; if there are fewer sights than actions, the last steps have none."""
    first = 0
    for length in lengths:
        yield tuple(sights[first : first + length + 1])
        first += length


def _wrong(case: TestCase, states: Sequence[States]) -> str:
    """Return how the pages differ from the truth of a case; "" if they do not."""
    for number, (step, of_step) in enumerate(zip(case.steps, states, strict=True), start=1):
        if len(of_step) > len(step.steps) and number == case.truth.step:
            assert case.truth.cause is not None
            why = rejection(step, case.truth.cause, of_step)
            return why and f"step {number}: {why}"
        if why := _wrong_step(step, of_step):
            return f"step {number}{why}"
    return ""


def _wrong_step(step: CaseStep, states: States) -> str:
    """Return how the pages of a step differ from the passing case; "" if they do not."""
    if len(states) <= len(step.steps):
        return " was not done"
    if step.check is not None and not holds(step.check, states[-1]):
        return f": {step.expected}: not visible"
    return ""
