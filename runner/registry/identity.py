"""Identities: short hashes of everything that defines a cell. Cells with the same identity are comparable."""

import inspect
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

from stressweb.core import protocol, source
from stressweb.core.conditions import CLEAN, Condition
from stressweb.core.draws import Seeds, digest
from stressweb.core.errors import UserError
from stressweb.core.suite import REVISIONS
from stressweb.core.task_id import is_case, site_of
from stressweb.log.limits import Limits
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.perturbations import MODES, modes_of
from stressweb.plugins.actions import Action, Kind
from stressweb.runner.registry.library import Library

if TYPE_CHECKING:
    from stressweb.plugins.perturbation import Perturbation

SIZE = 8
"""Size of an identity in bytes; it is written in hexadecimal."""
LISTED = ("tags", "difficulty", "family")
"""Entries of a task that are only for lists."""
PROVEN = ("limits",)
"""Entries of a task that only its proof uses; neither agents nor grades depend on them."""
GRADED: Mapping[str, str] = {"task": "its text", "goal": "its goal", "checks": "its checks", "site": "its site"}
"""Parts on which a grade depends, with their names in messages."""

type Parts = dict[str, str]
"""Hashes of the parts of cells, by kind and id: `task shop/profile`, `goal shop/profile 0`."""


class Identities:
    """Computes identities of cells; each part is hashed once.

    An identity is the BLAKE2b hash of the parts below and the stress seed. It does not depend on agent, epoch, worker
    or order.

    task: the entry in `tasks.yaml`. goal: the parameters drawn in this world, and the trajectory in this world's
    wording. checks: the code of its checkpoints, and the code in `checkpoints` that it uses. site: data, wording, look,
    spec, templates, scripts and the site's own code. condition: the parameters of each mode at this severity.
    protocol: viewport, settling, budget, and what an agent may do.
    """

    def __init__(
        self,
        library: Library,
        conditions: Iterable[Condition],
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> None:
        """Take the library of tasks, sites and checkpoints, and the limits of an episode.

        `conditions` are the conditions of the cells.
        """
        self._library = library
        self._conditions = {condition.label: condition for condition in conditions}
        self._budget = limits.identity()
        kinds: Mapping[str, Callable[..., Any]] = {
            "task": self._task,
            "goal": self._goal,
            "checks": self._checkpoint_code,
            "site": self._site,
            "condition": self._condition,
            "protocol": self._protocol,
        }
        # A plan may have a million cells, but far fewer parts.
        self.part_of = cache(lambda kind, *about: hashed(kind, kinds[kind](*about)))

    @classmethod
    def of_plan(cls, library: Library, plan: Plan) -> "Identities":
        """Return what computes the identities of a plan's cells."""
        return cls(library, plan.conditions, plan.limits)

    def of(self, cell: Cell) -> str:
        """Return the identity of a cell; raises UserError for an unknown task."""
        stress = "" if cell.stress is None else cell.stress
        # Without agent, epoch and order, since cells are compared between versions of an agent and between machines.
        return digest("cell", *self.parts(cell).values(), stress, size=SIZE).hex()

    def parts(self, cell: Cell, kinds: Collection[str] | None = None) -> Parts:
        """Return the hash of each part of a cell; with `kinds`, only of these kinds."""
        about: list[tuple[Any, ...]] = [
            ("task", cell.task),
            ("goal", cell.task, cell.world),
            *(("checks", part) for part in self._library.parts(cell.task)),
            *(("site", site, cell.world) for site in self._library.sites(cell.task)),
            ("condition", cell.condition),
            ("protocol",),
        ]
        return {" ".join(map(str, key)): self.part_of(*key) for key in about if kinds is None or key[0] in kinds}

    def _task(self, task: str) -> Any:
        spec = self._library.task(task)
        # Without defaults, so that a new optional entry does not change the identity of tasks without it.
        return spec.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={*LISTED, *PROVEN})

    def _goal(self, task: str, world: int) -> Any:
        goal = self._library.goal(task, world)
        ways = [[step.model_dump(exclude_defaults=True) for step in way] for way in goal.ways]
        # Left out if empty, so that goals without files keep the identity of earlier versions.
        offers = [[offer.model_dump() for offer in goal.offers]] if goal.offers else []
        case = [goal.case.model_dump(mode="json")] if goal.case else []
        return [goal.text, goal.params, ways, goal.evidence, *offers, *case]

    def _checkpoint_code(self, task: str) -> Any:
        # A test case is graded against its truth, which is part of the goal.
        if is_case(task):
            return [REVISIONS["grading"]]
        sources = self._library.checkpoint_sources(site_of(task))
        checkpoint_module = next(iter(sources))
        # Shared code changes often without effect, so hashing it would make all versions incomparable. Instead, here
        # and below, a revision is raised by hand when outcomes can change.
        return [REVISIONS["grading"], source.marked_code_with_dependencies(checkpoint_module, task, sources)]

    def _site(self, site: str, seed: int) -> Any:
        world = self._library.world(site, seed)
        files = {name: _file(name, text) for name, text in world.files().items()}
        facts = [world.site, world.host, seed, world.start, world.labels, world.entities, world.recipe()]
        return [REVISIONS["kit"], *facts, files]

    def _condition(self, label: str) -> Any:
        condition = self._conditions[label]
        # By parameters, not by label: remap@3 and remap(share=0.8) are the same.
        modes = [[mode.mode, mode.model_dump(mode="json"), *code_of(type(mode))] for mode in modes_of(condition)]
        # Under clean, the page contains no code of the engine, so the revision does not matter.
        return [condition.active, REVISIONS["engine"] if condition.active else None, modes]

    def _protocol(self) -> Any:
        timing = [protocol.FIRST_PAGE_TIMEOUT_MS, protocol.SETTLE_TIMEOUT_S]
        settings = [REVISIONS["harness"], protocol.VIEWPORT, *timing, self._budget]
        # A new kind of action may make a task easier.
        return [*settings, get_args(Kind), sorted(Action.model_fields)]


def identities(library: Library, plan: Plan, cell_identities: Identities | None = None) -> dict[str, str]:
    """Return the identity of each cell of a plan, by its key; `cell_identities` may have hashed some parts already."""
    cell_identities = cell_identities or Identities.of_plan(library, plan)
    return {cell.key: cell_identities.of(cell) for cell in plan.cells()}


def clean_identities(library: Library, tasks: Iterable[str]) -> dict[str, str]:
    """Return the identity of each task's clean cell in world 0, the default of a run."""
    clean = Identities(library, [CLEAN])
    return {task: clean.of(Cell(agent="", task=task, condition=CLEAN.label, world=0)) for task in tasks}


def plan_hash(library: Library, plan: Plan) -> str:
    """Return the hash of a plan: of its settings and of the identities of its cells."""
    return hashed("plan", [plan.model_dump(mode="json"), identities(library, plan)])


def parts(library: Library, plan: Plan, cell_identities: Identities | None = None) -> Parts:
    """Return the hashes of all parts of a plan's cells; `cell_identities` may have hashed some of them already."""
    cell_identities = cell_identities or Identities.of_plan(library, plan)
    return {name: part_hash for cell in plan.cells() for name, part_hash in cell_identities.parts(cell).items()}


def changed(recorded: Mapping[str, str], library: Library, cells: Iterable[Cell]) -> dict[str, list[str]]:
    """Return the tasks whose grading has changed since they were recorded, each with the names of the changed parts.

    `recorded` are the parts in a run's database. A task that no longer exists is left out: grading reports it.
    """
    # Without conditions, which do not affect grading and may no longer be installed.
    today = Identities(library, ())
    changed_parts: dict[str, list[str]] = {}
    for cell in cells:
        try:
            now = today.parts(cell, GRADED)
        except UserError:
            continue
        # A part that the run did not record cannot be compared, and counts as unchanged.
        kinds = [
            name.partition(" ")[0] for name, part_hash in now.items() if recorded.get(name, part_hash) != part_hash
        ]
        for kind in kinds:
            if GRADED[kind] not in changed_parts.setdefault(cell.task, []):
                changed_parts[cell.task].append(GRADED[kind])
    return {task: kinds for task, kinds in changed_parts.items() if kinds}


def hashed(kind: str, content: Any) -> str:
    """Return the hash of a JSON value; it is the same on every Python version and machine."""
    # Canonical JSON, independent of the order of mappings and of character encodings.
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=_as_json)
    return digest(kind, text, size=SIZE).hex()


def _as_json(content: object) -> Any:
    """Convert a value that JSON cannot express, such as a date, to its type and text."""
    if isinstance(content, Mapping):
        return dict(content)
    # With its type, so that a date does not hash like the same string.
    return [type(content).__name__, str(content)]


def code_of(kind: "type[Perturbation]") -> list[Any]:
    """Return the code of a plug-in's mode, which the engine's revision does not cover."""
    # For shipped modes, a test reports changes, and the engine's revision is raised by hand.
    if kind.mode in MODES:
        return []
    rule = kind.at(0).rule(Seeds(0, 0, ""))
    scripts = [path.read_text(encoding="utf-8") for path in (rule.script, *rule.parts)]
    return [source.reduced(inspect.getsource(inspect.getmodule(kind) or kind)), *scripts]


def _file(name: str, text: str) -> Any:
    # Comments, code layout and line ends do not affect the served pages.
    return source.reduced(text) if name.endswith(".py") else "\n".join(text.splitlines())
