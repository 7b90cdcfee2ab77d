"""Identities: what a cell is made of, as a short hash. Cells of equal identity can be compared, whoever ran them."""

import inspect
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

from perturbations import MODES, modes_of
from runner.registry.library import Library
from stressweb.core import protocol, source
from stressweb.core.conditions import CLEAN, Condition
from stressweb.core.draws import Seeds, digest
from stressweb.core.errors import UserError
from stressweb.core.suite import REVISIONS
from stressweb.core.task_id import is_case, site_of
from stressweb.log.limits import Limits
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.plugins.actions import Action, Kind

if TYPE_CHECKING:
    from stressweb.plugins.perturbation import Perturbation

SIZE = 8
"""Bytes of an identity; it is written as twice as many hexadecimal digits."""
LISTED = ("tags", "difficulty", "family")
"""Entries of a task by which it is listed; they do not change what is done."""
PROVEN = ("limits",)
"""Entries of a task that only its proof reads; no agent sees them and no grade depends on them."""
GRADED: Mapping[str, str] = {"task": "its text", "goal": "its goal", "checks": "its checks", "site": "its site"}
"""The parts on which a grade depends, and how a message names one that has changed."""

type Parts = dict[str, str]
"""Hashes of the parts of cells, by kind and what they are of: `task shop/profile`, `goal shop/profile 0`."""


class Identities:
    """Identities of cells, each part computed once.

    An identity is the BLAKE2b hash of the parts below and of the stress seed. Agent, epoch, worker and order are in
    none of them.

    task: the entry in `tasks.yaml`. goal: what was drawn for it in this world, and the trajectory in this world's
    words. checks: the code of its checkpoints, with what that code uses in `checkpoints`. site: data, wording, look,
    spec, templates, scripts and the site's own code. condition: the parameters of each mode at this severity.
    protocol: viewport, settling, budget, and what an agent may do.
    """

    def __init__(
        self,
        library: Library,
        conditions: Iterable[Condition],
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> None:
        """Take where tasks, sites and checkpoints come from, and the limits of an episode: steps, seconds and tokens.

        `conditions` are those of the cells.
        """
        self._library = library
        self._conditions = {one.label: one for one in conditions}
        self._budget = limits.identity()
        kinds: Mapping[str, Callable[..., Any]] = {
            "task": self._task,
            "goal": self._goal,
            "checks": self._checks,
            "site": self._site,
            "condition": self._condition,
            "protocol": self._protocol,
        }
        # A plan may have a million cells, made of far fewer parts.
        self._part = cache(lambda kind, *about: hashed(kind, kinds[kind](*about)))

    def of(self, cell: Cell) -> str:
        """Return the identity of a cell; raises UserError for a task that there is not."""
        stress = "" if cell.stress is None else cell.stress
        # Agent, epoch and order are not in it: cells are compared between two versions of an agent, and between
        # machines.
        return digest("cell", *self.parts(cell).values(), stress, size=SIZE).hex()

    def parts(self, cell: Cell, kinds: Collection[str] | None = None) -> Parts:
        """Return the hash of each part of a cell, or of the parts of some kinds alone."""
        about: list[tuple[Any, ...]] = [
            ("task", cell.task),
            ("goal", cell.task, cell.world),
            *(("checks", part) for part in self._library.parts(cell.task)),
            *(("site", site, cell.world) for site in self._library.sites(cell.task)),
            ("condition", cell.condition),
            ("protocol",),
        ]
        return {" ".join(map(str, one)): self._part(*one) for one in about if kinds is None or one[0] in kinds}

    def _task(self, task: str) -> Any:
        found = self._library.task(task)
        # Without defaults, so that a new kind of entry changes no identity of the tasks that do not use it.
        return found.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={*LISTED, *PROVEN})

    def _goal(self, task: str, world: int) -> Any:
        goal = self._library.goal(task, world)
        ways = [[step.model_dump(exclude_defaults=True) for step in way] for way in goal.ways]
        # A goal without files is what it was before goals could have some.
        offers = [[offer.model_dump() for offer in goal.offers]] if goal.offers else []
        case = [goal.case.model_dump(mode="json")] if goal.case else []
        return [goal.text, goal.params, ways, goal.evidence, *offers, *case]

    def _checks(self, task: str) -> Any:
        # The verdict on a test case is compared with its truth, which is a part of the goal.
        if is_case(task):
            return [REVISIONS["grading"]]
        site = site_of(task)
        sources = self._library.sources(site)
        # The code that all cells share changes often without any effect, and hashing it would make all versions
        # incomparable. A revision is raised by hand instead, here and below, when results can change.
        return [REVISIONS["grading"], source.closure(next(iter(sources)), task, sources)]

    def _site(self, site: str, seed: int) -> Any:
        world = self._library.world(site, seed)
        files = {name: _file(name, text) for name, text in world.files().items()}
        said = [world.site, world.host, seed, world.start, world.labels, world.entities, world.recipe()]
        return [REVISIONS["kit"], *said, files]

    def _condition(self, label: str) -> Any:
        found = self._conditions[label]
        # By parameters and not by label: remap@3 and remap(share=0.8) are the same thing.
        modes = [[one.mode, one.model_dump(mode="json"), *_code_of(type(one))] for one in modes_of(found)]
        # Under clean no code of ours is on the page, so that no revision of it matters.
        return [found.active, REVISIONS["engine"] if found.active else None, modes]

    def _protocol(self) -> Any:
        timing = [protocol.FIRST_PAGE_TIMEOUT_MS, protocol.SETTLE_TIMEOUT_S]
        given = [REVISIONS["harness"], protocol.VIEWPORT, *timing, self._budget]
        # What an agent can do is part of the test: a new kind of action may make a task easier.
        return [*given, get_args(Kind), sorted(Action.model_fields)]


def identities(library: Library, plan: Plan) -> dict[str, str]:
    """Return the identity of each cell of a plan, by its key."""
    found = Identities(library, plan.conditions, plan.limits)
    return {cell.key: found.of(cell) for cell in plan.cells()}


def clean_identities(library: Library, tasks: Iterable[str]) -> dict[str, str]:
    """Return the identity of each task: of its clean cell in world 0, which a run with no other option records."""
    found = Identities(library, [CLEAN])
    return {task: found.of(Cell(agent="", task=task, condition=CLEAN.label, world=0)) for task in tasks}


def plan_hash(library: Library, plan: Plan) -> str:
    """Return the hash of a plan: of its settings, and of what each of its cells is made of."""
    return hashed("plan", [plan.model_dump(mode="json"), identities(library, plan)])


def parts(library: Library, plan: Plan) -> Parts:
    """Return the hashes of all parts that the identities of a plan's cells are made of."""
    found = Identities(library, plan.conditions, plan.limits)
    return {name: value for cell in plan.cells() for name, value in found.parts(cell).items()}


def changed(recorded: Mapping[str, str], library: Library, cells: Iterable[Cell]) -> dict[str, list[str]]:
    """Return the tasks that are graded otherwise than when they were recorded, each with the parts that changed.

    `recorded` are the parts as a run's database has them. A task that there is no more is left out: grading says so.
    Modes have no influence on grading, so modes that are gone do not matter.
    """
    # No conditions are needed, and those of the run may not be installed any more.
    today = Identities(library, ())
    found: dict[str, list[str]] = {}
    for cell in cells:
        try:
            now = today.parts(cell, GRADED)
        except UserError:
            continue
        # A part that the run did not record counts as unchanged, because it cannot be compared.
        kinds = [name.partition(" ")[0] for name, value in now.items() if recorded.get(name, value) != value]
        for kind in kinds:
            if GRADED[kind] not in found.setdefault(cell.task, []):
                found[cell.task].append(GRADED[kind])
    return {task: what for task, what in found.items() if what}


def hashed(kind: str, value: Any) -> str:
    """Return the hash of JSON values, which is the same in every Python and on every machine."""
    # One way to write each value: neither the order of a mapping nor a character that a machine writes in its own way
    # can move a hash.
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=_other)
    return digest(kind, text, size=SIZE).hex()


def _other(value: object) -> Any:
    """Write a value that JSON has no word for, such as a date, together with its type."""
    if isinstance(value, Mapping):
        return dict(value)
    # With its type, or a date would hash like the text that looks the same.
    return [type(value).__name__, str(value)]


def _code_of(kind: "type[Perturbation]") -> list[Any]:
    """Return the code of a mode that is an extension: no revision of ours says when it changes."""
    # Of a mode that ships a test notices what it does to a page, and the revision above is raised.
    if kind.mode in MODES:
        return []
    rule = kind.at(0).rule(Seeds(0, 0, ""))
    scripts = [path.read_text(encoding="utf-8") for path in (rule.script, *rule.parts)]
    return [source.reduced(inspect.getsource(inspect.getmodule(kind) or kind)), *scripts]


def _file(name: str, text: str) -> Any:
    # Neither comments and layout of code nor the line ends of a checkout change what is served.
    return source.reduced(text) if name.endswith(".py") else "\n".join(text.splitlines())
