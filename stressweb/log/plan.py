"""The plan of a run: its cells, and their order."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import Annotated

from pydantic import ConfigDict, Field

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.conditions import CLEAN, Condition
from stressweb.core.draws import digest
from stressweb.core.errors import UserError
from stressweb.core.task_id import site_of
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell
from stressweb.log.schedule import sharded

MOST_SEEDS = 1000
"""Largest number of stress seeds per run."""
MOST_SHARDS = 1000
"""Largest number of shards per plan."""
MOST_CELLS = 1_000_000
"""Largest number of cells per run."""
_SEED = (
    "a stress seed is a whole number from 0 on, and each is another draw of what is disturbed: write 3, "
    "a list 0,1,2 or a span 0..4"
)
_SHARD = re.compile(r"([0-9]{1,5})/([0-9]{1,5})")
_SPAN = re.compile(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?")

type Seed = Annotated[int, Field(ge=0)]


class Plan(Limits):
    """The plan of a run; stored in its database, so that a resumed run has the same plan."""

    # An option of an agent may be infinite, and pydantic writes null for that by default.
    model_config = ConfigDict(ser_json_inf_nan="constants")

    agents: tuple[AgentSpec, ...]
    """Of those that are not deterministic, clean runs at least twice."""
    tasks: tuple[str, ...]
    conditions: tuple[Condition, ...]
    """Clean is among them, since every difference is to clean."""
    worlds: tuple[int, ...] = (0,)
    stress: Annotated[tuple[Seed, ...], Field(min_length=1)] = (0,)
    """Stress seeds: each condition that draws anything runs once for each of them."""
    epochs: Annotated[int, Field(ge=1)] = 1
    """Repetitions of every cell with the same draws and another sampling seed for the agent."""
    sample: Annotated[int, Field(ge=1)] | None = None
    """How many cells are taken, drawn from all of them and spread over sites and conditions; None: every one."""
    shard: tuple[int, int] | None = None
    """Number of a shard, from 1, and how many there are: then the plan has the cells of this shard alone."""
    opened: tuple[Cell, ...] | None = None
    """The cells of a run whose episodes are opened one by one, as `stressweb host` does; None: all combinations."""

    @property
    def size(self) -> int:
        """Upper bound of the number of cells, computed without creating them."""
        if self.opened is not None:
            return len(self.opened)
        each = len(self.agents) * len(self.tasks) * len(self.conditions) * len(self.worlds) * len(self.stress)
        # One epoch more than planned, because clean may run twice where everything else runs once.
        return each * (self.epochs + 1)

    def cells(self) -> list[Cell]:
        """Return every cell; cells that are compared with each other are adjacent, so that half a run is useful.

        Repetitions follow each other: all tasks with the first stress seed, then all with the second. Conditions
        without draws have no stress seed, and come with the first one. Additional runs of clean come in the last epoch.
        """
        if self.opened is not None:
            return list(self.opened)
        cells = sampled(list(self._cells()), self.sample) if self.sample else self._cells()
        return sharded(cells, self.epochs, *self.shard) if self.shard else cells

    def _cells(self) -> list[Cell]:
        return [
            Cell(agent=agent.label, task=task, condition=condition.label, world=world, stress=seed, epoch=repetition)
            for epoch in range(self.epochs)
            for stress in self.stress
            for world in self.worlds
            for task in self.tasks
            for agent in self.agents
            for condition, seed, repetition in self._arms(agent, epoch, stress)
        ]

    def _arms(self, agent: AgentSpec, epoch: int, stress: int) -> Iterator[tuple[Condition, int | None, int]]:
        """Yield condition, stress seed and epoch for one agent and task in one epoch at one seed."""
        last = self.clean_epochs(agent) if epoch == self.epochs - 1 else epoch + 1
        for condition in self.conditions:
            if condition.drawn:
                yield condition, stress, epoch
            # Without draws, every stress seed would give the same episode.
            elif stress == self.stress[0]:
                yield from (
                    (condition, None, repetition)
                    for repetition in range(epoch, last if condition == CLEAN else epoch + 1)
                )

    def clean_epochs(self, agent: AgentSpec) -> int:
        """Return how often clean runs: at least twice for an agent that is not deterministic."""
        return self.epochs if agent.deterministic else max(2, self.epochs)


def limited(tasks: Sequence[str], limit: int | None) -> tuple[str, ...]:
    """Return `limit` of the tasks, from each site in turn, in their given order.

    Agents and conditions are not limited.
    """
    if limit is None:
        return tuple(tasks)
    sites: dict[str, list[str]] = {}
    for task in tasks:
        sites.setdefault(site_of(task), []).append(task)
    # In turn, so that a small limit does not omit whole sites.
    turns = [task for turn in zip_longest(*sites.values()) for task in turn if task is not None]
    chosen = set(turns[:limit])
    return tuple(task for task in tasks if task in chosen)


def sampled(cells: Sequence[Cell], count: int) -> list[Cell]:
    """Return `count` of the cells, always the same ones, in their order.

    Sites and conditions take turns, so that a small sample has some of each; a smaller sample is part of a larger one.
    """
    strata: dict[tuple[str, str], list[Cell]] = {}
    for cell in sorted(cells, key=lambda cell: digest("sample", cell.key, size=8)):
        strata.setdefault((cell.site, cell.condition), []).append(cell)
    sites, conditions = (list(dict.fromkeys(names)) for names in zip(*strata, strict=True))
    # Along diagonals: each next stratum has another site and another condition.
    order = [
        (sites[(place + turn) % len(sites)], condition)
        for turn in range(len(sites))
        for place, condition in enumerate(conditions)
    ]
    turns = (cell for turn in zip_longest(*(strata.get(each, []) for each in order)) for cell in turn if cell)
    chosen = set(islice(turns, count))
    return [cell for cell in cells if cell in chosen]


def shard_of(text: str | None) -> tuple[int, int] | None:
    """Return number and count of a shard such as `2/8`; raises UserError for anything else."""
    if text is None:
        return None
    match = _SHARD.fullmatch(text.strip())
    number, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= count <= MOST_SHARDS:
        raise UserError(
            f"shard {text!r} is not of the form 2/8: a number from 1 on, and of how many, at most {MOST_SHARDS}"
        )
    return number, count


def seeds(text: str, option: str = "stress-seeds") -> tuple[int, ...]:
    """Return the seeds in a user's list, each once, in order: `3`, `0,1,2`, `0..4`, `0..4,9`.

    `option` names them in messages. Raises UserError for anything else, and for more than `MOST_SEEDS`.
    """
    numbers: dict[int, None] = {}
    for part in text.split(","):
        match = _SPAN.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first:
            raise UserError(f"{option} {text!r}: {part.strip()!r} is not a seed; {_SEED}")
        # Checked before any are created: 0..999999999 would fill the memory.
        if last - first >= MOST_SEEDS or len(numbers) + last - first >= MOST_SEEDS:
            raise UserError(f"{option} {text!r} is more than {MOST_SEEDS} seeds")
        numbers.update(dict.fromkeys(range(first, last + 1)))
    return tuple(numbers)
