"""Compares two runs, or two agents of one run: their success, and the episodes that differ."""

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
"""Agents of the first run, each with its partner in the second run."""


class Side(NamedTuple):
    """An episode of a pair, which may be missing."""

    verdict: Verdict | None
    """None if the episode is missing."""
    number: int
    """Its number in the report of its run; 0 if the episode is missing."""
    steps: int


class Difference(NamedTuple):
    """A cell that both runs planned, with different verdicts."""

    cell: Cell
    """The cell of the first run."""
    other: str
    """The agent of the second run."""
    left: Side
    right: Side
    changed: bool
    """Whether task, site or modes differ between the runs, which may cause the difference."""


class Row(NamedTuple):
    """An agent under a condition in both runs; rates are 0 to 1, None without episodes."""

    agent: str
    """Agent of the first run; for an agent of the second run without a partner, that agent."""
    other: str
    """Partner in the second run; without one, the same name."""
    condition: str
    left: float | None
    left_episodes: int
    right: float | None
    right_episodes: int
    pairs: int
    """Number of cells with an episode without error in both runs."""
    gained: int
    """Pairs in which only the second run succeeded."""
    lost: int
    """Pairs in which only the first run succeeded."""

    @property
    def change(self) -> float | None:
        """Success rate of the second run minus that of the first, over the pairs; None without pairs."""
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
    """Cells that only one run planned."""
    changed: int
    """Shared cells whose task, site or modes differ between the runs."""


def agents_of(run: RunContent) -> list[str]:
    """Return the agents of a run in the order of its plan."""
    return list(dict.fromkeys(cell.agent for cell in run.cells))


def default_pairs(left: Sequence[str], right: Sequence[str], *, same_run: bool) -> dict[str, str]:
    """Return the default pairs of agents.

    Agents of the same name are a pair. If each run has a single agent, these are a pair whatever their names, since
    versions and options change names. Within a run, the first two agents are a pair.
    """
    if same_run and len(left) > 1:
        return {left[0]: left[1]}
    if len(left) == len(right) == 1:
        return {left[0]: right[0]}
    return {name: name for name in left if name in right}


def side_by_side(left: RunContent, right: RunContent, partner_of: Agents, *, only_pairs: bool = False) -> SideBySide:
    """Compare each agent of `partner_of` in the first run with its partner in the second.

    With `only_pairs`, other agents are left out; otherwise they have rows without a partner.
    """
    if only_pairs:
        left, right = _with_agents(left, partner_of.keys()), _with_agents(right, partner_of.values())
    right_cell_by_key = {cell.key: cell for cell in right.cells}
    # By key, not by identity as in `stressweb compare`, so that changed cells are also listed, with a mark.
    shared = {
        cell: right_cell_by_key[key]
        for cell in left.cells
        if (key := _partner_key(cell, partner_of)) in right_cell_by_key
    }
    episodes = [{cell_of(episode): episode for episode in side.graded} for side in (left, right)]
    # The episodes' numbers in the reports, for links.
    numbers = [{cell_of(episode): number for number, episode in in_order(side.graded)} for side in (left, right)]
    with_other_identity = {
        cell for cell, partner in shared.items() if left.identities.get(cell.key) != right.identities.get(partner.key)
    }
    differences = []
    for cell, partner in shared.items():
        sides = [
            _side(episode_by_cell.get(side_cell), report_numbers.get(side_cell, 0))
            for side_cell, episode_by_cell, report_numbers in zip((cell, partner), episodes, numbers, strict=True)
        ]
        # A missing episode, whose verdict is None, is also a difference.
        if sides[0].verdict != sides[1].verdict:
            differences.append(Difference(cell, partner.agent, sides[0], sides[1], cell in with_other_identity))
    return SideBySide(
        rows=tuple(_rows(left, right, partner_of, shared, episodes)),
        differences=tuple(sorted(differences, key=_losses_first)),
        agents=partner_of,
        shared=len(shared),
        only_left=len(left.cells) - len(shared),
        # Two agents of the first run may have the same partner.
        only_right=len(right.cells) - len({partner.key for partner in shared.values()}),
        changed=len(with_other_identity),
    )


def _with_agents(run: RunContent, agents: Collection[str]) -> RunContent:
    """Return a run with only the cells of some agents, but all episodes, whose numbers are those of the report."""
    return replace(run, cells=tuple(cell for cell in run.cells if cell.agent in agents))


def _partner_key(cell: Cell, partner_of: Agents) -> str:
    """Return the key of a cell in the other run; empty if its agent has no partner."""
    return cell.model_copy(update={"agent": partner_of[cell.agent]}).key if cell.agent in partner_of else ""


def _side(episode: Graded | None, number: int) -> Side:
    return Side(verdict(episode), number, episode.steps) if episode else Side(None, 0, 0)


def _losses_first(difference: Difference) -> tuple[bool, bool]:
    """Return a sort key: the second run's losses first, then its gains, then missing episodes."""
    return None in (difference.left.verdict, difference.right.verdict), difference.left.verdict != "passed"


def _rows(
    left: RunContent,
    right: RunContent,
    partner_of: Agents,
    shared: Mapping[Cell, Cell],
    episodes: Sequence[Mapping[Cell, Graded]],
) -> list[Row]:
    row_keys = [(cell.agent, partner_of.get(cell.agent, cell.agent), cell.condition) for cell in left.cells]
    # An agent of the second run gets a row for each partner, or one without a partner.
    for cell in right.cells:
        partners = [name for name, partner in partner_of.items() if partner == cell.agent]
        row_keys += [(name, cell.agent, cell.condition) for name in partners or [cell.agent]]
    rows = []
    for agent, partner, condition in dict.fromkeys(row_keys):
        left_outcomes = _outcomes(left.graded, agent, condition) if _has_agent(left, agent) else []
        right_outcomes = (
            _outcomes(right.graded, partner, condition) if agent in partner_of or not _has_agent(left, agent) else []
        )
        pairs = [
            (left_episode.success, right_episode.success)
            for cell, right_cell in shared.items()
            if (cell.agent, cell.condition) == (agent, condition)
            and (left_episode := _counted_episode(episodes[0].get(cell)))
            and (right_episode := _counted_episode(episodes[1].get(right_cell)))
        ]
        rows.append(
            Row(
                agent,
                partner,
                condition,
                _rate(left_outcomes),
                len(left_outcomes),
                _rate(right_outcomes),
                len(right_outcomes),
                len(pairs),
                gained=sum(right_success and not left_success for left_success, right_success in pairs),
                lost=sum(left_success and not right_success for left_success, right_success in pairs),
            )
        )
    return rows


def _has_agent(run: RunContent, agent: str) -> bool:
    return any(cell.agent == agent for cell in run.cells)


def _counted_episode(episode: Graded | None) -> Graded | None:
    return episode if episode is not None and episode.counts else None


def _outcomes(episodes: Sequence[Graded], agent: str, condition: str) -> list[bool]:
    own = (episode for episode in episodes if (episode.agent, episode.condition) == (agent, condition))
    return [episode.success for episode in own if episode.counts]


def _rate(outcomes: Sequence[bool]) -> float | None:
    return sum(outcomes) / len(outcomes) if outcomes else None
