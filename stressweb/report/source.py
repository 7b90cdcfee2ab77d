"""What a report is made of."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stressweb.analysis.curves.measured import Curves
from stressweb.analysis.graded import Graded
from stressweb.core.conditions import UNTESTED
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.report.story import Brief, Undisturbed, UndisturbedFailures, brief


@dataclass(frozen=True)
class Source:
    """What a report is made of."""

    name: str
    """Name of the run."""
    meta: Mapping[str, Any]
    """What is written down about the run as a whole."""
    planned: Sequence[Cell]
    graded: Sequence[Graded]
    """Every finished episode, those that ended in error too."""
    load: Callable[[Cell], EpisodeRecord]
    """Returns a finished episode with its pages; they are asked for one after the other."""
    goal: Callable[[str, int], str]
    """Returns the text of the goal of a task at a world seed, empty where it is not known."""
    modes: Mapping[str, str]
    """What each mode does, in a sentence."""
    swallowing: Collection[str] = ()
    """The modes that stop a gesture when they deliver; only their lines of the ledger show that it had no effect."""
    curves: Curves = field(default_factory=Curves)
    """Curves and comparisons that its conditions have data for."""
    sheets: Callable[[str, int], Mapping[str, str]] = lambda site, world: {}
    """Returns the recorded style sheets of a site under a world seed, by URL."""
    causes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Sentences about the causes of failures, by key of the cell."""
    undisturbed: UndisturbedFailures = field(default_factory=dict)
    """How agents fail under clean, by agent, task and world."""
    briefs: Sequence[Brief] | None = None
    """What the list says of each of `graded`, in their order; None: it is found in the loaded episodes."""
    blocks: Callable[[Sequence[tuple[int, Graded]]], Iterator[dict[str, str]]] | None = None
    """Returns what `details.blocks` makes of each of these episodes, in their order; None: it is made one by one."""

    def brief(self, position: int) -> Brief:
        """Return what the list says of the episode at a place of `graded`."""
        if self.briefs is not None:
            return self.briefs[position]
        graded = self.graded[position]
        record = self.load(cell_of(graded))
        return brief(graded, record.grade, record.ledger, record.message)

    def undisturbed_of(self, graded: Graded) -> Undisturbed | None:
        """Return how the agent of a disturbed episode fails at its task under clean; None if it does not."""
        if graded.condition in UNTESTED:
            return None
        return self.undisturbed.get((graded.agent, graded.task, graded.world_seed))


def cell_of(graded: Graded) -> Cell:
    """Return the cell of an episode."""
    return Cell(
        agent=graded.agent,
        task=graded.task,
        condition=graded.condition,
        world=graded.world_seed,
        stress=graded.stress_seed,
        epoch=graded.epoch,
    )
