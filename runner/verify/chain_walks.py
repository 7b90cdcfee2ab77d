"""The proof of a chain without a browser: its parts can be done in both orders, and no part can be left out."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from stressweb.core.errors import UserError
from stressweb.core.task_id import CHAINS
from stressweb.plugins.chain import Chain, run_of, way_of
from stressweb.plugins.chain_conflicts import outdated
from stressweb.plugins.chain_world import ChainWorld
from stressweb.plugins.checks import Grade
from stressweb.plugins.task import Goal, Part, Task
from stressweb.runner.registry import Library
from stressweb.runner.verify.chain_walker import ChainWalker
from stressweb.runner.verify.walks import failed
from stressweb.walking.walker import BrokenError, LostError


class ChainWalks:
    """A chain in one world. Each method yields problems as texts that name the parts."""

    def __init__(self, library: Library, chain: str, seed: int) -> None:
        """Draw the chain; raises UserError if two of its parts change the same row."""
        task, world = library.task(chain), library.world_of(chain, seed)
        assert isinstance(task, Chain)
        assert isinstance(world, ChainWorld)
        self._library, self.chain, self.world = library, task, world
        self.goal: Goal = library.goal(chain, seed)

    def orders(self) -> Iterator[str]:
        """Do the parts in order and in reverse order; both must succeed."""
        for order, parts in (("in order", self.goal.parts), ("in reverse order", self.goal.parts[::-1])):
            if wrong := next(self._problems(parts), ""):
                # Walk pairs of parts to find the cause; only parts of the same site can conflict.
                pairs = (pair for pair in combinations(parts, 2) if pair[0].site == pair[1].site)
                messages = (
                    f"{first.goal.task} and {second.goal.task} conflict: {problem}"
                    for first, second in pairs
                    for problem in self._problems((first, second))
                )
                yield next(messages, f"{order}: {wrong}")

    def left_out(self) -> Iterator[str]:
        """Leave out each part in turn; the chain must fail."""
        for omitted in self.goal.parts:
            remaining = [part for part in self.goal.parts if part is not omitted]
            walker = ChainWalker(self.world, self.goal.offers).stumble(way_of(remaining))
            if self._grade(walker).success:
                yield f"passes without {omitted.goal.task}"

    def one_way(self) -> Iterator[str]:
        """Walk the goal's trajectory; it must succeed."""
        walker = ChainWalker(self.world, self.goal.offers).walk(self.goal.ways[0])
        if not (grade := self._grade(walker)).success:
            yield f"the trajectory does not succeed: {failed(grade)}"

    def _problems(self, parts: Sequence[Part]) -> Iterator[str]:
        """Do parts in this order; yield problems."""
        walker = ChainWalker(self.world, self.goal.offers)
        for part in parts:
            if part is not parts[0]:
                yield from self._conflicts(walker, part)
            try:
                walker.walk(way_of([part]))
            except (LostError, BrokenError) as error:
                yield f"{part.goal.task} cannot be done: {error}"
                return
        for part, grade in zip(parts, self._grades_of(walker, parts), strict=True):
            if not all(grade.passed.values()) or grade.unmet:
                yield f"{part.goal.task} fails: {failed(Grade(grade.passed, {}, grade.verdict, grade.unmet))}"
        # Only for the whole chain, because it needs the changes of all parts.
        if len(parts) == len(self.goal.parts) and not (grade := self._grade(walker)).success:
            yield f"the chain fails: {failed(grade)}"

    def _conflicts(self, walker: ChainWalker, part: Part) -> Iterator[str]:
        """Yield conflicts of the previous parts with this part: its goal is outdated, or it is already done."""
        database = walker.database(part.address)
        if database is None:
            return
        task = self._library.task(part.goal.task)
        assert isinstance(task, Task)
        site = next(site_world for site_world in self.world.parts if site_world.site == part.site)
        yield from outdated(task, part, site.entities_in(database))
        (grade,) = self._grades_of(walker, [part])
        if all(grade.passed.values()) and not grade.unmet:
            yield f"{part.goal.task} is done before it begins"

    def _grades_of(self, walker: ChainWalker, parts: Sequence[Part]) -> list[Grade]:
        run = walker.run(self.goal, parts)
        # The caller ignores harms, because changes of the other parts count as harms.
        return [
            self._library.checklist(part.site).grade(run_of(run, part, self.goal.parts), part.goal) for part in parts
        ]

    def _grade(self, walker: ChainWalker) -> Grade:
        return self._library.checklist(CHAINS).grade(walker.run(self.goal), self.goal)


def unproven(library: Library, chain: str, seed: int) -> list[str]:
    """Return the problems of a chain in a world, as texts; empty if it is proven."""
    try:
        walks = ChainWalks(library, chain, seed)
        return [*walks.one_way(), *walks.orders(), *walks.left_out()]
    except (UserError, LostError, BrokenError) as error:
        return [str(error)]
