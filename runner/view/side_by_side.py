"""Two runs, or two agents of one run, side by side: their success, and the episodes in which they differ."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from stressweb.analysis.graded import Graded
from stressweb.log.recording import Cell
from stressweb.report.page import in_order
from stressweb.report.source import cell_of
from stressweb.report.story import Verdict, verdict
from stressweb.runner.view.runs import RunContent

type Agents = Mapping[str, str]
"""The agent of the second run that each agent of the first is compared with."""


class Side(NamedTuple):
    """One episode of a pair, or a missing one."""

    verdict: Verdict | None
    """None if it is not recorded."""
    number: int
    """Its number in the report of its run; 0 if it is not recorded."""
    steps: int


class Difference(NamedTuple):
    """A cell that both runs planned, with different verdicts."""

    cell: Cell
    """As the first run names it."""
    other: str
    """The agent of the second run."""
    left: Side
    right: Side
    changed: bool
    """Whether task, site or modes differ between the runs, which may cause the difference."""


class Row(NamedTuple):
    """One agent under one condition in both runs; rates are 0 to 1, None without episodes."""

    agent: str
    """Of the first run; of the second where no agent of the first is compared with it."""
    other: str
    """The agent of the second run that it is compared with; the same name without one."""
    condition: str
    left: float | None
    left_episodes: int
    right: float | None
    right_episodes: int
    pairs: int
    """Cells with an episode without error in both runs; the following figures are about them."""
    gained: int
    """Pairs in which the second run alone succeeded."""
    lost: int
    """Pairs in which the first run alone succeeded."""

    @property
    def change(self) -> float | None:
        """Success of the second run minus that of the first, over the pairs."""
        return (self.gained - self.lost) / self.pairs if self.pairs else None


class SideBySide(NamedTuple):
    """Two runs compared cell by cell."""

    rows: tuple[Row, ...]
    differences: tuple[Difference, ...]
    agents: Agents
    shared: int
    """Cells that both runs planned."""
    only_left: int
    only_right: int
    """Cells that only one of them planned."""
    changed: int
    """Shared cells whose task, site or modes differ between the runs."""


def agents_of(run: RunContent) -> list[str]:
    """Return the agents of a run in the order of its plan."""
    return list(dict.fromkeys(cell.agent for cell in run.cells))


def default_pairs(left: Sequence[str], right: Sequence[str], *, same_run: bool) -> dict[str, str]:
    """Return the default pairs of agents.

    Agents of the same name are a pair. Two runs of one agent each are a pair whatever the names are, since versions and
    options change the name. In a single run, the first two agents are a pair.
    """
    if same_run and len(left) > 1:
        return {left[0]: left[1]}
    if len(left) == len(right) == 1:
        return {left[0]: right[0]}
    return {name: name for name in left if name in right}


def side_by_side(left: RunContent, right: RunContent, names: Agents, *, only_pairs: bool = False) -> SideBySide:
    """Compare each agent of `names` in the first run with its partner in the second.

    With `only_pairs` other agents are left out; without it they appear as agents of one run.
    """
    if only_pairs:
        left, right = _only(left, names.keys()), _only(right, names.values())
    theirs = {cell.key: cell for cell in right.cells}
    # By key and not by identity, unlike `stressweb compare`: changed cells are shown, too, and marked.
    shared = {cell: theirs[key] for cell in left.cells if (key := _renamed(cell, names)) in theirs}
    episodes = [{cell_of(episode): episode for episode in side.graded} for side in (left, right)]
    # The numbers of episodes in the reports, so that a difference links into both.
    numbers = [{cell_of(episode): number for number, episode in in_order(side.graded)} for side in (left, right)]
    unlike = {
        cell for cell, partner in shared.items() if left.identities.get(cell.key) != right.identities.get(partner.key)
    }
    differences = []
    for cell, partner in shared.items():
        sides = [
            _side(own.get(side_cell), places.get(side_cell, 0))
            for side_cell, own, places in zip((cell, partner), episodes, numbers, strict=True)
        ]
        # A missing episode is a difference, too: its verdict is None.
        if sides[0].verdict != sides[1].verdict:
            differences.append(Difference(cell, partner.agent, sides[0], sides[1], cell in unlike))
    return SideBySide(
        rows=tuple(_rows(left, right, names, shared, episodes)),
        differences=tuple(sorted(differences, key=_severity)),
        agents=names,
        shared=len(shared),
        only_left=len(left.cells) - len(shared),
        # Two agents of the first run may have the same partner.
        only_right=len(right.cells) - len({partner.key for partner in shared.values()}),
        changed=len(unlike),
    )


def _only(run: RunContent, agents: Collection[str]) -> RunContent:
    """Return the cells of some agents of a run. Its episodes stay: their numbers are those of its whole report."""
    return replace(run, cells=tuple(cell for cell in run.cells if cell.agent in agents))


def _renamed(cell: Cell, names: Agents) -> str:
    """Return the key that a cell has in the other run; empty if its agent is not there."""
    return cell.model_copy(update={"agent": names[cell.agent]}).key if cell.agent in names else ""


def _side(episode: Graded | None, number: int) -> Side:
    return Side(verdict(episode), number, episode.steps) if episode else Side(None, 0, 0)


def _severity(difference: Difference) -> tuple[bool, bool]:
    """Return a sort key: losses of the second run first, then its gains, then missing episodes."""
    return None in (difference.left.verdict, difference.right.verdict), difference.left.verdict != "passed"


def _rows(
    left: RunContent,
    right: RunContent,
    names: Agents,
    shared: Mapping[Cell, Cell],
    episodes: Sequence[Mapping[Cell, Graded]],
) -> list[Row]:
    places = [(cell.agent, names.get(cell.agent, cell.agent), cell.condition) for cell in left.cells]
    # An agent of the second run gets a row for each agent that it is compared with, or of its own.
    for cell in right.cells:
        partners = [name for name, partner in names.items() if partner == cell.agent]
        places += [(name, cell.agent, cell.condition) for name in partners or [cell.agent]]
    rows = []
    for agent, partner, condition in dict.fromkeys(places):
        ours = _outcomes(left.graded, agent, condition) if _has(left, agent) else []
        others = _outcomes(right.graded, partner, condition) if agent in names or not _has(left, agent) else []
        pairs = [
            (before.success, after.success)
            for cell, twin in shared.items()
            if (cell.agent, cell.condition) == (agent, condition)
            and (before := _counted(episodes[0].get(cell)))
            and (after := _counted(episodes[1].get(twin)))
        ]
        rows.append(
            Row(
                agent,
                partner,
                condition,
                _rate(ours),
                len(ours),
                _rate(others),
                len(others),
                len(pairs),
                gained=sum(after and not before for before, after in pairs),
                lost=sum(before and not after for before, after in pairs),
            )
        )
    return rows


def _has(run: RunContent, agent: str) -> bool:
    return any(cell.agent == agent for cell in run.cells)


def _counted(episode: Graded | None) -> Graded | None:
    return episode if episode is not None and episode.counts else None


def _outcomes(episodes: Sequence[Graded], agent: str, condition: str) -> list[bool]:
    own = (episode for episode in episodes if (episode.agent, episode.condition) == (agent, condition))
    return [episode.success for episode in own if episode.counts]


def _rate(outcomes: Sequence[bool]) -> float | None:
    return sum(outcomes) / len(outcomes) if outcomes else None
