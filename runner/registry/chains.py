"""Tasks that lead over several sites: their file, their goals, their worlds and their checkpoints."""

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path

from stressweb.core import yaml_models
from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.plugins.chain import Chain, chained, load_chains
from stressweb.plugins.chain_world import ChainWorld
from stressweb.plugins.checks import Checklist
from stressweb.plugins.site import SiteWorld
from stressweb.plugins.task import Goal, Task


class Chains:
    """The chains of a file."""

    def __init__(self, path: Path, known: Collection[str]) -> None:
        """Take the file, and the ids of all tasks; nothing is read before it is asked for."""
        self._path = path
        self._known = known

    @cached_property
    def tasks(self) -> dict[str, Chain]:
        """The chains by id; raises UserError for a part that is no task."""
        chains = load_chains(self._path)
        for at, chain in enumerate(chains):
            for number, part in enumerate(chain.tasks):
                if part not in self._known:
                    reason = unknown("task", part, self._known, command="stressweb list tasks")
                    line = yaml_models.line_of(self._path, (at, "tasks", number))
                    raise UserError(f"{line}: {chain.id}: {reason}")
        return {chain.id: chain for chain in chains}

    def goal(self, chain: Task | Chain, world: SiteWorld, task: Callable[[str], Task | Chain]) -> Goal:
        """Return the goal of a chain in a world; `task` gives a part by its id."""
        assert isinstance(chain, Chain)
        assert isinstance(world, ChainWorld)
        parts = {part: task(part) for part in chain.tasks}
        return chain.goal(world, {part: found for part, found in parts.items() if isinstance(found, Task)})

    def world(self, sites: Sequence[SiteWorld]) -> SiteWorld:
        """Return the world of a chain."""
        return ChainWorld(sites)

    def checklist(self, checklist: Callable[[str], Checklist]) -> Checklist:
        """Return the checkpoints of all chains; `checklist` gives those of a site."""
        return chained(list(self.tasks.values()), checklist)
