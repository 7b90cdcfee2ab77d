"""The experiment of a night: with tonight's tasks, or with all tasks for a baseline."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
from stressweb.runner import registry
from stressweb.runner.api.compare import Side
from stressweb.runner.api.start import Experiment
from stressweb.runner.nightly.pool import Pool, asked, missing, pool
from stressweb.runner.nightly.rotation import tonight
from stressweb.runner.registry import Library
from stressweb.runner.registry.identity import identities

SIZE = 30
"""Default number of tasks per night."""
AGENTS, CONDITIONS = ("resilient",), ("remap", "failure")
"""Default agents and conditions of a night."""


@dataclass(frozen=True)
class Design:
    """The user's settings for all nights."""

    experiment: Experiment
    """Its tasks are those that the nights run in turn; its first stress seed is the stress seed of every night."""
    size: int = SIZE
    set_fields: Collection[str] = ()
    """Fields of the experiment that the user set; the others follow the baseline once there is one."""

    def for_baseline(self) -> Experiment:
        """Return the experiment of a baseline: all tasks, with the stress seed of the nights and another for reruns."""
        seed = self.experiment.stress_seeds[0]
        # All tasks at once, so that an agent that declines later does not complete its own baseline.
        return _with(self.experiment, stress_seeds=(seed, seed + 1), limit=None)

    def check(self, *, new: bool) -> None:
        """Raise UserError for mistakes that show without the baseline; `new`: this night records a baseline."""
        (self.experiment if new else self._without_tasks()).plan()

    def pool(self, baseline: Plan, pinned: Collection[str] | None, library: Library) -> Pool:
        """Return the tasks and conditions of a baseline that can still be compared.

        `pinned` are the identities of the baseline's cells; None if there is no baseline yet: then all can be
        compared. Raises UserError if the user asks for something that the baseline does not have.
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
        tonight_pool = pool(wanted, baseline.tasks, same, cells, absent | broken)
        every = LeftOut.model_validate(
            {**dict(tonight_pool.left_out), "conditions": (*gone, *tonight_pool.left_out.conditions)}
        )
        return tonight_pool._replace(left_out=every)

    def _conditions(self, baseline: Plan) -> tuple[list[str], list[str]]:
        """Return the conditions of a night, and the conditions of the baseline that no longer load."""
        if "conditions" in self.set_fields:
            return list(self.experiment.conditions), []
        loading, gone = list[str](), list[str]()
        for label in map(str, baseline.conditions):
            try:
                registry.conditions(label)
                loading.append(label)
            # A missing or broken extension must not stop the nights of all other modes.
            except UserError:
                gone.append(label)
        return loading, gone

    def _identities(
        self, baseline: Plan, tasks: Sequence[str], conditions: Sequence[str], library: Library
    ) -> tuple[dict[Cell, str], dict[str, str]]:
        """Return the identities of today's cells, and why tasks cannot be loaded, by task."""
        cells, broken = dict[Cell, str](), dict[str, str]()

        def add(some: Sequence[str]) -> None:
            plan = self._of(baseline, tasks=some, conditions=conditions, stress_seeds=baseline.stress[:2]).plan()
            cells.update({planned.cell: planned.identity for planned in foreseen("", plan, library).cells})

        for some in grouped(tasks, site_of).values():
            try:
                add(some)
            # A broken site, whatever its code raises, must not stop the nights of all other sites.
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
        """Return the experiment of night `number` after the baseline; `fresh`: its rerun, with some `agents` only."""
        own = self.experiment.agents if "agents" in self.set_fields else tuple(map(str, baseline.agents))
        return self._of(
            baseline,
            agents=tuple(agents) or own,
            tasks=tonight(left.tasks, self.size, number),
            conditions=left.conditions,
            # A rerun uses other draws, because the same draws would only repeat the night.
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
        # Tonight's tasks are listed one by one, so nothing needs to be left out.
        return _with(self.experiment, tasks=(), exclude=(), tags=(), difficulty=(), limit=None)

    def _fits(self, baseline: Plan) -> None:
        """Raise UserError if an option of the user makes nights incomparable with this baseline."""
        options = self._without_tasks().plan()
        comparable_fields: Mapping[str, tuple[Sequence[object], Sequence[object]]] = {
            "conditions": (options.conditions, baseline.conditions),
            "seed": (options.worlds, baseline.worlds),
            "stress_seeds": (options.stress[:1], baseline.stress[:1]),
            "epochs": ((options.epochs,), (baseline.epochs,)),
            **{name: ((getattr(options, name),), (getattr(baseline, name),)) for name in LIMITS},
        }
        for name, (wanted, recorded) in comparable_fields.items():
            # Only fields that the user set can conflict; the others follow the baseline.
            if name in self.set_fields and not set(wanted) <= set(recorded):
                option = f"{name.replace('_', '-')} {_listed(wanted)}"
                raise UserError(
                    f"{option} cannot be compared with the baseline, which has {_listed(recorded)}; leave it out,"
                    " or record another baseline with --new-baseline"
                )


def _listed(values: Sequence[object]) -> str:
    return ", ".join("none" if entry is None else str(entry) for entry in values)


def _with(experiment: Experiment, **changes: object) -> Experiment:
    """Return an experiment with some fields changed, checked like any other."""
    # Only set fields are passed on, because an explicit default would count as set by the user.
    return Experiment.model_validate({**experiment.model_dump(exclude_unset=True), **changes})


def plan_in(folder: Path) -> Plan:
    """Return the plan of a run; raises UserError if it has none."""
    with Store.read(folder / FILE) as store:
        return recorded_plan(store)


def foreseen(name: str, plan: Plan, library: Library) -> Side:
    """Return a planned run without episodes, to find out in advance which of its cells can be compared."""
    cells = plan.cells()
    known = identities(library, plan)
    return Side(name, [Planned(cell, known[cell.key], None) for cell in cells], plan.limits)
