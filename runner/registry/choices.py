"""What a user chooses to run: tasks, agents and conditions, by name and by pattern."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from perturbations import check_scripts, modes_of
from runner.agents import parse as agent_of
from runner.registry.library import Library, case_ids, chain_ids, site_names, task_ids
from runner.registry.plugins import AGENTS, EXTENSIONS, MODES
from stressweb.core.address import check_model
from stressweb.core.agent_names import given_name
from stressweb.core.agent_spec import AgentSpec
from stressweb.core.choices import offered, unknown
from stressweb.core.chosen import chosen, without
from stressweb.core.conditions import LONGEST, Condition, parse, split
from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.core.task_id import CASES, CHAINS, site_of
from stressweb.plugins.extensions import REFERENCE
from stressweb.plugins.perturbation import Perturbation
from stressweb.plugins.rule import Rule


def named(text: str) -> str:
    """Load each `module:Class` in a list such as `naive,my_package.my_module:MyAgent(option=1)`.

    Returns the list with names in place of the references. Raises UserError as `load` does.
    """
    return ",".join("+".join(_named(item) for item in split(part, "+")) for part in split(text))


def _named(item: str) -> str:
    title, agent = given_name(item)
    reference = REFERENCE.match(agent)
    if not reference:
        return item
    # A reference names one class, so it cannot add several things.
    (name,) = EXTENSIONS.load(reference[0])
    return f"{title}{'=' if title else ''}{name}{agent[reference.end() :]}"


def check_site(name: str) -> None:
    """Raise UserError for a name that no site has."""
    if name not in site_names():
        raise UserError(unknown("site", name, site_names(), command="stressweb list sites"))


def conditions(text: str) -> list[Condition]:
    """Return the conditions that a user lists, with their parameters checked; raises UserError.

    The scripts of plug-ins are looked at, too.
    """
    found = parse(named(text), MODES.names())
    # A parameter is known to its mode alone, so that each mode is made once to have it checked.
    for one in found:
        for made in modes_of(one):
            if made.mode not in MODES.shipped():
                _check_rule(made)
    return found


def chosen_tasks(text: str | None, exclude: str | None = None) -> list[str]:
    """Return the ids of the tasks that a user lists, also as patterns; all tasks if nothing is given.

    Chains and test cases must be named: `chains` and `cases` stand for all of them. What `exclude` matches is left out.
    Raises UserError, also if nothing is left.
    """
    found = _listed(text) if text else task_ids()
    return without(found, exclude) if exclude else found


def _listed(text: str) -> list[str]:
    found: dict[str, None] = {}
    known = task_ids()
    for part in split(text) or [text]:
        # Chains take hours: a pattern over all tasks, such as `*`, must not bring them in.
        if site_of(part) == CHAINS:
            found |= dict.fromkeys(chosen(f"{CHAINS}/*" if part == CHAINS else part, chain_ids()))
        elif part.partition("/")[0] == CASES:
            found |= dict.fromkeys(chosen(f"{CASES}/*" if part == CASES else part, case_ids()))
        else:
            found |= dict.fromkeys(chosen(part, known))
    return list(found)


def chosen_agents(text: str, model: str | None = None, commands: Sequence[AgentSpec] = ()) -> list[AgentSpec]:
    """Return the agents that a user lists, each once, with their options checked; raises UserError.

    `model` is the option of that name of every agent that has one and does not set it. `commands` are programs that the
    user adds.
    """
    if model and (problem := check_model(model)):
        raise UserError(f"model {problem}")
    listed = split(named(text))
    if not listed and not commands:
        raise UserError(f"agent is empty; {offered('', AGENTS.names(), command='stressweb list agents')}")
    for one in listed:
        if len(one) > LONGEST:
            raise UserError(f"agent {one[:40]!r}... has {len(one)} characters; an agent has at most {LONGEST}")
    defaults = {"model": model} if model else {}
    # An agent that is listed twice would be two rows of the same name.
    found = list(dict.fromkeys([*(agent_of(one, defaults) for one in listed), *commands]))
    titles = Counter(title for spec in found if (title := given_name(spec.label)[0]))
    if twice := [title for title, count in titles.items() if count > 1]:
        raise UserError(f"two agents are called {twice[0]!r}; give each a name of its own")
    return found


def check_recorded(agents: Sequence[AgentSpec], conditions: Sequence[Condition]) -> None:
    """Raise UserError if agents and conditions of a recorded plan are not what they are called, or are not there now.

    A recording may come from elsewhere: under the name of one agent it could have the options of another.
    """
    for agent in agents:
        if agent_of(agent.label) != agent:
            raise UserError(f"agent {agent.label!r} is not what it was when the run was made; start a new run")
    for condition in conditions:
        # Parsed anew, so that what the label says and what the plan holds are the same thing.
        if parse(condition.label, MODES.names()) != [condition]:
            raise UserError(f"condition {condition.label!r} is not what it was when the run was made; start a new run")
        modes_of(condition)


def tasks_with(tasks: Sequence[str], tags: Sequence[str], difficulties: Sequence[str]) -> list[str]:
    """Return those of the tasks that have one of the tags and one of the difficulties; empty lists choose all.

    The difficulty is that of world 0, as `stressweb list tasks` shows it. Raises UserError for a tag or difficulty that
    no task has, and if no task is left.
    """
    library = Library()
    found = list(tasks)
    wanted: Sequence[tuple[str, Sequence[str], Callable[[str], Collection[str]]]] = (
        ("tag", tags, lambda task: library.task(task).tags),
        ("difficulty", difficulties, lambda task: [library.task(task).difficulty_of(library.goal(task, 0))]),
    )
    for said, words, of in wanted:
        if words:
            # Of all tasks and not of the chosen ones: a word that exists is no mistake, and if it fits none of them
            # that is said below.
            there = sorted({word for task in task_ids() for word in of(task)})
            for word in words:
                if word not in there:
                    raise UserError(unknown(said, word, there, command="stressweb list tasks"))
            found = [task for task in found if set(of(task)) & set(words)]
    if not found:
        raise UserError(f"none of the {len(tasks)} chosen tasks has this tag or difficulty; see `stressweb list tasks`")
    return found


def _check_rule(made: Perturbation) -> None:
    """Raise UserError if a mode of a plug-in has no rule, or its script cannot be used."""
    rule: Any
    try:
        rule = made.rule(Seeds(0, 0, ""))
    except NotImplementedError as error:
        raise UserError(str(error)) from None
    if not isinstance(rule, Rule) or not isinstance(getattr(rule, "script", None), Path):
        raise UserError(f"mode {made.mode!r}: its rule must be a stressweb.Rule with the path of a script")
    check_scripts(rule)
