"""Chains: several tasks on one or several sites in one episode, in any order.

Each part is graded like a single task, by its own checkpoints over the pages of its site. The databases must change
exactly as all parts expect together.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from stressweb.core.errors import UserError
from stressweb.core.task_id import CHAIN, CHAINS, PART, site_of
from stressweb.plugins.chain_conflicts import conflicts
from stressweb.plugins.chain_world import ChainWorld, address_of, parted
from stressweb.plugins.checks import Check, Checklist, Checks, Harm
from stressweb.plugins.database import Key, TableChange
from stressweb.plugins.expected import Expected
from stressweb.plugins.expected_jointly import JointExpected
from stressweb.plugins.offers import Offer
from stressweb.plugins.query import Run
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Difficulty, Goal, Part, Tag, Task, load_all

MOST_PARTS = 8
_DRAWS = 20
"""Largest number of times that the parts of a chain are drawn."""


class Chain(BaseModel):
    """An entry of `chains.yaml`. A chain is drawn, run and graded like a task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=CHAIN)]
    tasks: Annotated[tuple[Annotated[str, Field(pattern=PART)], ...], Field(min_length=2, max_length=MOST_PARTS)]
    """The tasks in the order of the goal and of the trajectory."""
    family: Tag | None = None
    """Name shared by chains that an agent tends to fail together; without one, a chain is its own family."""
    tags: tuple[Tag, ...] = ()
    difficulty: Difficulty = "hard"
    _path: Path | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _check_distinct(self) -> Self:
        for position, task in enumerate(self.tasks):
            if task in self.tasks[:position]:
                raise ValueError(f"task {task} is in it twice")
        return self

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites of its parts, each once, in the order of their first parts."""
        return tuple(dict.fromkeys(site_of(task) for task in self.tasks))

    def difficulty_of(self, goal: Goal) -> Difficulty:
        """Return the difficulty in the file, by default hard."""
        return self.difficulty

    def goal(self, world: ChainWorld, tasks: Mapping[str, Task]) -> Goal:
        """Return the chain's goal in `world`; `tasks` are its parts by id.

        Raises UserError if two parts conflict in every draw, because one changes what the other needs.
        """
        parts = self._parts(world, tasks)
        expects = {
            site: Expected.joined(
                {part.number: part.goal.expect for part in parts if part.site == site and part.goal.expect}
            )
            for site in self.sites
            if any(part.site == site and part.goal.expect for part in parts)
        }
        return Goal(
            task=self.id,
            world_seed=world.seed,
            text=_text(parts),
            params={},
            # Without the first step, because the episode begins at the first part's site.
            ways=(way_of(parts)[1:],),
            evidence=tuple(part.key(path) for part in parts for path in part.goal.evidence),
            expect=JointExpected(world, expects),
            offers=self._offers(parts),
            parts=tuple(parts),
        )

    def _parts(self, world: ChainWorld, tasks: Mapping[str, Task]) -> list[Part]:
        """Return the first draw of all parts in which none conflict."""
        errors: list[UserError] = []
        for draw in range(_DRAWS):
            try:
                return self._drawn_parts(world, tasks, draw)
            except UserError as error:
                errors.append(error)
        # It is about the goals that the parts have as single tasks.
        raise errors[0]

    def _drawn_parts(self, world: ChainWorld, tasks: Mapping[str, Task], draw: int) -> list[Part]:
        worlds = {site_world.site: site_world for site_world in world.parts}
        parts = []
        for number, name in enumerate(self.tasks, start=1):
            site = worlds[site_of(name)]
            parts.append(Part(number, site.site, address_of(site), tasks[name].goal(site, draw)))
        for first, second, reason in conflicts(parts, tasks, worlds):
            raise self._conflict(first, second, reason)
        self._offers(parts)
        return parts

    def _offers(self, parts: Sequence[Part]) -> tuple[Offer, ...]:
        """Return the files that the parts offer; raises UserError if two offer different files with one name."""
        owners: dict[str, tuple[Part, Offer]] = {}
        for part in parts:
            for offer in part.goal.offers:
                owner, first_offer = owners.setdefault(offer.name, (part, offer))
                if first_offer != offer:
                    raise self._conflict(owner, part, f"both offer a file called {offer.name}")
        return tuple(owners[name][1] for name in sorted(owners))

    def _conflict(self, first: Part, second: Part, reason: str) -> UserError:
        return UserError(
            f"{self._path or CHAINS}: {self.id}: world seed {second.goal.world_seed}: "
            f"{first.goal.task} and {second.goal.task} conflict: {reason}"
        )


def way_of(parts: Sequence[Part]) -> tuple[Step, ...]:
    """Return the steps of the parts in this order; each part begins with the step to its site."""
    return tuple(step for part in parts for step in (Step(verb="go", target=part.address), *part.goal.ways[0]))


def _text(parts: Sequence[Part]) -> str:
    lines = [f"{part.number}. At {part.address}: {part.goal.text}" for part in parts]
    opening = f"Do these {len(parts)} things, in any order. Each says at which address its site is."
    return "\n".join([opening, *lines])


def load_chains(path: Path) -> list[Chain]:
    """Return the chains of a file; raises UserError with file and line if it is malformed."""
    return load_all(path, list[Chain])


def chained(chains: Sequence[Chain], checklist_of: Callable[[str], Checklist]) -> Checklist:
    """Return the checkpoints of chains: those of the parts in order, each name prefixed by the part's number.

    `checklist_of` returns the checkpoints of a site.
    """

    def check(run: Run, goal: Goal) -> Checks:
        for part in goal.parts:
            for result in checklist_of(part.site).checks[part.goal.task](run_of(run, part, goal.parts), part.goal):
                name = f"{part.number}. {result.name if isinstance(result, Harm) else result[0]}"
                yield Harm(name, result.done) if isinstance(result, Harm) else (name, result[1])

    checks: dict[str, Check] = {chain.id: check for chain in chains}
    return Checklist(checks, f"{CHAINS}.yaml")


def run_of(run: Run, part: Part, parts: Sequence[Part]) -> Run:
    """Return a chain's episode for the checkpoints of one part: pages, evidence and changes of its own site.

    Initial rows that another part changes are left out; they would break a goal's "and no other".
    """
    keys = {part.key(path): path for path in part.goal.evidence}
    same_site = [
        neighbour.goal.expect for neighbour in parts if neighbour.site == part.site and neighbour.number != part.number
    ]
    others = {row for expect in same_site if expect is not None for row in expect.touched()}
    return Run(
        [state for state in run.states if state.url.startswith(part.address)],
        {keys[key]: state for key, state in run.closings.items() if key in keys},
        {table: _without_rows(change, table, others) for table, change in parted(run.tables, part.site).items()},
        open_pages=[state for state in run.open_pages if state.url.startswith(part.address)],
    )


def _without_rows(change: TableChange, table: str, rows: Collection[tuple[str, Key]]) -> TableChange:
    """Return the change of a table without some initial rows (table and key)."""
    return replace(
        change,
        altered=tuple(pair for pair in change.altered if (table, change.key_of(pair[1])) not in rows),
        removed=tuple(row for row in change.removed if (table, change.key_of(row)) not in rows),
    )
