"""Episodes on a site: `resilient` must do every task, and control agents must do none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stressweb.analysis.graded import Graded
from stressweb.log.store import FILE, Store
from stressweb.runner.api.read import graded
from stressweb.runner.api.start import Experiment, Listener, Place
from stressweb.runner.api.start import play as carried_out
from stressweb.runner.registry import Library

IDLE, RANDOM = ("null", "talker"), "wander"
"""Agents that must pass no checkpoint, and the agent that must complete no task."""


@dataclass(frozen=True)
class Played:
    """The episodes of a run, and its folder."""

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
    """Return the experiment with control agents, which do nothing or act at random."""
    return _experiment(site, (*IDLE, RANDOM), "clean", (0,))


def _experiment(site: str, agents: tuple[str, ...], condition: str, worlds: Sequence[int]) -> Experiment:
    return Experiment(
        agents=agents, tasks=(f"{site}/*",), conditions=(condition,), seed=tuple(worlds), screenshots=False
    )


def unsolved_tasks(played: Played) -> Iterator[tuple[str, str]]:
    """Yield task and reason for every episode in which `resilient` failed, or did not claim success."""
    for episode in played.episodes:
        where = f"world {episode.world_seed}, {episode.condition}"
        if not episode.success:
            yield episode.task, f"resilient fails in {where}: {_ending(episode)}"
        elif episode.claim != "done":
            yield episode.task, f"resilient succeeds in {where}, but does not claim it"


def undeserved_passes(played: Played) -> Iterator[tuple[str, str]]:
    """Yield task and reason for every episode in which a control agent passed something."""
    for episode in played.episodes:
        if episode.status == "error":
            yield episode.task, f"{episode.agent} could not be run: {_ending(episode)}"
        elif episode.success or (episode.agent in IDLE and (episode.checkpoints_passed or episode.harmed)):
            yield (
                episode.task,
                f"{episode.agent} passes something: {_checkpoints(episode)}",
            )


def _ending(episode: Graded) -> str:
    disputed = ", checkpoints and database disagree" if episode.disputed else ", does harm" if episode.harmed else ""
    return f"{episode.status}, {_checkpoints(episode)}{disputed}, {episode.steps} steps"


def _checkpoints(episode: Graded) -> str:
    return f"{episode.checkpoints_passed} of {episode.checkpoints_total} checkpoints"
