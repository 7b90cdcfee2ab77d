"""The certificate of a proof: the conditions under which `resilient` did the tasks, and its number of actions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from stressweb.analysis.graded import Graded
from stressweb.core.conditions import CLEAN
from stressweb.core.words import counted
from stressweb.log.recording import Cell
from stressweb.log.run_folder import recorded_plan
from stressweb.log.store import FILE, Store
from stressweb.log.store_reader import StoreReader
from stressweb.runner.api.read import with_episodes
from stressweb.runner.registry import Library
from stressweb.runner.registry.exposure import hit_counts


@dataclass(frozen=True)
class Line:
    """One condition of the certificate."""

    condition: str
    cells: int
    passed: int
    """Episodes that reached the goal and ended with the claim that it is done; an agent that does not claim it could
    not do an action, or could not see its effect."""
    exposed: int | None
    """Episodes in which every mode of the condition delivered something; None for a condition without modes."""
    steps: float
    """Mean number of actions, including the final DONE."""
    extra_steps: float | None
    """Mean number of additional actions compared with the same tasks under clean; None without clean episodes."""
    hits: float | None
    """Mean number of actions and page loads of the reference trajectory that the condition disturbs; None if unknown,
    as for agents that act by coordinates."""


@dataclass(frozen=True)
class Certificate:
    """The result of a run that is a proof."""

    agent: str
    sites: tuple[str, ...]
    tasks: int
    worlds: tuple[int, ...]
    lines: tuple[Line, ...]
    failed: tuple[str, ...]
    """Keys of the cells that did not pass."""
    missing: int
    """Cells of the plan that have not been run."""
    seconds: float
    """Sum of the times of all episodes, in seconds; a run with n workers takes about an n-th of it."""
    version: str
    browser: str

    @property
    def cells(self) -> int:
        """Number of episodes."""
        return sum(line.cells for line in self.lines)

    @property
    def passed(self) -> int:
        """Number of episodes that passed."""
        return sum(line.passed for line in self.lines)

    @property
    def proven(self) -> bool:
        """Whether every cell of the plan was run and passed."""
        return not self.missing and self.passed == self.cells


def certificate(folder: Path) -> Certificate:
    """Return the certificate of the run in a folder."""
    with Store.read(folder / FILE, known=True) as store:
        plan, meta = recorded_plan(store), store.meta()
        episodes = [graded for _, graded in with_episodes(store)]
        labels = [condition.label for condition in plan.conditions]
        hits = _hits(store)
    cells = plan.cells()
    by_condition = {label: [episode for episode in episodes if episode.condition == label] for label in labels}
    clean = {(episode.task, episode.world_seed): episode.steps for episode in by_condition.get(CLEAN.label, [])}
    return Certificate(
        agent=", ".join(map(str, plan.agents)),
        sites=tuple(dict.fromkeys(cell.site for cell in cells)),
        tasks=len({cell.task for cell in cells}),
        worlds=plan.worlds,
        lines=tuple(_line(label, ones, clean, hits) for label, ones in by_condition.items() if ones),
        failed=tuple(_key(episode) for episode in episodes if not solved(episode)),
        missing=len(cells) - len(episodes),
        seconds=sum(episode.seconds for episode in episodes),
        version=str(meta["version"]),
        browser=str(meta["browser"]),
    )


def _line(
    label: str,
    episodes: Sequence[Graded],
    clean: Mapping[tuple[str, int], int],
    hits: Mapping[tuple[str, str, int], int],
) -> Line:
    extra = [
        episode.steps - clean[task_world]
        for episode in episodes
        if (task_world := (episode.task, episode.world_seed)) in clean
    ]
    hit_counts = [hits[place] for episode in episodes if (place := (label, episode.task, episode.world_seed)) in hits]
    stressed = label not in (CLEAN.label, "sham")
    return Line(
        condition=label,
        cells=len(episodes),
        passed=sum(map(solved, episodes)),
        exposed=sum(episode.fully_exposed for episode in episodes) if stressed else None,
        steps=mean(episode.steps for episode in episodes),
        extra_steps=mean(extra) if extra and stressed else None,
        hits=mean(hit_counts) if hit_counts and stressed else None,
    )


def solved(episode: Graded) -> bool:
    """Return whether an episode reached the goal and its agent claimed so."""
    return episode.success and episode.claim == "done"


def _hits(store: StoreReader) -> dict[tuple[str, str, int], int]:
    """Return the number of disturbed actions and loads of the trajectory, by condition, task and world."""
    plan, library, hits_by_place = recorded_plan(store), Library(), dict[tuple[str, str, int], int]()
    conditions = [condition for condition in plan.conditions if condition.applied]
    for cell in store.finished():
        # The recording does not have the element of an action by coordinates.
        if cell.condition == CLEAN.label and "pointer" not in cell.agent:
            seeds = Cell(**{**cell.model_dump(), "stress": plan.stress[0]}).seeds
            for label, hits in hit_counts(
                store.load(cell), conditions, seeds, library.hosts(cell.task, cell.world)
            ).items():
                hits_by_place[label, cell.task, cell.world] = sum(hits)
    return hits_by_place


def _key(episode: Graded) -> str:
    passed = f"{episode.checkpoints_passed} of {episode.checkpoints_total} checkpoints"
    return f"{episode.task} {episode.condition} world {episode.world_seed}: {episode.status}, {passed}"


HEAD = ("condition", "cells", "passed", "exposed", "steps", "extra steps", "hits on the way")


def rows(proof: Certificate) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the certificate's table: one for each condition, and the sum."""
    for line in proof.lines:
        yield (
            line.condition,
            str(line.cells),
            str(line.passed),
            "–" if line.exposed is None else f"{line.exposed}",
            f"{line.steps:.1f}",
            "–" if line.extra_steps is None else f"{line.extra_steps:+.1f}".replace("-", "−"),
            "–" if line.hits is None else f"{line.hits:.1f}",
        )
    yield ("all", str(proof.cells), str(proof.passed), "", "", "", "")


def headline(proof: Certificate) -> str:
    """Return the certificate in one sentence."""
    share = f"{proof.passed} of {counted(proof.cells, 'episode')}"
    missing = f"; {counted(proof.missing, 'episode')} not run yet" if proof.missing else ""
    scope = f"{counted(proof.tasks, 'task')} on {counted(len(proof.sites), 'site')}"
    return f"{proof.agent} reached the goal and said so in {share} ({scope}, {len(proof.lines)} conditions){missing}"


def markdown(proof: Certificate) -> str:
    """Return the certificate as Markdown: its sentence, and the table."""
    lines = [
        f"{headline(proof)}, in {proof.seconds / 60:.0f} minutes of episodes ({proof.version}, {proof.browser}).",
        "",
    ]
    lines += [f"| {' | '.join(HEAD)} |", f"| --- |{' ---: |' * (len(HEAD) - 1)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows(proof)]
    lines += ["", *(f"* failed: {failure}" for failure in proof.failed)] if proof.failed else []
    return "\n".join(lines)
