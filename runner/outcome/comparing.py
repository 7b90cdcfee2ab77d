"""Compares two recorded runs: pairs their agents, and returns commands that rerun newly failing cells."""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from stressweb.analysis.comparison import Comparison, Planned, compare
from stressweb.analysis.pairing import grouped
from stressweb.core.agent_names import by_name
from stressweb.core.agent_spec import way_of
from stressweb.core.choices import unknown
from stressweb.core.conditions import CLEAN
from stressweb.core.errors import UserError
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell
from stressweb.log.run_folder import recorded_plan
from stressweb.log.store import FILE, Store
from stressweb.runner.outcome.results import with_episodes

_WAYS = {"ours": "driven by stressweb", "observed": "observed"}


class Compared(NamedTuple):
    """The result of comparing two runs."""

    comparisons: list[Comparison]
    notes: list[str]
    """Remarks on how agents were paired."""


class Side(NamedTuple):
    """The parts of a run that a comparison needs."""

    name: str
    cells: list[Planned]
    limits: Limits = Limits()
    """Limits of each episode."""
    missing: int = 0
    """Cells that have not run yet."""

    @property
    def agents(self) -> list[str]:
        """Its agents, in the order of the plan."""
        return list(dict.fromkeys(planned.cell.agent for planned in self.cells))

    def of(self, agent: str) -> list[Planned]:
        """Return the cells of one agent."""
        return [planned for planned in self.cells if planned.cell.agent == agent]


def side(folder: Path) -> Side:
    """Read a run; raises UserError if its recording is unreadable or was altered."""
    with Store.read(folder / FILE) as store:
        plan, identities = recorded_plan(store), store.identities()
        episodes = {details.episode.cell: graded for details, graded in with_episodes(store)}
        cells = [Planned(cell, identities[cell.key], episodes.get(cell)) for cell in store.cells()]
    return Side(folder.name, cells, plan.limits, len(cells) - len(episodes))


def compared(baseline: Side, new: Side, named: Sequence[str] = ()) -> Compared:
    """Compare the agents of two runs, paired by name or by `named`.

    `named` lists pairs as `OLD=NEW`. If each run has a single agent, these are paired, whatever their names. Raises
    UserError for unknown names, and if the runs share no cell.
    """
    pairs, notes = _agents(baseline, new, named)
    for old, agent in pairs:
        if way_of(old) != way_of(agent):
            ways = f"{old} is {_WAYS[way_of(old)]}, and {agent} {_WAYS[way_of(agent)]}"
            raise UserError(f"{ways}: episodes recorded in different ways cannot be compared")
    comparisons = [compare(baseline.of(old), new.of(agent)) for old, agent in pairs]
    if not any(_share_cells(baseline.of(old), new.of(agent)) for old, agent in pairs):
        raise UserError(_no_shared_cell(baseline, new, pairs))
    unfinished = [
        f"run {run.name} is not finished: {run.missing} of {len(run.cells)} episodes are missing"
        for run in (baseline, new)
        if run.missing
    ]
    return Compared(comparisons, [*notes, *unfinished])


def _agents(baseline: Side, new: Side, named: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    named_pairs = [_pair(text, baseline, new) for text in named]
    unpaired_old = [name for name in baseline.agents if name not in {old for old, _ in named_pairs}]
    unpaired_new = [name for name in new.agents if name not in {agent for _, agent in named_pairs}]
    # A new version often has a new name; with one agent in each run, the pairing is unambiguous.
    if not named_pairs and len(unpaired_old) == len(unpaired_new) == 1:
        notes = [f"{unpaired_new[0]} is compared with {unpaired_old[0]}, the only agent of the other run"]
        return [(unpaired_old[0], unpaired_new[0])], notes if unpaired_old != unpaired_new else []
    pairs = [*named_pairs, *((name, name) for name in unpaired_new if name in unpaired_old)]
    if not pairs:
        agents = f"{', '.join(baseline.agents)} and {', '.join(new.agents)}"
        raise UserError(
            f"runs {baseline.name} and {new.name} have no agent in common ({agents}); pair them with"
            f" --agent {shlex.quote(f'{baseline.agents[0]}={new.agents[0]}')}"
        )
    return pairs, [
        f"{name} is not in the baseline and is not compared" for name in unpaired_new if name not in unpaired_old
    ]


def _pair(text: str, baseline: Side, new: Side) -> tuple[str, str]:
    """Return the two agents of `OLD=NEW`; both may contain equals signs, in options or before a title."""
    olds, news = by_name(baseline.agents), by_name(new.agents)
    cuts = [position for position, letter in enumerate(text) if letter == "="]
    for cut in cuts:
        old, agent = text[:cut].strip(), text[cut + 1 :].strip()
        if old in olds and agent in news:
            return olds[old], news[agent]
    if not cuts:
        raise UserError(f"agent {text!r} is not of the form OLD=NEW: an agent of the baseline, then one of the new run")
    # No split gives two existing agents, so the message is about the most likely one.
    old, agent = text[: cuts[0]].strip(), text[cuts[0] + 1 :].strip()
    if old not in olds:
        raise UserError(f"{unknown('agent', old, baseline.agents)} in the baseline {baseline.name}")
    raise UserError(f"{unknown('agent', agent, new.agents)} in run {new.name}")


def _share_cells(baseline: Iterable[Planned], new: Iterable[Planned]) -> bool:
    # The epoch is not part of an identity. Runs of early versions have empty identities.
    known = {(planned.identity, planned.cell.epoch) for planned in baseline if planned.identity}
    return any((planned.identity, planned.cell.epoch) in known for planned in new)


def _no_shared_cell(baseline: Side, new: Side, pairs: Sequence[tuple[str, str]]) -> str:
    """Return the message that two runs share no cell, with the reason and the cure."""
    baseline_cells = [planned for name, _ in pairs for planned in baseline.of(name)]
    new_cells = [planned for _, name in pairs for planned in new.of(name)]
    reason = f"runs {baseline.name} and {new.name} share no cell"
    for part, plural, option in (("task", "tasks", "--task"), ("world", "world seeds", "--seed")):
        baseline_parts, new_parts = (
            {str(getattr(planned.cell, part)) for planned in side} for side in (baseline_cells, new_cells)
        )
        # The first reason is enough.
        if not baseline_parts & new_parts:
            differ = f"their {plural} differ ({_abridged(baseline_parts)} and {_abridged(new_parts)})"
            return f"{reason}: {differ}; run again with {option} {_abridged(baseline_parts)}"
    if not all(planned.identity for planned in (*baseline_cells, *new_cells)):
        return f"{reason}: one was recorded without cell identities; record it again"
    # Limits are part of every identity, so runs with different limits share no cell.
    budgets = [str(run.limits) for run in (baseline, new)]
    if budgets[0] != budgets[1]:
        return (
            f"{reason}: an episode may take {budgets[0]} in the baseline and {budgets[1]} now; run again with the same"
        )
    return f"{reason}: tasks, sites or modes have changed since the baseline; record a new baseline with this version"


def _abridged(names: Iterable[str]) -> str:
    ordered = sorted(names)
    return ",".join(ordered[:3]) + (f" and {len(ordered) - 3} more" if len(ordered) > 3 else "")


def replays(comparison: Comparison, limits: Limits) -> dict[str, list[str]]:
    """Return for each newly failing task the commands that rerun its failing cells, and clean."""
    cells_by_task_and_world = grouped(comparison.failing, lambda cell: (cell.task, cell.world))
    commands: dict[str, list[str]] = {}
    for (task, world), cells in cells_by_task_and_world.items():
        commands.setdefault(task, []).append(_replay(task, comparison.agent, world, cells, limits))
    return commands


def _replay(task: str, agent: str, world: int, cells: Sequence[Cell], limits: Limits) -> str:
    # A run always includes clean, so clean is named only if it alone fails.
    modes = list(dict.fromkeys(cell.condition for cell in cells if cell.condition != CLEAN.label)) or [CLEAN.label]
    seeds = sorted({cell.stress for cell in cells if cell.stress is not None})
    words = ["stressweb", "run", "--task", task, "--agent", agent, "--mode", ",".join(modes)]
    words += ["--seed", str(world)] if world else []
    words += ["--stress-seeds", ",".join(map(str, seeds))] if seeds not in ([], [0]) else []
    epochs = max(cell.epoch for cell in cells) + 1
    words += ["--epochs", str(epochs)] if epochs > 1 else []
    return shlex.join([*words, *limits.options()])
