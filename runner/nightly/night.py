"""One night: a run, its comparison with the baseline, the rerun of a suspicion, and its entry in the history."""

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from runner.api import run
from runner.episode.limits import Limits
from runner.experiment.comparing import Side, compared, replays, side
from runner.experiment.experiment import Experiment
from runner.experiment.run_folder import run_folder
from runner.experiment.start import Place, Watcher
from runner.nightly.design import Design, foreseen, plan_in
from runner.nightly.history import Baseline, History
from runner.registry import Library
from stressweb.analysis import cusum
from stressweb.analysis.comparison import COMPARABLE, Comparison
from stressweb.analysis.comparison_text import why
from stressweb.analysis.nights import AgentNight, Night, Outcome, Rerun
from stressweb.core.errors import UserError
from stressweb.log.run_file import PRIVATE_FILE, PRIVATE_FOLDER
from stressweb.log.store import FILE, Store


class NotComparableError(Exception):
    """Too little of a night can be compared with the baseline; the message says why, and the cure."""


def play(experiment: Experiment, place: Place, watcher: Watcher) -> Path:
    """Run an experiment, or continue it, and return its folder."""
    return run(
        experiment,
        name=place.name,
        runs_dir=place.runs_dir,
        resume=place.resume,
        workers=place.workers,
        watcher=watcher,
    ).path


@dataclass(frozen=True)
class Nightly:
    """Runs nights in one folder."""

    design: Design
    history: History
    library: Library
    watcher: Watcher
    workers: int | None = None
    play: Callable[[Experiment, Place, Watcher], Path] = play

    def baseline_night(self) -> Night:
        """Record a baseline and pin it; raises NotComparableError, and pins nothing, if too much of it failed."""
        number = len(self.history.nights())
        folder = self._run(self.design.for_baseline(), f"baseline-{number:04d}")
        found = side(folder)
        # Before it is pinned, because an episode that failed here would be missing on every night to come.
        check_whole(found)
        self.history.pin(_pinned(found))
        agents = tuple(AgentNight(baseline=name, agent=name, outcome="baseline") for name in found.agents)
        night = Night(
            number=number,
            date=_today(),
            run=folder.name,
            baseline=folder.name,
            tasks=len({one.cell.task for one in found.cells}),
            agents=agents,
        )
        self.history.append(night)
        return night

    def candidate(self, name: str, runs_dir: Path) -> Path:
        """Return the folder of a run that can be pinned as the baseline; raises UserError if it cannot."""
        # The history's own runs come first: one that was pinned before is there under the same name.
        folder = run_folder(name, self.history.runs if (self.history.runs / name / FILE).exists() else runs_dir)
        stress = plan_in(folder).stress
        # A rerun needs a second seed, because on the same draws it would only repeat the night.
        if len(stress) < 2:
            raise UserError(
                f"run {name} has one stress seed; a baseline needs two, the second for reruns: record it with"
                f" --stress-seeds {stress[0]},{stress[0] + 1}"
            )
        try:
            check_whole(side(folder))
        except NotComparableError as error:
            raise UserError(f"run {name} cannot be a baseline: {error}") from None
        if (self.history.runs / folder.name).exists() and not self._is_ours(folder):
            copy = self.history.runs / folder.name
            raise UserError(f"{copy} exists already; pin it with --baseline {folder.name}, or rename the run")
        return folder

    def adopt(self, folder: Path) -> None:
        """Pin a candidate: its recording is copied into the history, so that the folder holds all it needs."""
        if not self._is_ours(folder):
            _copied(folder, self.history.runs / folder.name)
        self.history.pin(_pinned(side(folder)))

    def _is_ours(self, folder: Path) -> bool:
        return folder.parent.resolve() == self.history.runs.resolve()

    def night(self, baseline: Baseline) -> Night:
        """Run tonight's tasks and compare them; raises NotComparableError before anything runs if it is known then."""
        pinned = self._pinned_side(baseline)
        plan = plan_in(self.history.runs / baseline.run)
        nights = self.history.nights()
        turn = self.history.turn(baseline)
        name = f"night-{len(nights):04d}"
        experiment = self.design.for_night(plan, turn)
        # Checked first, so no hours are spent on a night that cannot be compared.
        self._foresee(pinned, experiment, name)
        folder = self._run(experiment, name)
        # With the pinned baseline and never with the night before: a slow decline has to add up.
        found = compared(pinned, side(folder))
        totals = {one.agent: self._totals(baseline, one) for one in found.comparisons}
        suspects = [
            one for one in found.comparisons if one.comparable and cusum.suspected(totals[one.agent], _scores(one))
        ]
        again, second = None, dict[str, Comparison]()
        if suspects:
            fresh = self.design.for_night(plan, turn, fresh=True, agents=[one.agent for one in suspects])
            again = self._run(fresh, f"{name}-rerun")
            pairs = [f"{one.baseline}={one.agent}" for one in suspects]
            second = {one.agent: one for one in compared(pinned, side(again), pairs).comparisons}
        agents = [
            _agent_night(one, totals[one.agent], second.get(one.agent), again.name if again else "", plan.limits)
            for one in found.comparisons
        ]
        tasks = len(experiment.tasks)
        night = Night(
            number=len(nights), date=_today(), run=folder.name, baseline=baseline.run, tasks=tasks, agents=tuple(agents)
        )
        # Last of all: a night that is killed before this line is continued and not half recorded.
        self.history.append(night)
        return night

    def _totals(self, baseline: Baseline, found: Comparison) -> cusum.Both:
        """Return the totals of the charts with tonight added; unchanged by what is not comparable."""
        before = self.history.sums(baseline, found.baseline)
        return cusum.added(before, _scores(found)) if found.comparable else before

    def _pinned_side(self, baseline: Baseline) -> Side:
        folder = self.history.runs / baseline.run
        if not (folder / FILE).exists():
            raise UserError(f"the baseline {folder} is gone; pin another run with --baseline, or use --new-baseline")
        found = side(folder)
        # The folder may have been replaced by another run of that name: then all nights would be compared with
        # something else.
        if {one.cell.key: one.identity for one in found.cells} != baseline.identities:
            raise UserError(f"the baseline {folder} is not the run that was pinned on {baseline.pinned}")
        return found

    def _foresee(self, pinned: Side, experiment: Experiment, name: str) -> None:
        """Raise UserError or NotComparableError if this night could not be compared, whatever its episodes are."""
        for one in compared(pinned, foreseen(name, experiment.plan(), self.library)).comparisons:
            if not one.conditions or one.blocks - one.unpaired < COMPARABLE * one.blocks:
                # Nothing has run yet, so that an episode that is missing is no reason.
                raise NotComparableError(f"{one.agent}: {why(one.model_copy(update={'unfinished': 0}))}")

    def _run(self, experiment: Experiment, stem: str) -> Path:
        """Run an experiment, or continue the one of this name that a kill has left; return its folder."""
        # A night that is in the history is over, and its run is never added to.
        recorded = {name for night in self.history.nights() for name in _runs_of(night)}
        for at in range(1, 1000):
            name = stem if at == 1 else f"{stem}-{at}"
            folder = self.history.runs / name
            if name in recorded or (folder.exists() and not (folder / FILE).exists()):
                continue
            if not folder.exists():
                return self._played(experiment, name, resume=False)
            # A run that another agent or version has begun stays as it is, and this night gets another name.
            with suppress(UserError):
                if plan_in(folder) == experiment.plan():
                    return self._played(experiment, name, resume=True)
        raise UserError(f"too many runs of the name {stem} in {self.history.runs}; remove some")

    def _played(self, experiment: Experiment, name: str, *, resume: bool) -> Path:
        place = Place(name, self.history.runs, resume, self.workers)
        folder = self.play(experiment, place, self.watcher)
        with Store.read(folder / FILE) as store:
            left = len(store.pending())
        # An error of the infrastructure costs a whole block, in a baseline on every night to come: one more try.
        return self.play(experiment, replace(place, resume=True), self.watcher) if left else folder


def check_whole(found: Side) -> None:
    """Raise NotComparableError if a run cannot be a baseline: compared with itself, it must be comparable."""
    for one in compared(found, found, [f"{name}={name}" for name in found.agents]).comparisons:
        if not one.comparable:
            raise NotComparableError(f"{one.agent}: {why(one)}")


def status_of(night: Night) -> int:
    """Return the exit status of a night: 1 for a regression, 3 if an agent is not comparable, else 0."""
    outcomes = {one.outcome for one in night.agents}
    # A regression of one agent is certain even if another agent could not be compared.
    return 1 if "regressed" in outcomes else 3 if "not comparable" in outcomes else 0


def _agent_night(
    found: Comparison, totals: cusum.Both, second: Comparison | None, rerun: str, limits: Limits
) -> AgentNight:
    outcome: Outcome = found.robustness.verdict
    after = kept = totals
    if second is not None and not second.comparable:
        # A suspicion that could not be checked must not count as passed.
        outcome = "not comparable"
    elif second is not None:
        after = cusum.added(totals, _scores(second))
        alarm = cusum.confirmed(after, _scores(second))
        outcome = "regressed" if alarm else "not confirmed"
        # An alarm starts the chart anew, and a rerun that was fine caps it: one bad night must not raise an alarm every
        # night after it.
        kept = cusum.kept(after, alarm=alarm)
    looked = Rerun(run=rerun, robustness=second.robustness, clean=second.clean) if second else None
    return AgentNight.model_validate(
        {
            **AgentNight.of(found),
            "outcome": outcome,
            "rerun": looked,
            "robustness_sum": kept[0],
            "clean_sum": kept[1],
            "highest_sum": max(after),
            "failing": {task: tuple(again) for task, again in replays(found, limits).items()},
        }
    )


def _scores(found: Comparison) -> cusum.Both:
    robustness, clean = found.robustness, found.clean
    return cusum.score(robustness.change, robustness.p_value), cusum.score(clean.change, clean.p_value)


def _runs_of(night: Night) -> Sequence[str]:
    return [night.run, *(one.rerun.run for one in night.agents if one.rerun)]


def _pinned(found: Side) -> Baseline:
    identities = {one.cell.key: one.identity for one in found.cells}
    return Baseline(run=found.name, pinned=_today(), identities=identities)


def _copied(folder: Path, copy: Path) -> None:
    """Copy the recording of a run, whatever of it is still in SQLite's log."""
    try:
        copy.mkdir(PRIVATE_FOLDER)
        there = f"{(folder / FILE).resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(there, uri=True)) as source, closing(sqlite3.connect(copy / FILE)) as target:
            # SQLite's own copy: the last episodes may still be in the log beside the file.
            source.backup(target)
        (copy / FILE).chmod(PRIVATE_FILE)
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"run {folder} cannot be copied to {copy}: {error}") from None


def _today() -> str:
    return time.strftime("%Y-%m-%d")
