"""Walks tasks without a browser: every way must succeed, every step must matter, and doing nothing must not pass."""

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
    """A task in one world, walked in right and wrong ways. Each method yields problems as texts."""

    def __init__(self, goal: Goal, world: SiteWorld, checks: Checklist) -> None:
        """Take the task's goal, its world, and the checkpoints of the site."""
        self.goal, self.world, self.checks = goal, world, checks

    def grade(self, run: Run) -> Grade:
        """Return the grade of a run."""
        return self.checks.grade(run, self.goal)

    def walker(self) -> Walker:
        """Return a walker on the first page."""
        return Walker(self.world, offers=self.goal.offers)

    def ways(self, *, others: bool = True) -> Iterator[str]:
        """Walk the trajectory, and with `others` all other ways: each must succeed, with only expected changes."""
        for number, way in enumerate(self.goal.ways if others else self.goal.ways[:1], start=1):
            way_name = f"way {number}" if number > 1 else "the trajectory"
            try:
                walked = self.walker().walk(way)
            except (LostError, BrokenError) as error:
                yield f"{way_name}: {error}"
                continue
            grade = self.grade(walked.run(self.goal))
            if not grade.success or grade.verdict is not (True if self.goal.expect else None):
                yield f"{way_name} does not succeed: {failed(grade)}"
            yield from (f"{way_name}: {problem}" for problem in self._unnamed_columns(walked))

    def checkpoints(self) -> Iterator[str]:
        """Check the number of checkpoints."""
        count = self.checks.count(self.goal)
        if not FEWEST_CHECKPOINTS <= count <= MOST_CHECKPOINTS:
            yield f"has {count} checkpoints; a task has {FEWEST_CHECKPOINTS} to {MOST_CHECKPOINTS}"

    def idle(self) -> Iterator[str]:
        """Grade an idle episode and one with blank pages: neither must pass a checkpoint."""
        blank = Run([BLANK], {path: State(path, "") for path in self.goal.evidence})
        for description, run in (("doing nothing", self.walker().run(self.goal)), ("a blank page", blank)):
            grade = self.grade(run)
            passed = [name for name, done in grade.passed.items() if done]
            if passed or grade.success or grade.verdict or any(grade.harms.values()):
                yield f"{description} passes something: {passed or failed(grade)}"

    def left_out(self) -> Iterator[str]:
        """Leave out each step in turn; the task must fail unless the step is optional."""
        for way in self.goal.ways:
            for index, step in enumerate(way):
                yield from self._wrongly_passed((*way[:index], *way[index + 1 :]), f"without {described(step)}", step)

    def other_values(self) -> Iterator[str]:
        """Replace each value by another valid value; the task must fail unless the step is optional."""
        for way in self.goal.ways:
            for step, steps in self._ways_with_other_values(way):
                yield from self._wrongly_passed(steps, f"with another value in {described(step)}", step)

    def _wrongly_passed(self, steps: Way, change: str, step: Step) -> Iterator[str]:
        grade = self.grade(self.walker().stumble(steps).run(self.goal))
        if grade.disputed:
            yield f"{change}, checkpoints and database disagree: {failed(grade)}"
        elif grade.success and not step.optional:
            yield f"passes {change}"
        elif grade.verdict is False and all(grade.passed.values()):
            # The failure should be visible in the checkpoints, too.
            yield f"{change}, every checkpoint passes, and only the database shows the failure: {grade.unmet[0]}"

    def _ways_with_other_values(self, way: Way) -> Iterator[tuple[Step, Way]]:
        """Yield each necessary step with a value, and the way with another valid value instead."""
        walked = self.walker()
        for index, step in enumerate(way):
            if step.value is not None and not step.optional:
                other_value = self._other_files(step) if step.files else _other_choice(walked.find(step), step.value)
                # A list may have no other option.
                if other_value is not None:
                    yield step, (*way[:index], step.model_copy(update={"value": other_value}), *way[index + 1 :])
            walked.do(step)

    def _other_files(self, step: Step) -> str | None:
        """Return the files of an upload, with another offered file instead of the last."""
        others = [offer.name for offer in self.goal.offers if offer.name not in step.files]
        return together((*step.files[:-1], others[0])) if others else None

    def _unnamed_columns(self, walked: Walker) -> Iterator[str]:
        """Yield columns that a way changes and that are not in `expect`."""
        assert self.goal.expect is not None
        changes = walked.changes()
        for table in changes.keys() - self.world.uncounted:
            derived = self.world.derived.get(table, frozenset())
            free = derived | self.world.generated.get(table, frozenset())
            added, altered = self.goal.expect.named(table)
            for row in changes[table].added:
                if row.keys() - free != added:
                    yield f"a row is added to {table}; expect names {sorted(added)} of {sorted(row.keys() - free)}"
            for before, after in changes[table].altered:
                changed = {column for column, before_value in before.items() if after[column] != before_value}
                if not changed <= altered[changes[table].key_of(after)] | derived:
                    yield f"{table}: {sorted(changed)} of a row are altered; expect does not name all of them"


def described(step: Step) -> str:
    """Return a step as text."""
    value = "" if step.value is None else f" {step.value!r}"
    return f"{step.verb} {step.target!r}{value}" + (f" on {step.on!r}" if step.on else "")


def failed(grade: Grade) -> str:
    """Return why a grade is not a success."""
    missed = [f"missed {name!r}" for name, passed in grade.passed.items() if not passed]
    return "; ".join([*missed, *grade.unmet, *(name for name, done in grade.harms.items() if done)])


def _other_choice(field: HtmlElement, right: str) -> str | None:
    if field.tag == "select":
        others = (option for option in field.iter("option") if option.get("value") and option.get("selected") is None)
        return next((text for option in others if (text := str(option.text_content()).strip()) != right), None)
    if field.get("type") == "date":
        return (date.fromisoformat(right) + timedelta(days=1)).isoformat()
    if field.get("type") == "time":
        return (datetime.fromisoformat(f"2025-01-01T{right}") + timedelta(minutes=15)).strftime("%H:%M")
    return f"1{right}"
