"""Two runs side by side: what each reached, and the episodes in which they differ."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runner.view.runs import RunContent
from stressweb.analysis.graded import Graded
from stressweb.log.recording import Cell
from stressweb.report.page import in_order
from stressweb.report.source import cell_of
from stressweb.report.story import Verdict, verdict

type Agents = Mapping[str, str]
"""What an agent of the first run is called in the second."""


class Side(NamedTuple):
    """One episode of a pair, or the place of one that is not there."""

    verdict: Verdict | None
    """None if it is not recorded."""
    number: int
    """Its number in the report of its run; 0 if it is not recorded."""
    steps: int


class Difference(NamedTuple):
    """A cell that both runs planned, with other verdicts."""

    cell: Cell
    """As the first run names it."""
    left: Side
    right: Side
    changed: bool
    """Whether task, site or modes are not the same in both runs, so that the difference may come from there."""


class Row(NamedTuple):
    """One agent under one condition in both runs; rates are 0 to 1, None without episodes."""

    agent: str
    condition: str
    left: float | None
    left_episodes: int
    right: float | None
    right_episodes: int
    pairs: int
    """Cells with an episode without error in both runs; all that follows is made from them."""
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
    """Cells that one of them planned."""
    changed: int
    """Shared cells whose task, site or modes are not the same in both runs."""


def side_by_side(left: RunContent, right: RunContent) -> SideBySide:
    """Compare two runs. Agents are paired by name; if each run has one agent, those two are a pair."""
    names = _paired({cell.agent for cell in left.cells}, {cell.agent for cell in right.cells})
    theirs = {cell.key: cell for cell in right.cells}
    # By key and not by identity, unlike `stressweb compare`: cells that have changed are shown too, and marked as
    # changed.
    shared = {cell: theirs[key] for cell in left.cells if (key := _renamed(cell, names)) in theirs}
    episodes = [{cell_of(one): one for one in side.graded} for side in (left, right)]
    # The numbers that the reports give their episodes, so that a difference links into both.
    numbers = [{cell_of(one): at for at, one in in_order(side.graded)} for side in (left, right)]
    unlike = {
        cell for cell, other in shared.items() if left.identities.get(cell.key) != right.identities.get(other.key)
    }
    differences = []
    for cell, other in shared.items():
        sides = [
            _side(own.get(at), places.get(at, 0))
            for at, own, places in zip((cell, other), episodes, numbers, strict=True)
        ]
        # An episode that one run does not have is a difference, too: its verdict is None.
        if sides[0].verdict != sides[1].verdict:
            differences.append(Difference(cell, sides[0], sides[1], cell in unlike))
    return SideBySide(
        rows=tuple(_rows(left, right, names, shared, episodes)),
        differences=tuple(sorted(differences, key=_severity)),
        agents=names,
        shared=len(shared),
        only_left=len(left.cells) - len(shared),
        only_right=len(right.cells) - len(shared),
        changed=len(unlike),
    )


def _paired(left: set[str], right: set[str]) -> dict[str, str]:
    # Whatever they are called: two versions of one agent have two names, and so has an agent with other options.
    if len(left) == len(right) == 1:
        return dict(zip(left, right, strict=True))
    return {name: name for name in left & right}


def _renamed(cell: Cell, names: Agents) -> str:
    """Return the key that a cell has in the other run; empty if its agent is not there."""
    return cell.model_copy(update={"agent": names[cell.agent]}).key if cell.agent in names else ""


def _side(episode: Graded | None, number: int) -> Side:
    return Side(verdict(episode), number, episode.steps) if episode else Side(None, 0, 0)


def _severity(one: Difference) -> tuple[bool, bool]:
    """What the second run lost comes first, what it gained next, then what one of them does not have."""
    return None in (one.left.verdict, one.right.verdict), one.left.verdict != "passed"


def _rows(
    left: RunContent,
    right: RunContent,
    names: Agents,
    shared: Mapping[Cell, Cell],
    episodes: Sequence[Mapping[Cell, Graded]],
) -> list[Row]:
    back = {other: name for name, other in names.items()}
    places = [(cell.agent, cell.condition) for cell in left.cells]
    # What only the second run has gets a row as well, under the name that the first run gives the agent.
    places += [(back.get(cell.agent, cell.agent), cell.condition) for cell in right.cells]
    found = []
    for agent, condition in dict.fromkeys(places):
        ours = _outcomes(left.graded, agent, condition)
        others = _outcomes(right.graded, names.get(agent, agent), condition)
        pairs = [
            (before.success, after.success)
            for cell, twin in shared.items()
            if (cell.agent, cell.condition) == (agent, condition)
            and (before := _counted(episodes[0].get(cell)))
            and (after := _counted(episodes[1].get(twin)))
        ]
        found.append(
            Row(
                agent,
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
    return found


def _counted(episode: Graded | None) -> Graded | None:
    return None if episode is None or episode.status == "error" else episode


def _outcomes(episodes: Sequence[Graded], agent: str, condition: str) -> list[bool]:
    own = (one for one in episodes if (one.agent, one.condition) == (agent, condition))
    return [one.success for one in own if one.status != "error"]


def _rate(outcomes: Sequence[bool]) -> float | None:
    return sum(outcomes) / len(outcomes) if outcomes else None
