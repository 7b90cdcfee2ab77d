"""An experiment: what is to be run, as a user states it, and the plan that it makes."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from runner import registry
from runner.experiment.plan import MAX_STEPS, Plan, limited
from runner.experiment.process import environment
from stressweb.core.address import check_url
from stressweb.core.conditions import CLEAN
from stressweb.core.errors import UserError
from stressweb.plugins.agent import Agent

type Seed = Annotated[int, Field(ge=0)]
type Count = Annotated[int, Field(ge=1)]


class Experiment(BaseModel):
    """What is to be run: agents on tasks under conditions, with seeds, repetitions and budgets.

    Every condition is compared with `clean`, which always runs, too.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: tuple[str, ...] = ("naive", "resilient")
    """Agents with their options: `resilient(-gesture)`, `my_package.my_module:MyAgent`. A class is taken, too."""
    tasks: tuple[str, ...] = ()
    """Ids, short names and patterns: `shop/checkout`, `checkout`, `shop/*`. All tasks if there are none."""
    exclude: tuple[str, ...] = ()
    """Tasks and patterns that are left out."""
    conditions: tuple[str, ...] = ("remap",)
    """`remap`, `failure@4`, `failure+noise`, `noise(id=0.5)`, `all`, `all@5`."""
    seed: Seed = 0
    """World seed: data, wording and look of the sites."""
    stress_seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = (0,)
    """Stress seeds, each another draw of what is disturbed."""
    epochs: Count = 1
    """Repetitions with the same draws and another sampling seed for the agent."""
    limit: Count | None = None
    """Number of tasks, taken from each site in turn."""
    max_steps: Count = MAX_STEPS
    """Actions that an agent has for an episode."""
    agent_seconds: Annotated[float, Field(gt=0)] | None = None
    """Time limit per episode, in seconds; without one each decision has its agent's `decision_seconds`."""
    screenshots: bool = True
    """Whether a small picture of every step is recorded for the report; what an agent was shown always is."""
    model: str | None = None
    """Name of the language model that the agent `model` asks."""
    base_url: str | None = None
    """Where it is asked; the key is in the environment variable OPENAI_API_KEY."""
    load: tuple[str, ...] = ()
    """Plug-ins: Python files, folders of sites, `module:Class`."""

    @field_validator("agents", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        """Take a class for where it is defined: a worker process imports it from there."""
        return [_reference(one) if isinstance(one, type) else one for one in value] if _several(value) else value

    def plan(self) -> Plan:
        """Return the plan of this experiment; raises UserError for what does not exist."""
        registry.load(self.load)
        conditions = registry.conditions(",".join(self.conditions))
        agents = tuple(registry.chosen_agents(",".join(self.agents), self.model))
        tasks = registry.chosen_tasks(",".join(self.tasks) or None, ",".join(self.exclude) or None)
        return Plan(
            agents=agents,
            tasks=limited(tasks, self.limit),
            conditions=tuple(dict.fromkeys([CLEAN, *conditions])),
            worlds=(self.seed,),
            stress=self.stress_seeds,
            epochs=self.epochs,
            max_steps=self.max_steps,
            agent_seconds=self.agent_seconds,
            screenshots=self.screenshots,
        )

    @property
    def given(self) -> set[str]:
        """The options of the command line that this experiment sets itself, rather than leaving them as they are."""
        return {OPTIONS.get(name, name) for name in self.model_fields_set}


OPTIONS: Mapping[str, str] = {"agents": "agent", "tasks": "task", "conditions": "mode"}
"""Names of the command line's options, where they differ from those of the fields."""


def check_agents(plan: Plan, model: str | None, base_url: str | None) -> None:
    """Ask every agent whether what it needs is there; raises UserError, also for a model that no agent asks."""
    from runner.agents import build  # noqa: PLC0415 - agents bring their own imports

    agents = [build(spec) for spec in plan.agents]
    if model and not any(getattr(agent, "model", None) == model for agent in agents):
        there = ", ".join(map(str, plan.agents))
        raise UserError(f"model {model} is asked by no agent of this run: {there}; try --agent model")
    if base_url and (problem := check_url(base_url)):
        raise UserError(f"base-url {problem}")
    for agent in agents:
        agent.ready(environment(base_url))


def check_worlds(plan: Plan, library: registry.Library) -> None:
    """Draw every task in every world before anything starts; raises UserError for a malformed spec or task."""
    for task in plan.tasks:
        checklist = library.checklist(task.partition("/")[0])
        for world in plan.worlds:
            checklist.check(library.goal(task, world))


def _several(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _reference(kind: type) -> str:
    if not issubclass(kind, Agent):
        raise ValueError(f"{kind.__name__} is no agent")
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        raise ValueError(f"{kind.__name__} must be defined in a module, so that other processes can import it")
    # An agent that ships is known by its name alone.
    return kind.name if kind.__module__.startswith("runner.agents.") else f"{kind.__module__}:{kind.__qualname__}"
