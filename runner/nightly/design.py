"""What a night runs: the experiment with tonight's tasks, or with all tasks for a baseline."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.experiment.comparing import Side
from runner.experiment.experiment import Experiment
from runner.experiment.identity import identities
from runner.experiment.plan import Plan
from runner.experiment.run_folder import recorded_plan
from runner.nightly.rotation import tonight
from runner.registry import Library
from stressweb.analysis.comparison import Planned
from stressweb.core.errors import UserError
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

    def for_night(
        self, baseline: Plan, number: int, *, fresh: bool = False, agents: Collection[str] = ()
    ) -> Experiment:
        """Return what the night of this number after the baseline runs; `fresh`: its rerun, with some `agents` only.

        Raises UserError for what the baseline does not have.
        """
        asked = _with(self.experiment, limit=None).plan().tasks
        # A task that is not in the baseline has nothing to be compared with.
        pool = [task for task in baseline.tasks if task in asked]
        if not pool:
            raise UserError("none of these tasks is in the baseline; record another one with --new-baseline")
        self._fits(baseline)
        own = self.experiment.agents if "agents" in self.given else tuple(map(str, baseline.agents))
        conditions = self.experiment.conditions if "conditions" in self.given else tuple(map(str, baseline.conditions))
        return _with(
            self.experiment,
            agents=tuple(agents) or own,
            tasks=tonight(pool, self.size, number),
            # Tonight's tasks are written out: what was left out is left out already.
            exclude=(),
            limit=None,
            conditions=conditions,
            seed=baseline.worlds,
            # A rerun uses other draws, because the same ones would only repeat the night.
            stress_seeds=(baseline.stress[1 if fresh else 0],),
            epochs=baseline.epochs,
            max_steps=baseline.max_steps,
            agent_seconds=baseline.agent_seconds,
            agent_tokens=baseline.agent_tokens,
        )

    def _fits(self, baseline: Plan) -> None:
        """Raise UserError if the user asks for what cannot be compared with this baseline."""
        asked = self.experiment.plan()
        there: Mapping[str, tuple[Sequence[object], Sequence[object]]] = {
            "conditions": (asked.conditions, baseline.conditions),
            "seed": (asked.worlds, baseline.worlds),
            "stress_seeds": (asked.stress[:1], baseline.stress[:1]),
            "epochs": ((asked.epochs,), (baseline.epochs,)),
            "max_steps": ((asked.max_steps,), (baseline.max_steps,)),
            "agent_seconds": ((asked.agent_seconds,), (baseline.agent_seconds,)),
            "agent_tokens": ((asked.agent_tokens,), (baseline.agent_tokens,)),
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
