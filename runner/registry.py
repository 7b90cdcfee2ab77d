"""The registry of sites with their tasks, modes, agents and observation sources: built-in ones first, then extensions.

Names are found without importing anything; what a name stands for is imported when it is asked for.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import checkpoints
import perturbations as shipped_modes
import runner.agents as shipped_agents
import runner.observations as shipped_sources
import sites as shipped_sites
from stressweb.core.address import check_model
from stressweb.core.agent_names import given_name
from stressweb.core.agent_spec import AgentSpec
from stressweb.core.choices import offered, unknown
from stressweb.core.chosen import chosen, without
from stressweb.core.conditions import LONGEST, Condition, parse, split
from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.plugins import backend as shipped_backends
from stressweb.plugins.extensions import EXTENSIONS, KINDS, REFERENCE, SAID, Broken, Kind
from stressweb.plugins.perturbation import Perturbation
from stressweb.plugins.rule import Rule
from stressweb.plugins.site import Site

if TYPE_CHECKING:
    from runner.chains import Chains
    from stressweb.plugins.chain import Chain
    from stressweb.plugins.checks import Checklist
    from stressweb.plugins.site import SiteWorld
    from stressweb.plugins.task import Goal, Task

CHAINS = "chains"
"""What the id of every chain begins with: `stressweb.plugins.chain` is slow to import."""
_TASK_ID = re.compile(r"""^\s*-\s+id:\s*["']?([\w./-]+)["']?\s*(?:#.*)?$""", re.MULTILINE)


def modes() -> list[str]:
    """Return the names of the modes, in the order in which a gesture meets them; extensions come last."""
    return [*shipped_modes.MODES, *_added("perturbations", shipped_modes.MODES)]


def mode(name: str) -> type[Perturbation]:
    """Return the class of a mode; raises UserError for a name that there is not, or an extension that fails."""
    # What ships comes first: no extension can take its place, and with it the meaning of results.
    if name in shipped_modes.MODES:
        return shipped_modes.mode(name)
    found: type[Perturbation] = _extension("perturbations", name, "mode")
    return found


def swallowing() -> list[str]:
    """Return the modes that deliver by stopping a gesture, so that it does nothing; a broken plug-in is left out."""
    return [name for name in working("perturbations") if mode(name).swallows]


def perturbations(condition: Condition) -> list[Perturbation]:
    """Return the perturbations of a condition; raises UserError for a parameter that a mode does not take."""
    return [shipped_modes.at(mode(applied.mode), applied) for applied in condition.applied]


def agent_names() -> list[str]:
    """Return the names of the agents, sorted, those that ship first."""
    shipped = shipped_agents.names()
    return [*shipped, *_added("agents", shipped)]


def site_names() -> list[str]:
    """Return the names of the sites, those that ship first."""
    shipped = shipped_sites.names()
    return [*shipped, *_added("sites", shipped)]


def source_names() -> list[str]:
    """Return the names of the observation sources, those that ship first."""
    return shipped_sources.names()


def plugged_backend(name: str) -> Any:
    """Return the class of a plug-in's backend, by its name or as `module:Class`.

    Raises UserError for a name that there is not, or an extension that fails.
    """
    if REFERENCE.fullmatch(name):
        ((_, name),) = _load(name)
    return _extension("backends", name, "backend")


def backend_names() -> list[str]:
    """Return the names of the backends, those that ship first."""
    return [*shipped_backends.SHIPPED, *_added("backends", shipped_backends.SHIPPED)]


def origin(kind: Kind, name: str) -> str:
    """Return where one of a kind comes from, in a few words."""
    return "ships" if name in _shipped_names()[kind] else EXTENSIONS.origin(kind, name)


@cache
def site(name: str) -> Site:
    """Return a site; raises UserError for a name that there is not, or an extension that fails."""
    if name not in shipped_sites.names():
        found: Site = _extension("sites", name, "site")
        return found
    from sites.kit import shipped_site  # noqa: PLC0415 - needs Flask

    return shipped_site(name, checks=checkpoints.module_name(name))


def task_ids() -> list[str]:
    """Return the ids of all tasks, as `site/name`; a site that does not import has none.

    Raises UserError for an id of two tasks.
    """
    files = [shipped_sites.folder_of(name) / "tasks.yaml" for name in shipped_sites.names()]
    found = [(task, path, at) for path in files for at, task in enumerate(_TASK_ID.findall(path.read_text("utf-8")))]
    ids = [task for task, _, _ in found]
    # Tasks of one id would be one task in every table.
    if len(set(ids)) < len(ids):
        from stressweb.plugins.task import refuse_twice  # noqa: PLC0415 - only for its message

        refuse_twice(found)
    for name in _added("sites", shipped_sites.names()):
        try:
            ids += [task.id for task in site(name).tasks()]
        # One broken plug-in must not take the tasks of all other sites away; `broken` says what is wrong with it.
        except UserError:
            continue
    return ids


@cache
def chain_ids() -> list[str]:
    """Return the ids of all chains. They are not among `task_ids`: a run has them only where somebody names them."""
    return _TASK_ID.findall(shipped_sites.CHAINS_FILE.read_text(encoding="utf-8"))


def broken() -> list[Broken]:
    """Import every extension and return those that cannot be used, each with the reason."""
    return EXTENSIONS.broken(_shipped_names())


def working(kind: Kind) -> list[str]:
    """Return the names of a kind without those of extensions that do not import; these are imported to find out."""
    shipped = _shipped_names()[kind]
    return [*shipped, *(name for name in _added(kind, shipped) if EXTENSIONS.works(kind, name))]


def extensions() -> list[str]:
    """Return every extension that works, as a user would name it: `agent mine`, `mode slow`, `site library`."""
    shipped = _shipped_names()
    return [f"{SAID[kind]} {name}" for kind in KINDS for name in working(kind) if name not in shipped[kind]]


def load(sources: Sequence[str]) -> None:
    """Add extensions that a user names: a Python file, the folder of a site, or `module:Class`.

    Raises UserError for one that does not import, holds nothing, or takes a name that ships.
    """
    for source in sources:
        _load(source)


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
    ((_, name),) = _load(reference[0])
    return f"{title}{'=' if title else ''}{name}{agent[reference.end() :]}"


def conditions(text: str) -> list[Condition]:
    """Return the conditions that a user lists, with their parameters checked; raises UserError.

    The scripts of plug-ins are looked at, too.
    """
    found = parse(named(text), modes())
    # A parameter is known to its mode alone, so that each mode is made once to have it checked.
    for one in found:
        for made in perturbations(one):
            if made.mode not in shipped_modes.MODES:
                _check_rule(made)
    return found


def chosen_tasks(text: str | None, exclude: str | None = None) -> list[str]:
    """Return the ids of the tasks that a user lists, also as patterns; all tasks, and no chains, if nothing is given.

    `chains` stands for all chains. What `exclude` matches is left out. Raises UserError, also if nothing is left.
    """
    found = _listed(text) if text else task_ids()
    return without(found, exclude) if exclude else found


def _listed(text: str) -> list[str]:
    found: dict[str, None] = {}
    known = task_ids()
    for part in split(text) or [text]:
        # Chains take hours: a pattern over all tasks, such as `*`, must not bring them in.
        if part == CHAINS or part.startswith(f"{CHAINS}/"):
            found |= dict.fromkeys(chosen(f"{CHAINS}/*" if part == CHAINS else part, chain_ids()))
        else:
            found |= dict.fromkeys(chosen(part, known))
    return list(found)


def chosen_agents(text: str, model: str | None = None) -> list[AgentSpec]:
    """Return the agents that a user lists, each once, with their options checked; raises UserError.

    `model` is the option of that name of every agent that has one and does not set it.
    """
    if model and (problem := check_model(model)):
        raise UserError(f"model {problem}")
    listed = split(named(text))
    if not listed:
        raise UserError(f"agent is empty; {offered('', agent_names(), command='stressweb list agents')}")
    for one in listed:
        if len(one) > LONGEST:
            raise UserError(f"agent {one[:40]!r}... has {len(one)} characters; an agent has at most {LONGEST}")
    defaults = {"model": model} if model else {}
    # An agent that is listed twice would be two rows of the same name.
    found = list(dict.fromkeys(shipped_agents.parse(one, defaults) for one in listed))
    titles = Counter(title for spec in found if (title := given_name(spec.label)[0]))
    if twice := [title for title, count in titles.items() if count > 1]:
        raise UserError(f"two agents are called {twice[0]!r}; give each a name of its own")
    return found


def check_recorded(agents: Sequence[AgentSpec], conditions: Sequence[Condition]) -> None:
    """Raise UserError if agents and conditions of a recorded plan are not what they are called, or are not there now.

    A recording may come from elsewhere: under the name of one agent it could have the options of another.
    """
    for agent in agents:
        if shipped_agents.parse(agent.label) != agent:
            raise UserError(f"agent {agent.label!r} is not what it was when the run was made; start a new run")
    for condition in conditions:
        # Parsed anew, so that what the label says and what the plan holds are the same thing.
        if parse(condition.label, modes()) != [condition]:
            raise UserError(f"condition {condition.label!r} is not what it was when the run was made; start a new run")
        perturbations(condition)


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


class Library:
    """Sites, tasks and checkpoints, each loaded when first asked for and kept."""

    def __init__(self) -> None:
        """Load nothing yet."""
        # Caches of this object: those of a decorator would belong to the class, and keep every world that was ever
        # drawn.
        self.world = cache(self._world)
        self.world_of = cache(self._world_of)
        self.tasks = cache(self._tasks)
        self.checklist = cache(self._checklist)
        self.sources = cache(self._sources)

    def goal(self, task: str, seed: int) -> "Goal":
        """Return a task's goal at one world seed; raises UserError for an unknown task."""
        found, world = self.task(task), self.world_of(task, seed)
        return self._chains.goal(found, world, self.task) if _is_chain(task) else cast("Task", found).goal(world)

    def parts(self, task: str) -> tuple[str, ...]:
        """Return the ids of the tasks that a chain is made of; a task that stands alone is its own only part."""
        return tuple(getattr(self.task(task), "tasks", (task,)))

    def sites(self, task: str) -> tuple[str, ...]:
        """Return the sites that a task or a chain plays on, each once."""
        return tuple(dict.fromkeys(part.partition("/")[0] for part in self.parts(task)))

    def hosts(self, task: str, seed: int) -> Mapping[str, str]:
        """Return the sites of a chain by their hosts; nothing for a task that stands alone."""
        if not _is_chain(task):
            return {}
        return {one.host: one.site for one in self.world_of(task, seed).parts}

    def task(self, task: str) -> "Task | Chain":
        """Return a task or a chain; raises UserError if there is none of this id."""
        known = self.tasks(task.partition("/")[0])
        if task not in known:
            raise UserError(unknown("task", task, known, command="stressweb list tasks"))
        return known[task]

    def families(self, tasks: Iterable[str]) -> int:
        """Return of how many families these tasks are; a task without one is a family of its own."""
        return len({(task.partition("/")[0], self.task(task).family or task) for task in tasks})

    @staticmethod
    def _world(name: str, seed: int) -> "SiteWorld":
        return site(name).world(seed)

    def _world_of(self, task: str, seed: int) -> "SiteWorld":
        """Return the world in which an episode of a task or of a chain plays."""
        sites = [self.world(name, seed) for name in self.sites(task)]
        return self._chains.world(sites) if _is_chain(task) else sites[0]

    def _tasks(self, name: str) -> "Mapping[str, Task | Chain]":
        if name == CHAINS:
            return self._chains.tasks
        return {task.id: task for task in site(name).tasks()}

    @cached_property
    def _chains(self) -> "Chains":
        from runner.chains import Chains  # noqa: PLC0415 - slow to import

        return Chains(shipped_sites.CHAINS_FILE, task_ids())

    def _checklist(self, name: str) -> "Checklist":
        if name == CHAINS:
            return self._chains.checklist(self.checklist)
        return site(name).checklist()

    @staticmethod
    def _sources(name: str) -> Mapping[str, str]:
        return site(name).sources()


def _is_chain(task: str) -> bool:
    return task.startswith(f"{CHAINS}/")


def _check_rule(made: Perturbation) -> None:
    """Raise UserError if a mode of a plug-in has no rule, or its script cannot be used."""
    rule: Any
    try:
        rule = made.rule(Seeds(0, 0, ""))
    except NotImplementedError as error:
        raise UserError(str(error)) from None
    if not isinstance(rule, Rule) or not isinstance(getattr(rule, "script", None), Path):
        raise UserError(f"mode {made.mode!r}: its rule must be a stressweb.Rule with the path of a script")
    shipped_modes.check_scripts(rule)


def _load(source: str) -> list[tuple[Kind, str]]:
    return EXTENSIONS.load(source, _shipped_names(), _site_in)


def _extension(kind: Kind, name: str, said: str) -> Any:
    try:
        return EXTENSIONS.get(kind, name)
    except KeyError:
        named = {"agents": agent_names, "perturbations": modes, "sites": site_names, "backends": backend_names}
        # Nothing lists the backends: there are few.
        listed = "" if kind == "backends" else f"stressweb list {said}s"
        raise UserError(unknown(said, name, named[kind](), command=listed)) from None


def _added(kind: Kind, shipped: Sequence[str]) -> list[str]:
    """Return the extensions of a kind whose names do not clash with what ships."""
    return sorted(name for name in EXTENSIONS.names(kind) if name not in shipped)


def _shipped_names() -> Mapping[Kind, Sequence[str]]:
    return {
        "agents": shipped_agents.names(),
        "perturbations": shipped_modes.MODES,
        "sites": shipped_sites.names(),
        "observations": [*shipped_sources.SHIPPED],
        "backends": shipped_backends.SHIPPED,
    }


def _site_in(folder: Path) -> Site:
    from sites.kit import KitSite  # noqa: PLC0415 - needs Flask

    return KitSite(folder)
