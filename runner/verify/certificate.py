"""The certificate of a proof: under which conditions the agent that knows the way did the tasks, and what it took."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from runner.api.read import with_episodes
from runner.registry import Library
from runner.registry.exposure import hits_on
from stressweb.analysis.graded import Graded
from stressweb.core.conditions import CLEAN
from stressweb.core.words import counted
from stressweb.log.recording import Cell
from stressweb.log.run_folder import recorded_plan
from stressweb.log.store import FILE, Store
from stressweb.log.store_reader import StoreReader


@dataclass(frozen=True)
class Line:
    """One condition of the proof."""

    condition: str
    cells: int
    passed: int
    """Episodes that reached the goal and ended with the claim that it is done: one that does not know that it arrived
    saw an action that it could not do, or whose effect it could not see."""
    exposed: int | None
    """Episodes in which every mode of the condition delivered something; None for a condition without modes."""
    steps: float
    """Mean number of actions, the last one, DONE, included."""
    extra_steps: float | None
    """Mean number of actions more than the same tasks took clean; None where none of them ran clean."""
    hits: float | None
    """Mean number of actions and loads of the reference trajectory that the condition hits; None where the run cannot
    tell, as by coordinates."""


@dataclass(frozen=True)
class Certificate:
    """What a run proves."""

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
    """Time of all episodes together; so many workers take so many times less."""
    version: str
    browser: str

    @property
    def cells(self) -> int:
        """How many episodes there were."""
        return sum(line.cells for line in self.lines)

    @property
    def passed(self) -> int:
        """How many of them passed."""
        return sum(line.passed for line in self.lines)

    @property
    def proven(self) -> bool:
        """Whether every cell of the plan was run and passed."""
        return not self.missing and self.passed == self.cells


def certificate(folder: Path) -> Certificate:
    """Return what the run in a folder proves."""
    with Store.read(folder / FILE, known=True) as store:
        plan, meta = recorded_plan(store), store.meta()
        episodes = [graded for _, graded in with_episodes(store)]
        labels = [one.label for one in plan.conditions]
        hits = _hits(store)
    cells = plan.cells()
    by_condition = {label: [one for one in episodes if one.condition == label] for label in labels}
    clean = {(one.task, one.world_seed): one.steps for one in by_condition.get(CLEAN.label, [])}
    return Certificate(
        agent=", ".join(map(str, plan.agents)),
        sites=tuple(dict.fromkeys(cell.site for cell in cells)),
        tasks=len({cell.task for cell in cells}),
        worlds=plan.worlds,
        lines=tuple(_line(label, ones, clean, hits) for label, ones in by_condition.items() if ones),
        failed=tuple(_key(one) for one in episodes if not solved(one)),
        missing=len(cells) - len(episodes),
        seconds=sum(one.seconds for one in episodes),
        version=str(meta["version"]),
        browser=str(meta["browser"]),
    )


def _line(
    label: str,
    episodes: Sequence[Graded],
    clean: Mapping[tuple[str, int], int],
    hits: Mapping[tuple[str, str, int], int],
) -> Line:
    extra = [one.steps - clean[about] for one in episodes if (about := (one.task, one.world_seed)) in clean]
    met = [hits[where] for one in episodes if (where := (label, one.task, one.world_seed)) in hits]
    stressed = label not in (CLEAN.label, "sham")
    return Line(
        condition=label,
        cells=len(episodes),
        passed=sum(map(solved, episodes)),
        exposed=sum(one.fully_exposed for one in episodes) if stressed else None,
        steps=mean(one.steps for one in episodes),
        extra_steps=mean(extra) if extra and stressed else None,
        hits=mean(met) if met and stressed else None,
    )


def solved(one: Graded) -> bool:
    """Whether an episode reached the goal, and its agent saw that it did."""
    return one.success and one.claim == "done"


def _hits(store: StoreReader) -> dict[tuple[str, str, int], int]:
    """Return by condition, task and world how much of the reference trajectory the condition hits."""
    plan, library, found = recorded_plan(store), Library(), dict[tuple[str, str, int], int]()
    conditions = [one for one in plan.conditions if one.applied]
    for cell in store.finished():
        # Of what was done by coordinates or on the tree the recording does not say which element it was done on.
        if cell.condition == CLEAN.label and "pointer" not in cell.agent:
            seeds = Cell(**{**cell.model_dump(), "stress": plan.stress[0]}).seeds
            for label, hits in hits_on(
                store.load(cell), conditions, seeds, library.hosts(cell.task, cell.world)
            ).items():
                found[label, cell.task, cell.world] = sum(hits)
    return found


def _key(one: Graded) -> str:
    passed = f"{one.checkpoints_passed} of {one.checkpoints_total} checkpoints"
    return f"{one.task} {one.condition} world {one.world_seed}: {one.status}, {passed}"


HEAD = ("condition", "cells", "passed", "exposed", "steps", "extra steps", "hits on the way")


def rows(proof: Certificate) -> Iterator[tuple[str, ...]]:
    """Yield the cells of the certificate's table, one tuple for each condition, and the sum."""
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
    """Say in one sentence what is proven."""
    share = f"{proof.passed} of {counted(proof.cells, 'episode')}"
    left = f"; {counted(proof.missing, 'episode')} not run yet" if proof.missing else ""
    where = f"{counted(proof.tasks, 'task')} on {counted(len(proof.sites), 'site')}"
    return f"{proof.agent} reached the goal and said so in {share} ({where}, {len(proof.lines)} conditions){left}"


def markdown(proof: Certificate) -> str:
    """Return the certificate as a table of a document, below its sentence."""
    lines = [
        f"{headline(proof)}, in {proof.seconds / 60:.0f} minutes of episodes ({proof.version}, {proof.browser}).",
        "",
    ]
    lines += [f"| {' | '.join(HEAD)} |", f"| --- |{' ---: |' * (len(HEAD) - 1)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows(proof)]
    lines += ["", *(f"* failed: {one}" for one in proof.failed)] if proof.failed else []
    return "\n".join(lines)
