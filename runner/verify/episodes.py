"""Episodes on a site: the agent that knows the way does every task, and those that only seem to do it do none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.api.read import graded
from runner.api.start import Experiment, Listener, Place
from runner.api.start import play as carried_out
from runner.registry import Library
from stressweb.analysis.graded import Graded
from stressweb.log.store import FILE, Store

IDLE, RANDOM = ("null", "talker"), "wander"
"""Agents that may not pass a checkpoint, and the one that may not do a task."""


@dataclass(frozen=True)
class Played:
    """Episodes that were played, and the folder that has them."""

    folder: Path
    episodes: list[Graded]


def play(experiment: Experiment, place: Place, library: Library, listener: Listener) -> Played:
    """Run an experiment and return its graded episodes."""
    listener.must_fail({*IDLE, RANDOM} & {*experiment.agents})
    folder = carried_out(experiment, place, listener, library).folder
    with Store.read(folder / FILE, known=True) as store:
        return Played(folder, graded(store))


def solving(site: str, worlds: Sequence[int]) -> Experiment:
    """Return the experiment in which `resilient` does every task of a site, clean and under every mode."""
    return _experiment(site, ("resilient",), "all", worlds)


def pretending(site: str) -> Experiment:
    """Return the experiment with the agents that do nothing, or anything."""
    return _experiment(site, (*IDLE, RANDOM), "clean", (0,))


def _experiment(site: str, agents: tuple[str, ...], condition: str, worlds: Sequence[int]) -> Experiment:
    return Experiment(
        agents=agents, tasks=(f"{site}/*",), conditions=(condition,), seed=tuple(worlds), screenshots=False
    )


def unsolved(played: Played) -> Iterator[tuple[str, str]]:
    """Yield task and reason for every episode in which `resilient` did not do its task, or did not say so."""
    for one in played.episodes:
        where = f"world {one.world_seed}, {one.condition}"
        if not one.success:
            yield one.task, f"resilient fails in {where}: {_how(one)}"
        elif one.claim != "done":
            yield one.task, f"resilient does it in {where}, and does not see that it did"


def undeserved(played: Played) -> Iterator[tuple[str, str]]:
    """Yield task and reason for every episode in which an agent that does nothing, or anything, earned something."""
    for one in played.episodes:
        if one.status == "error":
            yield one.task, f"{one.agent} could not be run: {_how(one)}"
        elif one.success or (one.agent in IDLE and (one.checkpoints_passed or one.harmed)):
            yield (
                one.task,
                f"{one.agent} earns something: {one.checkpoints_passed} of {one.checkpoints_total} checkpoints",
            )


def _how(one: Graded) -> str:
    disputed = ", checkpoints and database disagree" if one.disputed else ", does harm" if one.harmed else ""
    return f"{one.status}, {one.checkpoints_passed} of {one.checkpoints_total} checkpoints{disputed}, {one.steps} steps"
