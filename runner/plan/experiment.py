"""An experiment: what is to be run, as a user states it, and the plan that it makes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema, field_validator, model_validator

from stressweb.core.address import check_url
from stressweb.core.agent_names import given_name
from stressweb.core.choices import offered
from stressweb.core.conditions import CLEAN
from stressweb.core.environment import environment
from stressweb.core.errors import UserError
from stressweb.core.task_id import is_case
from stressweb.log.limits import Count, Limits
from stressweb.log.plan import Plan, limited, seeds, shard_of
from stressweb.plugins.agent import Agent, TaskKind
from stressweb.runner import registry
from stressweb.runner.plan.budget import Budget
from stressweb.runner.plan.prices import prices_for
from stressweb.sources import wanted

type Seed = Annotated[int, Field(ge=0)]
type Seeds = Annotated[
    tuple[Seed, ...],
    Field(min_length=1),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0},
                {"type": "string", "pattern": r"^[0-9]+(\.\.[0-9]+)?(,[0-9]+(\.\.[0-9]+)?)*$"},
                {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1},
            ]
        }
    ),
]
"""Whole numbers; a file may write them as one, as a list, or as a range `0..4`."""
type AgentText = Annotated[str, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object", "minProperties": 1}]})]


class Experiment(Limits):
    """What is to be run: agents on tasks under conditions, with seeds, repetitions and budgets.

    Every condition is compared with `clean`, which always runs, too.
    """

    name: str | None = None
    """Name of the run's folder, after the date (default: the name of the experiment's file)."""
    agents: tuple[AgentText, ...] = ("naive", "resilient")
    """Agents with their options: `resilient(-gesture)`, `my_package.my_module:MyAgent`. Names with values are taken,
    too: `{agent: resilient, gesture: false}`, `{model: gpt-5.2, observation: tree}`; and in Python a class. A name that
    you give stands in the table: `big=model(model=gpt-5.2)`, `{name: big, model: gpt-5.2}`."""
    agent_commands: tuple[str, ...] = ()
    """Agents that are programs: a command each, or `NAME=COMMAND`. In a file an entry `{command: python my_agent.py}`
    of `agents` does the same. Without `agents`, they are the only ones."""
    agent_version: str = ""
    """Version of what these commands run, such as a harness's name and commit; it is part of the run's identity."""
    agent_deterministic: bool = False
    """Whether these commands always do the same on the same pages; if not, clean runs at least twice."""
    agent_own_browser: bool = False
    """Whether these commands start browsers by themselves, which go by the episode's proxy (STRESSWEB_PROXY)."""
    tasks: tuple[str, ...] = ()
    """Ids, short names and patterns: `shop/checkout`, `checkout`, `shop/*`. `chains` are all chains, `cases` all test
    cases, `cases/shop/*` those of a site. All tasks, but no chains and cases, if there are none."""
    exclude: tuple[str, ...] = ()
    """Tasks and patterns that are left out."""
    tags: tuple[str, ...] = ()
    """Only tasks that have one of these tags; `stressweb list tasks` shows them."""
    difficulty: tuple[str, ...] = ()
    """Only tasks of one of these difficulties: easy, medium, hard."""
    conditions: Annotated[tuple[str, ...], Field(min_length=1)] = ("remap",)
    """`remap`, `failure@4`, `failure@1..5`, `failure+noise`, `noise(density=0.5)`, `all`, `all@5`."""
    seed: Seeds = (0,)
    """World seeds: data, wording and look of the sites."""
    stress_seeds: Seeds = (0,)
    """Stress seeds, each another draw of what is disturbed."""
    epochs: Count = 1
    """Repetitions with the same draws and another sampling seed for the agent."""
    limit: Count | None = None
    """Number of tasks, taken from each site in turn."""
    sample: Count | None = None
    """Number of episodes, drawn from all that there would be and spread over sites and conditions. Each comes alone: a
    sample proves what agents can do, and leaves few pairs to compare."""
    shard: str | None = None
    """`2/8`: the second of eight parts of the plan. `stressweb merge` joins the runs of all parts."""
    budget: Budget = Budget()
    """Limits on tokens, money and hours of the whole run."""
    workers: Count | None = None
    """Worker processes, each with a browser; one for four cores if not given."""
    in_flight: Count | None = None
    """Episodes that each worker runs at a time; if not given, three for two cores, and up to 32 for models."""
    screenshots: bool = True
    """Whether a small picture of every step is recorded for the report; what an agent was shown always is."""
    model: str | None = None
    """Name of the language model that the agent `model` asks."""
    base_url: str | None = None
    """URL of the model's endpoint; the key is read from the environment variable OPENAI_API_KEY."""
    load: tuple[str, ...] = ()
    """Plug-ins: Python files, folders of sites, `module:Class`; and files of test cases of your own (.csv, .yaml)."""

    @model_validator(mode="before")
    @classmethod
    def _commands(cls, values: Any) -> Any:
        """Take the commands out of the agents; without other agents there are only commands."""
        if not isinstance(values, Mapping):
            return values
        fields = dict(values)
        agents = fields.get("agents", ())
        commands = (
            [agent for agent in agents if isinstance(agent, Mapping) and "command" in agent] if _several(agents) else []
        )
        if commands:
            fields["agent_commands"] = [*fields.get("agent_commands", ()), *map(_command_text, commands)]
            fields["agents"] = [agent for agent in agents if agent not in commands]
        if fields.get("agent_commands") and not fields.get("agents"):
            fields["agents"] = ()
        return fields

    @field_validator("agents", mode="before")
    @classmethod
    def _named(cls, agents: Any) -> Any:
        """Take a class for where it is defined, since worker processes import it, and names with values as one text."""
        return [_agent_text(agent) for agent in agents] if _several(agents) else agents

    @field_validator("seed", "stress_seeds", mode="before")
    @classmethod
    def _numbers(cls, value: Any, info: Any) -> Any:
        """Take one number, or a range such as `0..4`."""
        if isinstance(value, str):
            try:
                return seeds(value, info.field_name.replace("_", "-"))
            except UserError as error:
                # pydantic reports a ValueError with the entry that it is about; any other error would pass it by.
                raise ValueError(str(error)) from None
        return (value,) if isinstance(value, int) else value

    def plan(self) -> Plan:
        """Return the plan of this experiment; raises UserError for what does not exist."""
        registry.load(self.load)
        conditions = registry.conditions(",".join(self.conditions))
        commands = [
            registry.command_agent(
                command,
                self.agent_version,
                deterministic=self.agent_deterministic,
                own_browser=self.agent_own_browser,
            )
            for command in self.agent_commands
        ]
        agents = tuple(registry.chosen_agents(",".join(self.agents), self.model, commands))
        tasks = registry.chosen_tasks(",".join(self.tasks) or None, ",".join(self.exclude) or None)
        tasks = registry.tasks_with(tasks, self.tags, self.difficulty)
        return Plan(
            agents=agents,
            # Cut last, after exclusions and tags: a limit counts what is left.
            tasks=limited(tasks, self.limit),
            # Clean comes first and always: every difference is to it.
            conditions=tuple(dict.fromkeys([CLEAN, *conditions])),
            # Each once: a cell that comes twice would have the key of the first.
            worlds=tuple(dict.fromkeys(self.seed)),
            stress=tuple(dict.fromkeys(self.stress_seeds)),
            epochs=self.epochs,
            sample=self.sample,
            shard=shard_of(self.shard),
            # A plan without such a limit needs no prices.
            **{**dict(self.limits), "prices": prices_for(agents, self.prices) if self.cost_limit else {}},
        )

    @property
    def explicit_names(self) -> set[str]:
        """The options of the command line that this experiment sets itself, rather than leaving them as they are."""
        return {OPTIONS.get(name, name) for name in self.model_fields_set}


OPTIONS: Mapping[str, str] = {
    "agents": "agent",
    "agent_commands": "agent_command",
    "tasks": "task",
    "conditions": "mode",
}
"""Names of the command line's options, where they differ from those of the fields."""


def check_agents(plan: Plan, model: str | None, base_url: str | None, replay_llm: Path | None = None) -> None:
    """Ask every agent whether what it needs is there; raises UserError, also for a model that no agent asks."""
    agents = [registry.build(spec) for spec in plan.agents]
    # A model that no agent asks is a mistake: the user believes that the run uses it.
    if model and not any(getattr(agent, "model", None) == model for agent in agents):
        there = ", ".join(map(str, plan.agents))
        raise UserError(f"model {model} is asked by no agent of this run: {there}; try --agent model")
    if base_url and (problem := check_url(base_url)):
        raise UserError(f"base-url {problem}")
    for spec, agent in zip(plan.agents, agents, strict=True):
        if unfit := next((task for task in plan.tasks if _kind(task) not in agent.takes), None):
            raise UserError(_takes_no(spec.label, unfit))
        if agent.follows_program and (own := next(filter(registry.OWN_CASES.__contains__, plan.tasks), None)):
            raise UserError(
                f"agent {spec.label!r} follows a program, and {own} of yours has only words; take --agent model, a "
                "program of your own by --agent-command, or always-pass"
            )
        try:
            wanted(agent.wants)
        except UserError as error:
            raise UserError(f"agent {str(spec)!r}: {error}") from None
        # Asked with the environment that the workers will have, so that what is found here holds there.
        agent.ready(environment(base_url, replay_llm))


def _kind(task: str) -> TaskKind:
    return "cases" if is_case(task) else "tasks"


def _takes_no(agent: str, task: str) -> str:
    kind = _kind(task)
    fitting = [name for name in registry.AGENTS.working() if kind in registry.AGENTS.get(name).takes]
    reason = f"no test cases, such as {task}" if kind == "cases" else f"test cases only, and {task} is none"
    return f"agent {agent!r} takes {reason}; {offered(agent, fitting, command='stressweb list agents')}"


def check_worlds(plan: Plan, library: registry.Library) -> None:
    """Draw every task in every world before anything starts; raises UserError for a malformed spec or task."""
    for task in plan.tasks:
        for world in plan.worlds:
            # A task that cannot be drawn in one world would otherwise be found hours later, as an error of its cell.
            library.check(task, world)


def _command_text(entry: Mapping[Any, Any]) -> str:
    """Return what states a command as the command line takes it."""
    unknown = [str(key) for key in entry if key not in ("name", "command")]
    if unknown or not isinstance(entry["command"], str):
        raise ValueError("a command is written {name: mine, command: python my_agent.py}; the name may be left out")
    return f"{entry['name']}={entry['command']}" if "name" in entry else entry["command"]


def _agent_text(agent: Any) -> Any:
    """Return what states an agent as the one text that the command line takes."""
    if isinstance(agent, type):
        return _reference(agent)
    if not isinstance(agent, Mapping):
        return agent
    options = {str(key): option_value for key, option_value in agent.items()}
    title = options.pop("name", None)
    if title is not None and (not isinstance(title, str) or given_name(f"{title}=x")[0] != title):
        raise ValueError(f"name {title!r} of an agent begins with a letter; it has letters, digits, '.', '_' and '-'")
    # An entry that names a model means the agent `model`.
    name = options.pop("agent", "model" if "model" in options else None)
    if not isinstance(name, str):
        raise ValueError("an agent is a name, or names with values, as in {agent: resilient, gesture: false}")
    parts = [
        f"-{key}" if option_value is False else f"{key}={_option(key, option_value)}"
        for key, option_value in options.items()
    ]
    called = f"{title}=" if title else ""
    return f"{called}{name}({','.join(parts)})" if parts else f"{called}{name}"


def _option(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    # The text of an agent is split at commas and ends at its parenthesis, so a value can hold neither.
    if isinstance(value, str | int | float) and not set(str(value)) & set(",()"):
        return str(value)
    raise ValueError(f"option {key} of an agent is a number, true, false or a text without commas and parentheses")


def _several(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _reference(kind: type) -> str:
    if not issubclass(kind, Agent):
        raise ValueError(f"{kind.__name__} is no agent")
    # A worker is another process: what only this one has defined cannot be imported there.
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        raise ValueError(f"{kind.__name__} must be defined in a module, so that other processes can import it")
    # An agent that ships is known by its name alone.
    ships = kind.__module__.startswith("stressweb.runner.agents.")
    return kind.name if ships else f"{kind.__module__}:{kind.__qualname__}"
