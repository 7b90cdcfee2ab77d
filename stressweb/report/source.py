"""The input of a report."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stressweb.analysis.curves.measured import Curves
from stressweb.analysis.graded import Graded
from stressweb.core.conditions import UNTESTED
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.report.story import Brief, CleanFailures, CleanFailuresByTask, brief


@dataclass(frozen=True)
class Source:
    """The input of a report."""

    name: str
    """Name of the run."""
    meta: Mapping[str, Any]
    """The entries about the run as a whole."""
    planned: Sequence[Cell]
    graded: Sequence[Graded]
    """Every finished episode, including errors."""
    load: Callable[[Cell], EpisodeRecord]
    """Loads a finished episode with its pages, one at a time."""
    goal: Callable[[str, int], str]
    """Returns the goal of a task at a world seed; "" if unknown."""
    modes: Mapping[str, str]
    """What each mode does, in a sentence."""
    gesture_stopping_modes: Collection[str] = ()
    """The modes that stop a gesture when they deliver; only their ledger lines show that it had no effect."""
    curves: Curves = field(default_factory=Curves)
    """Curves and comparisons for which the run has data."""
    sheets: Callable[[str, int], Mapping[str, str]] = lambda site, world: {}
    """Returns the recorded style sheets of a site under a world seed, by URL."""
    causes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Sentences about the causes of failures, by key of the cell."""
    clean_failures: CleanFailuresByTask = field(default_factory=dict)
    """Failures of agents under clean, by agent, task and world."""
    briefs: Sequence[Brief] | None = None
    """The list's entry for each of `graded`, in order; None: computed from the loaded episodes."""
    blocks: Callable[[Sequence[tuple[int, Graded]]], Iterator[dict[str, str]]] | None = None
    """Returns `details.blocks` of each of these episodes, in order; None: computed one by one."""

    def brief(self, position: int) -> Brief:
        """Return the list's entry for the episode at a position of `graded`."""
        if self.briefs is not None:
            return self.briefs[position]
        graded = self.graded[position]
        record = self.load(cell_of(graded))
        return brief(graded, record.grade, record.ledger, record.message)

    def clean_failures_of(self, graded: Graded) -> CleanFailures | None:
        """Return how the agent of a disturbed episode fails at its task under clean; None if it does not."""
        if graded.condition in UNTESTED:
            return None
        return self.clean_failures.get((graded.agent, graded.task, graded.world_seed))


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
