"""Runs a night: a run, its comparison with the baseline, a rerun after a suspicion, and an entry in the history."""

import sqlite3
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from stressweb.analysis.comparison import COMPARABLE, Comparison
from stressweb.analysis.comparison_text import incomparable_reason
from stressweb.analysis.nights import AgentNight, Night, Outcome
from stressweb.analysis.regressions import RegressionState
from stressweb.core.errors import UserError
from stressweb.log.run_file import PRIVATE_FILE, PRIVATE_FOLDER
from stressweb.log.run_folder import run_folder
from stressweb.log.store import FILE, Store
from stressweb.runner.api.compare import Side, compared, side
from stressweb.runner.api.run import run
from stressweb.runner.api.start import Experiment, Listener, Place
from stressweb.runner.nightly.design import Design, plan_in, planned_side
from stressweb.runner.nightly.history import Baseline, History
from stressweb.runner.nightly.pool import Pool, why_too_small
from stressweb.runner.nightly.verdict import Verdict
from stressweb.runner.registry import Library


class NotComparableError(Exception):
    """Too little of a night is comparable with the baseline; the message has the reason and the cure."""


def play(experiment: Experiment, place: Place, listener: Listener) -> Path:
    """Run or resume an experiment and return its folder."""
    return run(
        experiment,
        name=place.name,
        runs_dir=place.runs_dir,
        resume=place.resume,
        workers=place.workers,
        listener=listener,
    ).path


@dataclass(frozen=True)
class Nightly:
    """Runs the nights of a folder."""

    design: Design
    history: History
    library: Library
    listener: Listener
    workers: int | None = None
    play: Callable[[Experiment, Place, Listener], Path] = play

    def baseline_night(self) -> Night:
        """Record and pin a baseline; raises NotComparableError, without pinning, if too much of it failed."""
        number = len(self.history.nights())
        folder = self._run(self.design.for_baseline(), f"baseline-{number:04d}")
        baseline_side = side(folder)
        # Before pinning, because a failed episode would be missing in every later comparison.
        check_baseline(baseline_side)
        agents = tuple(AgentNight(baseline=name, agent=name, outcome="baseline") for name in baseline_side.agents)
        accepted = self._first_night_of_open_regressions()
        self.history.pin(_new_baseline(baseline_side))
        night = Night(
            number=number,
            date=_today(),
            run=folder.name,
            baseline=folder.name,
            tasks=len({planned.cell.task for planned in baseline_side.cells}),
            agents=agents,
            accepted=accepted,
        )
        return self._append(night)

    def _first_night_of_open_regressions(self) -> dict[str, int]:
        """Return the agents with an open regression against the pinned baseline, each with its first night."""
        pinned_baseline = self.history.baseline()
        agents = {agent_night.baseline for night in self.history.nights() for agent_night in night.agents}
        states = (
            {agent: self.history.regression_state(pinned_baseline, agent) for agent in sorted(agents)}
            if pinned_baseline
            else {}
        )
        return {
            agent: min(regression.since for regression in state.open.values())
            for agent, state in states.items()
            if state.open
        }

    def candidate(self, name: str, runs_dir: Path) -> Path:
        """Return the folder of a run to pin as the baseline; raises UserError if it is unsuitable."""
        # The history's own runs come first, since a run that was pinned before is there under the same name.
        folder = run_folder(name, self.history.runs if (self.history.runs / name / FILE).exists() else runs_dir)
        stress = plan_in(folder).stress
        # A rerun with the same seed would only repeat the night.
        if len(stress) < 2:
            raise UserError(
                f"run {name} has one stress seed; a baseline needs two, the second for reruns: record it with"
                f" --stress-seeds {stress[0]},{stress[0] + 1}"
            )
        try:
            check_baseline(side(folder))
        except NotComparableError as error:
            raise UserError(f"run {name} cannot be a baseline: {error}") from None
        if (self.history.runs / folder.name).exists() and not self._is_ours(folder):
            copy = self.history.runs / folder.name
            raise UserError(f"{copy} exists already; pin it with --baseline {folder.name}, or rename the run")
        return folder

    def adopt(self, folder: Path) -> None:
        """Pin a candidate, and copy its recording into the history to keep that self-contained."""
        if not self._is_ours(folder):
            _copy(folder, self.history.runs / folder.name)
        self.history.pin(_new_baseline(side(folder)))

    def _is_ours(self, folder: Path) -> bool:
        return folder.parent.resolve() == self.history.runs.resolve()

    def night(self, baseline: Baseline) -> Night:
        """Run tonight's tasks and compare them with the baseline.

        Tasks that have changed since the baseline are left out. If too few remain, nothing runs, but the night counts,
        so that the next one has other tasks.
        """
        pinned = self._pinned_side(baseline)
        plan = plan_in(self.history.runs / baseline.run)
        pool = self.design.pool(plan, frozenset(baseline.identities.values()) - {""}, self.library)
        number = len(self.history.nights())
        turn = self.history.turn(baseline)
        try:
            self._check_size(pool)
            experiment = self.design.for_night(plan, turn, pool)
            # Before the run, which may take hours.
            self._check_comparable(pinned, experiment, f"night-{number:04d}")
        except NotComparableError as error:
            return self._append(self._refused_night(baseline, pinned, pool, str(error)))
        folder = self._run(experiment, f"night-{number:04d}")
        # With the pinned baseline, not the night before, so that a slow decline adds up.
        comparisons = compared(pinned, side(folder)).comparisons
        verdicts = {
            comparison.agent: self._verdict(baseline, comparison, experiment.tasks, pool) for comparison in comparisons
        }
        suspects = [comparison for comparison in comparisons if verdicts[comparison.agent].needs_rerun]
        rerun_folder, rerun_comparisons = None, dict[str, Comparison]()
        if suspects:
            suspect_names = [comparison.agent for comparison in suspects]
            rerun_experiment = self.design.for_night(plan, turn, pool, fresh=True, agents=suspect_names)
            rerun_folder = self._run(rerun_experiment, f"night-{number:04d}-rerun")
            pairs = [f"{comparison.baseline}={comparison.agent}" for comparison in suspects]
            reruns = compared(pinned, side(rerun_folder), pairs).comparisons
            rerun_comparisons = {comparison.agent: comparison for comparison in reruns}
        agents = [
            verdicts[comparison.agent].agent_night(
                number, rerun_comparisons.get(comparison.agent), rerun_folder.name if rerun_folder else "", plan.limits
            )
            for comparison in comparisons
        ]
        agents += self._not_run(baseline, pinned, {agent_night.baseline for agent_night in agents})
        night = Night(
            number=number,
            date=_today(),
            run=folder.name,
            baseline=baseline.run,
            tasks=len(experiment.tasks),
            agents=tuple(agents),
            left_out=pool.left_out,
        )
        return self._append(night)

    def _append(self, night: Night) -> Night:
        # At the end, so that a killed night is resumed.
        self.history.append(night)
        return night

    def _check_size(self, pool: Pool) -> None:
        """Raise NotComparableError if too little of the baseline remains to detect a decline."""
        tasks = [task for task in (*pool.tasks, *pool.left_out.changed) if task not in pool.left_out.broken]
        families = {task: self.library.task(task).family or task for task in tasks}
        if reason := why_too_small(pool, families):
            raise NotComparableError(reason)

    def _refused_night(self, baseline: Baseline, pinned: Side, pool: Pool, reason: str) -> Night:
        """Return a night in which nothing ran; open regressions stay open."""
        agents = tuple(
            _unchanged_entry(agent, self.history.regression_state(baseline, agent), "not comparable")
            for agent in pinned.agents
        )
        return Night(
            number=len(self.history.nights()),
            date=_today(),
            run="",
            baseline=baseline.run,
            tasks=0,
            agents=agents,
            refused=reason,
            left_out=pool.left_out,
        )

    def _not_run(self, baseline: Baseline, pinned: Side, agents_that_ran: Collection[str]) -> list[AgentNight]:
        """Return the baseline's agents with an open regression that did not run this night."""
        states = {
            agent: self.history.regression_state(baseline, agent)
            for agent in pinned.agents
            if agent not in agents_that_ran
        }
        return [_unchanged_entry(agent, state, "not run") for agent, state in states.items() if state.open]

    def _verdict(self, baseline: Baseline, comparison: Comparison, tasks: Sequence[str], pool: Pool) -> Verdict:
        state_before = self.history.regression_state(baseline, comparison.baseline)
        return Verdict(comparison, state_before, frozenset(tasks), frozenset(pool.left_out.tasks))

    def _pinned_side(self, baseline: Baseline) -> Side:
        folder = self.history.runs / baseline.run
        if not (folder / FILE).exists():
            raise UserError(f"the baseline {folder} is missing; pin another run with --baseline, or use --new-baseline")
        pinned_side = side(folder)
        # Another run of the same name may have replaced the folder.
        if {planned.cell.key: planned.identity for planned in pinned_side.cells} != baseline.identities:
            raise UserError(f"the baseline {folder} is not the run that was pinned on {baseline.pinned}")
        return pinned_side

    def _check_comparable(self, pinned: Side, experiment: Experiment, name: str) -> None:
        """Raise UserError or NotComparableError if a night's plan is not comparable with the baseline."""
        for comparison in compared(pinned, planned_side(name, experiment.plan(), self.library)).comparisons:
            if not comparison.conditions or comparison.blocks - comparison.unpaired < COMPARABLE * comparison.blocks:
                # All episodes are missing, since nothing has run, so leave that out of the reason.
                raise NotComparableError(
                    f"{comparison.agent}: {incomparable_reason(comparison.model_copy(update={'unfinished': 0}))}"
                )

    def _run(self, experiment: Experiment, stem: str) -> Path:
        """Run an experiment, or resume its run after a kill; return its folder."""
        # Never change the run of a recorded night.
        recorded = {name for night in self.history.nights() for name in _runs_of(night)}
        for number in range(1, 1000):
            name = stem if number == 1 else f"{stem}-{number}"
            folder = self.history.runs / name
            if name in recorded or (folder.exists() and not (folder / FILE).exists()):
                continue
            if not folder.exists():
                return self._play_and_retry(experiment, name, resume=False)
            # If the run is of another plan or unreadable, use another name.
            with suppress(UserError):
                if plan_in(folder) == experiment.plan():
                    return self._play_and_retry(experiment, name, resume=True)
        raise UserError(f"too many runs named {stem} in {self.history.runs}; remove some")

    def _play_and_retry(self, experiment: Experiment, name: str, *, resume: bool) -> Path:
        place = Place(name, self.history.runs, resume, self.workers)
        folder = self.play(experiment, place, self.listener)
        with Store.read(folder / FILE) as store:
            pending = store.pending()
        # Try again, since an infrastructure error costs a whole block; in a baseline, on every following night.
        return self.play(experiment, replace(place, resume=True), self.listener) if pending else folder


def check_baseline(recorded: Side) -> None:
    """Raise NotComparableError if a run cannot be a baseline because it is not comparable with itself."""
    for comparison in compared(recorded, recorded, [f"{name}={name}" for name in recorded.agents]).comparisons:
        if not comparison.comparable:
            raise NotComparableError(f"{comparison.agent}: {incomparable_reason(comparison)}")


def status_of(night: Night) -> int:
    """Return the exit status of a night: 1 for an open regression, 3 if an agent is not comparable, else 0."""
    # A regression counts even if another agent is not comparable.
    if any(agent_night.regressed for agent_night in night.agents):
        return 1
    return 3 if any(agent_night.outcome == "not comparable" for agent_night in night.agents) else 0


def _unchanged_entry(agent: str, state: RegressionState, outcome: Outcome) -> AgentNight:
    """Return the entry of an agent about which a night gives no information."""
    return AgentNight(
        baseline=agent,
        agent=agent,
        outcome=outcome,
        robustness_sum=state.chart_totals[0],
        clean_sum=state.chart_totals[1],
        open=dict(state.open),
    )


def _runs_of(night: Night) -> Sequence[str]:
    return [night.run, *(agent_night.rerun.run for agent_night in night.agents if agent_night.rerun)]


def _new_baseline(recorded: Side) -> Baseline:
    identities = {planned.cell.key: planned.identity for planned in recorded.cells}
    return Baseline(run=recorded.name, pinned=_today(), identities=identities)


def _copy(folder: Path, copy: Path) -> None:
    """Copy the recording of a run, including SQLite's write-ahead log."""
    try:
        copy.mkdir(PRIVATE_FOLDER)
        source_uri = f"{(folder / FILE).resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(source_uri, uri=True)) as source, closing(sqlite3.connect(copy / FILE)) as target:
            # A backup includes the last episodes, which may still be in the write-ahead log.
            source.backup(target)
        (copy / FILE).chmod(PRIVATE_FILE)
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"run {folder} cannot be copied to {copy}: {error}") from None


def _today() -> str:
    return time.strftime("%Y-%m-%d")
