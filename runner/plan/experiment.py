"""An experiment: the user's settings of a run, and the plan that results from them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema, field_validator, model_validator

from stressweb.cases.case_task import NotMadeError
from stressweb.core.address import check_url
from stressweb.core.agent_names import split_title
from stressweb.core.agent_spec import CLIENT
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
"""Integers; in a file, a single one, a list, or a range such as `0..4`."""
type AgentText = Annotated[str, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object", "minProperties": 1}]})]


class Experiment(Limits):
    """The settings of a run: agents on tasks under conditions, with seeds, repetitions and budgets.

    Every condition is compared with `clean`, which always runs, too.
    """

    name: str | None = None
    """Without `--run`, the run's folder is called after the date and this name (default: the name of the file)."""
    agents: tuple[AgentText, ...] = ("naive", "resilient")
    """Agents, as texts or as mappings: `resilient(-gesture)`, `{model: gpt-5.2, observation: tree}`; in Python also
    classes."""
    agent_commands: tuple[str, ...] = ()
    """Agents that are programs, as `COMMAND` or `NAME=COMMAND`. In a file, an entry `{command: python my_agent.py}` of
    `agents` does the same. If you set no `agents`, only these run."""
    agent_version: str = ""
    """Version of these programs, such as a harness's name and commit; it is part of the run's identity."""
    agent_deterministic: bool = False
    """Whether these programs always do the same on the same pages; if not, clean runs at least twice."""
    agent_own_browser: bool = False
    """Whether these programs start their own browsers, which use the episode's proxy (STRESSWEB_PROXY)."""
    tasks: tuple[str, ...] = ()
    """Ids, short names and patterns: `shop/checkout`, `checkout`, `shop/*`. `chains` means all chains, `cases` all test
    cases, `cases/shop/*` those of a site. Default: all tasks, without chains and test cases."""
    exclude: tuple[str, ...] = ()
    """Tasks and patterns to leave out."""
    tags: tuple[str, ...] = ()
    """Only tasks with one of these tags; `stressweb list tasks` shows them."""
    difficulty: tuple[str, ...] = ()
    """Only tasks of one of these difficulties: easy, medium, hard."""
    conditions: Annotated[tuple[str, ...], Field(min_length=1)] = ("remap",)
    """`remap`, `failure@4`, `failure@1..5`, `failure+noise`, `noise(density=0.5)`; `all` and `all@5` mean every mode
    alone."""
    seed: Seeds = (0,)
    """World seeds: data, wording and look of the sites."""
    stress_seeds: Seeds = (0,)
    """Stress seeds; each draws other disturbances."""
    epochs: Count = 1
    """Repetitions with the same disturbances and a new sampling seed for the agent."""
    limit: Count | None = None
    """Maximum number of tasks, taken from each site in turn."""
    sample: Count | None = None
    """Number of episodes, drawn at random from the plan and spread over sites and conditions. Use it to try a plan, not
    to measure: a sample has few pairs of clean and disturbed episodes to compare."""
    shard: str | None = None
    """`2/8`: the second of eight parts of the plan. `stressweb merge` merges the runs of all parts."""
    budget: Budget = Budget()
    """Limits on tokens, money and hours of the whole run."""
    workers: Count | None = None
    """Number of worker processes, each with a browser (default: one per four cores)."""
    in_flight: Count | None = None
    """Number of episodes that each worker runs at a time (default: its share of three per two cores; of 32 if agents
    ask a model)."""
    screenshots: bool = True
    """Whether to record a small screenshot of every step for the report. Screenshots that agents get are always
    recorded."""
    model: str | None = None
    """Name of the language model that the agent `model` uses."""
    base_url: str | None = None
    """URL of the model's endpoint; the key is read from the environment variable OPENAI_API_KEY."""
    load: tuple[str, ...] = ()
    """Plug-ins: Python files, folders of sites, `module:Class`; and files with your own test cases (.csv, .yaml)."""

    @model_validator(mode="before")
    @classmethod
    def _commands(cls, values: Any) -> Any:
        """Move commands from `agents` to `agent_commands`; if there are only commands, clear the default agents."""
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
        """Turn classes and mappings into the text form of an agent."""
        return [_agent_text(agent) for agent in agents] if _several(agents) else agents

    @field_validator("seed", "stress_seeds", mode="before")
    @classmethod
    def _numbers(cls, value: Any, info: Any) -> Any:
        """Turn a single number, or a range such as `0..4`, into a tuple."""
        if isinstance(value, str):
            try:
                return seeds(value, info.field_name.replace("_", "-"))
            except UserError as error:
                # pydantic adds the entry's name only to a ValueError.
                raise ValueError(str(error)) from None
        return (value,) if isinstance(value, int) else value

    def plan(self) -> Plan:
        """Return the plan of this experiment; raises UserError for unknown names and invalid values."""
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
            # The limit applies last, after exclusions and tags.
            tasks=limited(tasks, self.limit),
            # Clean always runs, as the baseline.
            conditions=tuple(dict.fromkeys([CLEAN, *conditions])),
            # Each once: duplicate cells would have the same key.
            worlds=tuple(dict.fromkeys(self.seed)),
            stress=tuple(dict.fromkeys(self.stress_seeds)),
            epochs=self.epochs,
            sample=self.sample,
            shard=shard_of(self.shard),
            # Only a cost limit needs prices.
            **{**dict(self.limits), "prices": prices_for(agents, self.prices) if self.cost_limit else {}},
        )

    @property
    def explicit_names(self) -> set[str]:
        """The command-line options whose fields this experiment sets explicitly."""
        return {OPTIONS.get(name, name) for name in self.model_fields_set}


OPTIONS: Mapping[str, str] = {
    "agents": "agent",
    "agent_commands": "agent_command",
    "tasks": "task",
    "conditions": "mode",
}
"""Names of command-line options that differ from the names of their fields."""


def check_agents(plan: Plan, model: str | None, base_url: str | None, replay_llm: Path | None = None) -> None:
    """Raise UserError if an agent does not fit the tasks or lacks a requirement, or if no agent uses `model`."""
    agents = [registry.build(spec) for spec in plan.agents]
    if model and not any(getattr(agent, "model", None) == model for agent in agents):
        labels = ", ".join(map(str, plan.agents))
        raise UserError(f"no agent of this run uses model {model}: {labels}; try --agent model")
    if base_url and (problem := check_url(base_url)):
        raise UserError(f"base-url {problem}")
    for spec, agent in zip(plan.agents, agents, strict=True):
        if unfit := next((task for task in plan.tasks if _kind(task) not in agent.takes), None):
            raise UserError(_takes_no(spec.label, unfit))
        if agent.follows_program and (own := next(filter(registry.OWN_CASES.__contains__, plan.tasks), None)):
            raise UserError(
                f"agent {spec.label!r} needs executable steps, and your test case {own} has only text; choose --agent"
                " model, your own program with --agent-command, or always-pass"
            )
        try:
            wanted(agent.wants)
        except UserError as error:
            raise UserError(f"agent {str(spec)!r}: {error}") from None
        # With the environment that the workers will have.
        agent.ready(environment(base_url, replay_llm))


def _kind(task: str) -> TaskKind:
    return "cases" if is_case(task) else "tasks"


def _takes_no(agent: str, task: str) -> str:
    kind = _kind(task)
    # A run cannot start a client.
    fitting = [name for name in registry.AGENTS.working() if name != CLIENT and kind in registry.AGENTS.get(name).takes]
    reason = f"no test cases, such as {task}" if kind == "cases" else f"only test cases, and {task} is a task"
    offer = offered(agent, fitting, command="stressweb list agents", more=", and your own program with --agent-command")
    return f"agent {agent!r} takes {reason}; {offer}"


def check_worlds(plan: Plan, library: registry.Library) -> None:
    """Draw every task in every world before the run starts; raises UserError for an invalid spec or task.

    The error names all test cases that are not made in one of the worlds, with the option that leaves them out.
    """
    not_made: list[NotMadeError] = []
    for task in plan.tasks:
        for world in plan.worlds:
            # Otherwise a task that cannot be drawn in one world would fail hours later.
            try:
                library.check(task, world)
            except NotMadeError as error:
                not_made.append(error)
    cases = list(dict.fromkeys(error.case for error in not_made))
    if len(cases) == 1:
        raise not_made[0]
    if cases:
        raise UserError(
            f"{len(cases)} of {sum(map(is_case, plan.tasks))} test cases are not made in every world;"
            f" {not_made[0].reason}; choose another --seed, or leave them out: --exclude '{','.join(cases)}'"
        )


def _command_text(entry: Mapping[Any, Any]) -> str:
    """Return an agent's command in the form of the command line."""
    unknown = [str(key) for key in entry if key not in ("name", "command")]
    if unknown or not isinstance(entry["command"], str):
        raise ValueError("write a command as {name: mine, command: python my_agent.py}; the name is optional")
    return f"{entry['name']}={entry['command']}" if "name" in entry else entry["command"]


def _agent_text(agent: Any) -> Any:
    """Return an agent in the form of the command line."""
    if isinstance(agent, type):
        return _reference(agent)
    if not isinstance(agent, Mapping):
        return agent
    options = {str(key): option_value for key, option_value in agent.items()}
    title = options.pop("name", None)
    if title is not None and (not isinstance(title, str) or split_title(f"{title}=x")[0] != title):
        raise ValueError(f"agent name {title!r} must be a letter, then letters, digits, '.', '_' or '-'")
    # An entry with a model means the agent `model`.
    name = options.pop("agent", "model" if "model" in options else None)
    if not isinstance(name, str):
        raise ValueError("an agent must be a name, or a mapping such as {agent: resilient, gesture: false}")
    parts = [
        f"-{key}" if option_value is False else f"{key}={_option(key, option_value)}"
        for key, option_value in options.items()
    ]
    prefix = f"{title}=" if title else ""
    return f"{prefix}{name}({','.join(parts)})" if parts else f"{prefix}{name}"


def _option(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    # Commas and parentheses delimit options in an agent's text.
    if isinstance(value, str | int | float) and not set(str(value)) & set(",()"):
        return str(value)
    raise ValueError(f"agent option {key} must be a number, true, false, or a text without commas and parentheses")


def _several(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _reference(kind: type) -> str:
    if not issubclass(kind, Agent):
        raise ValueError(f"{kind.__name__} is not a subclass of stressweb.Agent")
    # Worker processes must be able to import it.
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        raise ValueError(f"{kind.__name__} must be defined in a module, so that other processes can import it")
    # Shipped agents are known by name.
    ships = kind.__module__.startswith("stressweb.runner.agents.")
    return kind.name if ships else f"{kind.__module__}:{kind.__qualname__}"
