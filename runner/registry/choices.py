"""Resolves the tasks, agents and conditions that a user names, also by pattern."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from stressweb.core.address import check_model
from stressweb.core.agent_names import split_title
from stressweb.core.agent_spec import AgentSpec
from stressweb.core.choices import offered, unknown
from stressweb.core.chosen import chosen, without
from stressweb.core.conditions import LONGEST, Condition, parse, split
from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.core.task_id import CASES, CHAINS, site_of
from stressweb.perturbations import check_scripts, modes_of
from stressweb.plugins.extensions import REFERENCE
from stressweb.plugins.perturbation import Perturbation
from stressweb.plugins.rule import Rule
from stressweb.runner.agents import parse as agent_of
from stressweb.runner.registry.library import Library, chain_ids, site_names, task_ids
from stressweb.runner.registry.plugins import AGENTS, EXTENSIONS, MODES, SITES


def named(text: str) -> str:
    """Load each `module:Class` in a list such as `naive,my_package.my_module:MyAgent(option=1)`.

    Returns the list with names instead of references. Raises UserError as `load` does.
    """
    return ",".join("+".join(_load_member(member) for member in split(part, "+")) for part in split(text))


def _load_member(label: str) -> str:
    title, agent = split_title(label)
    reference = REFERENCE.match(agent)
    if not reference:
        return label
    # A reference names one class.
    (name,) = EXTENSIONS.load(reference[0])
    return f"{title}{'=' if title else ''}{name}{agent[reference.end() :]}"


def check_site(name: str) -> None:
    """Raise UserError for an unknown site."""
    if name not in site_names():
        raise UserError(unknown("site", name, site_names(), command="stressweb list sites"))


def conditions(text: str) -> list[Condition]:
    """Return the conditions that a user lists; raises UserError, also for parameters and scripts of plug-ins."""
    parsed = parse(named(text), MODES.names())
    # Only a mode's class knows its parameters, so each mode is constructed once to check them.
    for condition in parsed:
        for mode in modes_of(condition):
            if mode.mode not in MODES.shipped():
                _check_rule(mode)
    return parsed


def chosen_tasks(text: str | None, exclude: str | None = None) -> list[str]:
    """Return the ids of the tasks that a user lists, also as patterns; all tasks if `text` is empty.

    Chains and test cases must be named: `chains` and `cases` stand for all of them. Tasks that match `exclude` are left
    out. Raises UserError, also if no task is left.
    """
    tasks = _tasks_in(text) if text else task_ids()
    return without(tasks, exclude) if exclude else tasks


def _tasks_in(text: str) -> list[str]:
    tasks: dict[str, None] = {}
    known = task_ids()
    for part in split(text) or [text]:
        # Chains take hours: a pattern such as `*` must not include them.
        if site_of(part) == CHAINS:
            tasks |= dict.fromkeys(chosen(f"{CHAINS}/*" if part == CHAINS else part, chain_ids()))
        elif part.partition("/")[0] == CASES:
            tasks |= dict.fromkeys(chosen(f"{CASES}/*" if part == CASES else part, Library().case_ids()))
        else:
            # `task_ids` leaves out the tasks of a broken site. Whoever names such a task needs the reason.
            if site_of(part) in SITES.names():
                SITES.get(site_of(part)).tasks()
            tasks |= dict.fromkeys(chosen(part, known))
    return list(tasks)


def chosen_agents(text: str, model: str | None = None, commands: Sequence[AgentSpec] = ()) -> list[AgentSpec]:
    """Return the agents that a user lists, each once, with their options checked; raises UserError.

    `model` is the default of every agent's option `model`. `commands` are further agents that are programs.
    """
    if model and (problem := check_model(model)):
        raise UserError(f"model {problem}")
    labels = split(named(text))
    if not labels and not commands:
        raise UserError(f"agent is empty; {offered('', AGENTS.names(), command='stressweb list agents')}")
    for label in labels:
        if len(label) > LONGEST:
            raise UserError(f"agent {label[:40]!r}... has {len(label)} characters; an agent has at most {LONGEST}")
    defaults = {"model": model} if model else {}
    # An agent listed twice would produce two rows of the same name.
    specs = list(dict.fromkeys([*(agent_of(label, defaults) for label in labels), *commands]))
    titles = Counter(title for spec in specs if (title := split_title(spec.label)[0]))
    if duplicates := [title for title, count in titles.items() if count > 1]:
        raise UserError(f"two agents are called {duplicates[0]!r}; give each its own name")
    return specs


def check_recorded(agents: Sequence[AgentSpec], conditions: Sequence[Condition]) -> None:
    """Raise UserError if agents or conditions of a recorded plan do not match their labels, or no longer exist.

    A manipulated recording could combine the label of one agent with the options of another.
    """
    for agent in agents:
        if agent_of(agent.label) != agent:
            raise UserError(f"agent {agent.label!r} has changed since the run was recorded; start a new run")
    for condition in conditions:
        # Parsed again to check that the label matches.
        if parse(condition.label, MODES.names()) != [condition]:
            raise UserError(f"condition {condition.label!r} has changed since the run was recorded; start a new run")
        modes_of(condition)


def tasks_with(tasks: Sequence[str], tags: Sequence[str], difficulties: Sequence[str]) -> list[str]:
    """Return the tasks that have one of the tags and one of the difficulties; an empty list matches all tasks.

    The difficulty is that in world 0, as in `stressweb list tasks`. Raises UserError for a tag or difficulty that no
    task has, and if no task is left.
    """
    library = Library()
    selected = list(tasks)
    wanted: Sequence[tuple[str, Sequence[str], Callable[[str], Collection[str]]]] = (
        ("tag", tags, lambda task: library.task(task).tags),
        ("difficulty", difficulties, lambda task: [library.task(task).difficulty_of(library.goal(task, 0))]),
    )
    for noun, words, words_of in wanted:
        if words:
            # Of all tasks, not only the chosen ones: a valid word that matches no chosen task is reported below.
            existing = sorted({word for task in task_ids() for word in words_of(task)})
            for word in words:
                if word not in existing:
                    raise UserError(unknown(noun, word, existing, command="stressweb list tasks"))
            selected = [task for task in selected if set(words_of(task)) & set(words)]
    if not selected:
        raise UserError(f"none of the {len(tasks)} chosen tasks has this tag or difficulty; see `stressweb list tasks`")
    return selected


def _check_rule(mode: Perturbation) -> None:
    """Raise UserError if a plug-in's mode has no rule or an invalid script."""
    rule: Any
    try:
        rule = mode.rule(Seeds(0, 0, ""))
    except NotImplementedError as error:
        raise UserError(str(error)) from None
    if not isinstance(rule, Rule) or not isinstance(getattr(rule, "script", None), Path):
        raise UserError(f"mode {mode.mode!r}: its rule must be a stressweb.Rule with the path of a script")
    check_scripts(rule)
