"""The experiment of a night, with tonight's tasks, or of a baseline, with all tasks."""

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
from stressweb.runner.nightly.pool import Pool, missing, pool, selected_tasks
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
    """Its tasks are those that nights rotate through; its first stress seed is that of every night."""
    size: int = SIZE
    set_fields: Collection[str] = ()
    """Fields of the experiment that the user set; other fields follow the baseline once there is one."""

    def for_baseline(self) -> Experiment:
        """Return the experiment of a baseline: all tasks, with the nights' stress seed and another one for reruns."""
        seed = self.experiment.stress_seeds[0]
        # All tasks at once, so that the baseline is of one version of the agent.
        return _with_changes(self.experiment, stress_seeds=(seed, seed + 1), limit=None)

    def check(self, *, new: bool) -> None:
        """Raise UserError for mistakes that do not depend on the baseline; `new`: this night records a baseline."""
        (self.experiment if new else self._without_tasks()).plan()

    def pool(self, baseline: Plan, pinned: Collection[str] | None, library: Library) -> Pool:
        """Return the tasks and conditions of a baseline that are still comparable.

        `pinned` are the identities of the baseline's cells; None, without a baseline, makes all comparable. Raises
        UserError if a setting of the user does not fit the baseline.
        """
        registry.load(self.experiment.load)
        wanted = selected_tasks(self.experiment, baseline.tasks)
        if not set(wanted) & set(baseline.tasks):
            raise UserError("none of these tasks is in the baseline; record another one with --new-baseline")
        self._check_fits(baseline)
        conditions, gone = self._conditions(baseline)
        absent = missing(wanted)
        present = [task for task in wanted if task not in absent and task in set(baseline.tasks)]
        cells, broken = self._identities(baseline, present, conditions, library)
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
            # A missing or broken extension must not affect other modes.
            except UserError:
                gone.append(label)
        return loading, gone

    def _identities(
        self, baseline: Plan, tasks: Sequence[str], conditions: Sequence[str], library: Library
    ) -> tuple[dict[Cell, str], dict[str, str]]:
        """Return the identities of today's cells, and the reasons why tasks cannot be loaded, by task."""
        cells, broken = dict[Cell, str](), dict[str, str]()

        def add(added_tasks: Sequence[str]) -> None:
            changes = {"tasks": added_tasks, "conditions": conditions, "stress_seeds": baseline.stress[:2]}
            plan = self._comparable_experiment(baseline, **changes).plan()
            cells.update({planned.cell: planned.identity for planned in planned_side("", plan, library).cells})

        for tasks_of_site in grouped(tasks, site_of).values():
            try:
                add(tasks_of_site)
            # A broken site, whatever its code raises, must not affect other sites.
            except Exception:
                for task in tasks_of_site:
                    try:
                        add([task])
                    except Exception as error:
                        broken[task] = str(error) if isinstance(error, UserError) else repr(error)
        return cells, broken

    def for_night(
        self, baseline: Plan, number: int, comparable: Pool, *, fresh: bool = False, agents: Collection[str] = ()
    ) -> Experiment:
        """Return the experiment of night `number` after the baseline; `fresh`: its rerun, with only these `agents`."""
        own = self.experiment.agents if "agents" in self.set_fields else tuple(map(str, baseline.agents))
        return self._comparable_experiment(
            baseline,
            agents=tuple(agents) or own,
            tasks=tonight(comparable.tasks, self.size, number),
            conditions=comparable.conditions,
            # A rerun has other draws; the same ones would only repeat the night.
            stress_seeds=(baseline.stress[1 if fresh else 0],),
        )

    def _comparable_experiment(self, baseline: Plan, **changes: object) -> Experiment:
        """Return an experiment that is comparable with a baseline."""
        return _with_changes(
            self._without_tasks(),
            seed=baseline.worlds,
            epochs=baseline.epochs,
            **{name: getattr(baseline, name) for name in LIMITS},
            **changes,
        )

    def _without_tasks(self) -> Experiment:
        # Tonight's tasks are listed one by one.
        return _with_changes(self.experiment, tasks=(), exclude=(), tags=(), difficulty=(), limit=None)

    def _check_fits(self, baseline: Plan) -> None:
        """Raise UserError if a setting of the user makes nights incomparable with this baseline."""
        options = self._without_tasks().plan()
        comparable_fields: Mapping[str, tuple[Sequence[object], Sequence[object]]] = {
            "conditions": (options.conditions, baseline.conditions),
            "seed": (options.worlds, baseline.worlds),
            "stress_seeds": (options.stress[:1], baseline.stress[:1]),
            "epochs": ((options.epochs,), (baseline.epochs,)),
            **{name: ((getattr(options, name),), (getattr(baseline, name),)) for name in LIMITS},
        }
        for name, (wanted, recorded) in comparable_fields.items():
            # Other fields follow the baseline.
            if name in self.set_fields and not set(wanted) <= set(recorded):
                option = f"{name.replace('_', '-')} {_listed(wanted)}"
                raise UserError(
                    f"{option} cannot be compared with the baseline, which has {_listed(recorded)}; leave it out,"
                    " or record another baseline with --new-baseline"
                )


def _listed(values: Sequence[object]) -> str:
    return ", ".join("none" if entry is None else str(entry) for entry in values)


def _with_changes(experiment: Experiment, **changes: object) -> Experiment:
    """Return an experiment with some fields changed, and validated."""
    # Without defaults, which would count as set by the user.
    return Experiment.model_validate({**experiment.model_dump(exclude_unset=True), **changes})


def plan_in(folder: Path) -> Plan:
    """Return the plan of a run; raises UserError if it has none."""
    with Store.read(folder / FILE) as store:
        return recorded_plan(store)


def planned_side(name: str, plan: Plan, library: Library) -> Side:
    """Return a planned run without episodes, to find out in advance which of its cells are comparable."""
    cells = plan.cells()
    known = identities(library, plan)
    return Side(name, [Planned(cell, known[cell.key], None) for cell in cells], plan.limits)
