"""What a night runs: the experiment with tonight's tasks, or with all tasks for a baseline."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner import registry
from runner.api.compare import Side
from runner.api.start import Experiment
from runner.nightly.pool import Pool, asked, missing, pool
from runner.nightly.rotation import tonight
from runner.registry import Library
from runner.registry.identity import identities
from stressweb.analysis.comparison import Planned
from stressweb.analysis.nights import LeftOut
from stressweb.analysis.pairing import grouped
from stressweb.core.errors import UserError
from stressweb.core.task_id import site_of
from stressweb.log.limits import LIMITS
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.log.run_folder import recorded_plan
from stressweb.log.store import FILE, Store

SIZE = 30
"""Tasks of a night."""
AGENTS, CONDITIONS = ("resilient",), ("remap", "failure")
"""Defaults of a night."""


@dataclass(frozen=True)
class Design:
    """What the user asked for."""

    experiment: Experiment
    """Its tasks are those that the nights run in turn; its first stress seed is that of every night."""
    size: int = SIZE
    given: Collection[str] = ()
    """Fields of the experiment that the user set; the others follow the baseline once there is one."""

    def for_baseline(self) -> Experiment:
        """Return what a baseline runs: all tasks, on the stress seed of the nights and on a fresh one for reruns."""
        seed = self.experiment.stress_seeds[0]
        # All tasks at once: an agent that is already worse must not complete its own baseline later.
        return _with(self.experiment, stress_seeds=(seed, seed + 1), limit=None)

    def check(self, *, new: bool) -> None:
        """Raise UserError for a mistake in the options that is known without the baseline; `new`: one is recorded."""
        (self.experiment if new else self._without_tasks()).plan()

    def pool(self, baseline: Plan, pinned: Collection[str] | None, library: Library) -> Pool:
        """Return what of a baseline can still be compared; `pinned` are the identities of its cells.

        None if there is no baseline yet: then everything can.

        Raises UserError if the user asks for what the baseline does not have.
        """
        registry.load(self.experiment.load)
        wanted = asked(self.experiment, baseline.tasks)
        if not set(wanted) & set(baseline.tasks):
            raise UserError("none of these tasks is in the baseline; record another one with --new-baseline")
        self._fits(baseline)
        conditions, gone = self._conditions(baseline)
        absent = missing(wanted)
        there = [task for task in wanted if task not in absent and task in set(baseline.tasks)]
        cells, broken = self._identities(baseline, there, conditions, library)
        same = frozenset(cells.values()) if pinned is None else pinned
        found = pool(wanted, baseline.tasks, same, cells, absent | broken)
        every = LeftOut.model_validate({**dict(found.left_out), "conditions": (*gone, *found.left_out.conditions)})
        return found._replace(left_out=every)

    def _conditions(self, baseline: Plan) -> tuple[list[str], list[str]]:
        """Return the conditions of a night, and those of the baseline that do not load any more."""
        if "conditions" in self.given:
            return list(self.experiment.conditions), []
        kept, gone = list[str](), list[str]()
        for label in map(str, baseline.conditions):
            try:
                registry.conditions(label)
                kept.append(label)
            # A mode of an extension that is gone or broken must not stop the nights of all others.
            except UserError:
                gone.append(label)
        return kept, gone

    def _identities(
        self, baseline: Plan, tasks: Sequence[str], conditions: Sequence[str], library: Library
    ) -> tuple[dict[Cell, str], dict[str, str]]:
        """Return the identities of today's cells, and why tasks cannot be loaded, by task."""
        cells, broken = dict[Cell, str](), dict[str, str]()

        def add(some: Sequence[str]) -> None:
            plan = self._of(baseline, tasks=some, conditions=conditions, stress_seeds=baseline.stress[:2]).plan()
            cells.update({one.cell: one.identity for one in foreseen("", plan, library).cells})

        for some in grouped(tasks, site_of).values():
            try:
                add(some)
            # One site that fails, whatever its code raises, must not stop the nights of all others.
            except Exception:
                for task in some:
                    try:
                        add([task])
                    except Exception as error:
                        broken[task] = str(error) if isinstance(error, UserError) else repr(error)
        return cells, broken

    def for_night(
        self, baseline: Plan, number: int, left: Pool, *, fresh: bool = False, agents: Collection[str] = ()
    ) -> Experiment:
        """Return what the night of this number after the baseline runs; `fresh`: its rerun, with some `agents` only."""
        own = self.experiment.agents if "agents" in self.given else tuple(map(str, baseline.agents))
        return self._of(
            baseline,
            agents=tuple(agents) or own,
            tasks=tonight(left.tasks, self.size, number),
            conditions=left.conditions,
            # A rerun uses other draws, because the same ones would only repeat the night.
            stress_seeds=(baseline.stress[1 if fresh else 0],),
        )

    def _of(self, baseline: Plan, **changes: object) -> Experiment:
        """Return an experiment that can be compared with a baseline."""
        return _with(
            self._without_tasks(),
            seed=baseline.worlds,
            epochs=baseline.epochs,
            **{name: getattr(baseline, name) for name in LIMITS},
            **changes,
        )

    def _without_tasks(self) -> Experiment:
        # Tonight's tasks are written out: what was left out is left out already.
        return _with(self.experiment, tasks=(), exclude=(), tags=(), difficulty=(), limit=None)

    def _fits(self, baseline: Plan) -> None:
        """Raise UserError if the user asks for what cannot be compared with this baseline."""
        options = self._without_tasks().plan()
        there: Mapping[str, tuple[Sequence[object], Sequence[object]]] = {
            "conditions": (options.conditions, baseline.conditions),
            "seed": (options.worlds, baseline.worlds),
            "stress_seeds": (options.stress[:1], baseline.stress[:1]),
            "epochs": ((options.epochs,), (baseline.epochs,)),
            **{name: ((getattr(options, name),), (getattr(baseline, name),)) for name in LIMITS},
        }
        for name, (wanted, had) in there.items():
            # Only what the user asked for can be refused; all else follows the baseline.
            if name in self.given and not set(wanted) <= set(had):
                said = f"{name.replace('_', '-')} {_listed(wanted)}"
                raise UserError(
                    f"{said} cannot be compared with the baseline, which has {_listed(had)}; leave it out,"
                    " or record another baseline with --new-baseline"
                )


def _listed(values: Sequence[object]) -> str:
    return ", ".join("none" if one is None else str(one) for one in values)


def _with(experiment: Experiment, **changes: object) -> Experiment:
    """Return an experiment with some fields changed, checked like any other."""
    # Only what was set is passed on: a default that is written out would count as the user's wish.
    return Experiment.model_validate({**experiment.model_dump(exclude_unset=True), **changes})


def plan_in(folder: Path) -> Plan:
    """Return the plan of a run; raises UserError if it has none."""
    with Store.read(folder / FILE) as store:
        return recorded_plan(store)


def foreseen(name: str, plan: Plan, library: Library) -> Side:
    """Return a planned run without episodes, to find out before it runs which of its cells can be compared."""
    cells = plan.cells()
    # Identities decide what can be compared, and are known before anything runs.
    known = identities(library, plan)
    return Side(name, [Planned(cell, known[cell.key], None) for cell in cells], plan.limits)
