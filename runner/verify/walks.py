"""Tasks walked without a browser: every way succeeds, every step of it matters, and nothing less earns anything."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from lxml.html import HtmlElement

from stressweb.plugins.checks import Checklist, Grade
from stressweb.plugins.offers import together
from stressweb.plugins.query import BLANK, Run, State
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.walking.walker import BrokenError, LostError, Walker

type Way = tuple[Step, ...]

FEWEST_CHECKPOINTS, MOST_CHECKPOINTS = 3, 8


class TaskWalks:
    """One task in one world, walked in right and wrong ways. Each method yields what is wrong, in words."""

    def __init__(self, goal: Goal, world: SiteWorld, checks: Checklist) -> None:
        """Take the task's goal, its world, and the checkpoints of the site."""
        self.goal, self.world, self.checks = goal, world, checks

    def grade(self, run: Run) -> Grade:
        """Return what a run achieved."""
        return self.checks.grade(run, self.goal)

    def walker(self) -> Walker:
        """Return a walker on the first page."""
        return Walker(self.world, offers=self.goal.offers)

    def ways(self, *, others: bool = True) -> Iterator[str]:
        """Walk the trajectory, and the other ways too if asked: each must succeed, and `expect` must say all of it."""
        for number, way in enumerate(self.goal.ways if others else self.goal.ways[:1], start=1):
            said = f"way {number}" if number > 1 else "the trajectory"
            try:
                walked = self.walker().walk(way)
            except (LostError, BrokenError) as error:
                yield f"{said}: {error}"
                continue
            got = self.grade(walked.run(self.goal))
            if not got.success or got.verdict is not (True if self.goal.expect else None):
                yield f"{said} does not succeed: {failed(got)}"
            yield from (f"{said}: {what}" for what in self._unnamed(walked))

    def checkpoints(self) -> Iterator[str]:
        """Count the checkpoints."""
        count = self.checks.count(self.goal)
        if not FEWEST_CHECKPOINTS <= count <= MOST_CHECKPOINTS:
            yield f"has {count} checkpoints, and a task has {FEWEST_CHECKPOINTS} to {MOST_CHECKPOINTS}"

    def idle(self) -> Iterator[str]:
        """Do nothing, and see blank pages: neither may pass a checkpoint."""
        blank = Run([BLANK], {path: State(path, "", b"") for path in self.goal.evidence})
        for said, run in (("doing nothing", self.walker().run(self.goal)), ("a blank page", blank)):
            got = self.grade(run)
            passed = [name for name, done in got.passed.items() if done]
            if passed or got.success or got.verdict or any(got.harms.values()):
                yield f"{said} earns something: {passed or failed(got)}"

    def left_out(self) -> Iterator[str]:
        """Leave out each step in turn: unless it is optional, the task must fail."""
        for way in self.goal.ways:
            for at, step in enumerate(way):
                yield from self._wrongly_passed((*way[:at], *way[at + 1 :]), f"without {said(step)}", step)

    def other_values(self) -> Iterator[str]:
        """Replace each value that matters by another valid one: the task must fail."""
        for way in self.goal.ways:
            for step, steps in self._others(way):
                yield from self._wrongly_passed(steps, f"with another value in {said(step)}", step)

    def _wrongly_passed(self, steps: Way, said: str, step: Step) -> Iterator[str]:
        got = self.grade(self.walker().stumble(steps).run(self.goal))
        if got.disputed:
            yield f"{said}, checkpoints and database disagree: {failed(got)}"
        elif got.success and not step.optional:
            yield f"passes {said}"
        elif got.verdict is False and all(got.passed.values()):
            # A table would show all checkpoints passed and no success, and not say what is missing.
            yield f"{said}, every checkpoint passes, and only the database sees that it is wrong: {got.unmet[0]}"

    def _others(self, way: Way) -> Iterator[tuple[Step, Way]]:
        """Yield each step with a value that matters, and the way with another valid value in its place."""
        walked = self.walker()
        for at, step in enumerate(way):
            if step.value is not None and not step.optional:
                other = self._other_files(step) if step.files else _other(walked.find(step), step.value)
                # A list of two has no other option than the one that is chosen already.
                if other is not None:
                    yield step, (*way[:at], step.model_copy(update={"value": other}), *way[at + 1 :])
            walked.do(step)

    def _other_files(self, step: Step) -> str | None:
        """Return what an upload takes, with another offered file in the place of the last one."""
        rest = [offer.name for offer in self.goal.offers if offer.name not in step.files]
        return together((*step.files[:-1], rest[0])) if rest else None

    def _unnamed(self, walked: Walker) -> Iterator[str]:
        """Yield the columns that a way changes and `expect` does not name."""
        assert self.goal.expect is not None
        changes = walked.changes()
        for table in changes.keys() - self.world.uncounted:
            derived = self.world.derived.get(table, frozenset())
            free = derived | self.world.generated.get(table, frozenset())
            added, altered = self.goal.expect.named(table)
            for row in changes[table].added:
                if row.keys() - free != added:
                    yield f"a row is added to {table}, and expect names {sorted(added)} of {sorted(row.keys() - free)}"
            for before, after in changes[table].altered:
                changed = {column for column, value in before.items() if after[column] != value}
                if not changed <= altered[changes[table].key_of(after)] | derived:
                    yield f"{table}: {sorted(changed)} of a row are altered, and expect does not name all of them"


def said(step: Step) -> str:
    """Say a step in words."""
    value = "" if step.value is None else f" {step.value!r}"
    return f"{step.verb} {step.target!r}{value}" + (f" on {step.on!r}" if step.on else "")


def failed(got: Grade) -> str:
    """Say why a grade is no success."""
    missed = [f"missed {name!r}" for name, passed in got.passed.items() if not passed]
    return "; ".join([*missed, *got.unmet, *(name for name, done in got.harms.items() if done)])


def _other(field: HtmlElement, value: str) -> str | None:
    if field.tag == "select":
        rest = (option for option in field.iter("option") if option.get("value") and option.get("selected") is None)
        return next((text for option in rest if (text := str(option.text_content()).strip()) != value), None)
    if field.get("type") == "date":
        return (date.fromisoformat(value) + timedelta(days=1)).isoformat()
    if field.get("type") == "time":
        return (datetime.fromisoformat(f"2025-01-01T{value}") + timedelta(minutes=15)).strftime("%H:%M")
    return f"1{value}"
