"""Tasks: a goal, its drawn parameters, the trajectory, its effects, and the evidence pages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from stressweb.core import yaml_models
from stressweb.core.choices import unknown
from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.core.task_id import TASK, site_of
from stressweb.core.templates import fill
from stressweb.plugins import evidence_paths
from stressweb.plugins.database import TableChange
from stressweb.plugins.expect import Expect
from stressweb.plugins.expected import Expected
from stressweb.plugins.limits import Breach, Limit, check_limits
from stressweb.plugins.offers import Offer, OfferSpec
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.steps import Step, Way
from stressweb.plugins.task_parameter import Given
from stressweb.plugins.test_case import TestCase

MAX_STEPS = 30
"""Longest trajectory, in steps."""
type Difficulty = Literal["easy", "medium", "hard"]

EASY_STEPS, MEDIUM_STEPS = 8, 16
"""Longest reference trajectories of easy and medium tasks, in steps; a task with a longer one is hard."""
_ATTEMPTS = 200


def difficulty_by_length(way: Sequence[object]) -> Difficulty:
    """Return the difficulty by the number of steps of a way or a test case."""
    return "easy" if len(way) <= EASY_STEPS else "medium" if len(way) <= MEDIUM_STEPS else "hard"


@dataclass(frozen=True)
class Part:
    """A task as a part of a chain."""

    number: int
    """Its number in the goal, from 1."""
    site: str
    address: str
    """Address of the first page of its site."""
    goal: "Goal"
    """The goal of the single task."""

    def key(self, path: str) -> str:
        """Return the key of the part's evidence page within the chain."""
        return f"{self.number}. {self.site}{path}"

    def paths(self, of_chain: Mapping[str, str]) -> dict[str, str]:
        """Return the paths of the part's evidence pages, as in `Goal.paths`, from those of the whole chain."""
        start = self.key("")
        keys = {self.key(name): name for name in self.goal.evidence}
        return {keys[key]: path.removeprefix(start) for key, path in of_chain.items() if key in keys}


class Goal(BaseModel):
    """A task in one world: the goal for the agent, and the reference for checkpoints."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    task: str
    world_seed: int
    text: str
    """The request to the agent."""
    params: dict[str, Any]
    """Drawn parameters. `goal.product` is `params["product"]`; columns of an entity are its attributes."""
    ways: tuple[tuple[Step, ...], ...]
    """The trajectory, then all other ways of the task."""
    evidence: tuple[str, ...]
    """Paths of the pages that are read unperturbed after the last action. `/t/{made.id}` is the page of the row `made`
    in `expect`; `paths` resolves it after an episode."""
    user: str = ""
    """Key of the person as whom they are read; "" for the visitor who owns the expected rows."""
    offers: tuple[Offer, ...] = ()
    """The files that the agent can upload, by name."""
    # Not serialised, because it refers to the whole initial database through its world.
    expect: Annotated[Expected | None, Field(exclude=True, repr=False)] = None
    """The exact change of the database; None for a goal without a database verdict, for example in tests."""
    parts: Annotated[tuple[Part, ...], Field(exclude=True, repr=False)] = ()
    """The tasks of a chain, in order; empty for a single task."""
    case: Annotated[TestCase | None, Field(exclude=True, repr=False)] = None
    """The test case to judge; None for a task."""

    @property
    def horizon(self) -> int:
        """Number of tasks in the goal."""
        return max(1, len(self.parts))

    def owner(self, final: Mapping[str, TableChange]) -> str:
        """Return as whom an episode's evidence is read: the task's user, or the visitor who did the task.

        `final` is the change of the database, by table.
        """
        # Without a user, the added rows show who the visitor was.
        if self.user or self.expect is None:
            return self.user
        return self.expect.compare(final).guest

    def paths(self, final: Mapping[str, TableChange]) -> dict[str, str]:
        """Return the paths of an episode's evidence pages, by their names in `evidence`.

        `final` is the change of the database, by table. Pages of rows that were not added are left out.
        """
        rows = self.expect.compare(final).rows if self.expect is not None else {}
        if not self.parts:
            return self._evidence_by_template(rows.get(0, {}))
        paths_by_name: dict[str, str] = {}
        for part in self.parts:
            paths = part.goal._evidence_by_template(rows.get(part.number, {}))
            paths_by_name |= {part.key(name): part.key(path) for name, path in paths.items()}
        return paths_by_name

    def _evidence_by_template(self, rows: Mapping[str, Any]) -> dict[str, str]:
        names = self.expect.row_names if self.expect is not None else frozenset[str]()
        return dict(evidence_paths.resolved(self.evidence, names, rows))

    def __getattr__(self, name: str) -> Any:
        """Return the drawn value of `name`."""
        # Not `self.params`, which does not exist yet while a goal is being copied, so that the access would recurse.
        params = self.__dict__.get("params", {})
        if name in params:
            return params[name]
        raise AttributeError(f"{name!r} is not in given; choose from {', '.join(params)}")


type Tag = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=40)]


class Task(BaseModel):
    """A task as in `tasks.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=TASK)]
    goal_text: Annotated[str, Field(alias="goal")]
    given: dict[str, Given] = {}
    steps: Way
    other: Annotated[tuple[Way, ...], Field(alias="or")] = ()
    expect: Expect
    """The exact change of the database, by table; `{}` for a goal that changes nothing."""
    evidence: Annotated[tuple[str, ...], Field(min_length=1)]
    """Paths of the pages that the checkpoints read after the last action: templates with names of `given`, and of rows
    that have `as` in `expect`."""
    user: str = ""
    """Template of the key of the person as whom the evidence is read; empty for a visitor."""
    limits: tuple[Limit, ...] = ()
    """Each limiting word of the goal, such as "no other", with steps that violate it, so that the task must fail."""
    offers: tuple[OfferSpec, ...] = ()
    """Files that the agent can upload; steps and actions can use no others."""
    family: Tag | None = None
    """Name shared by tasks of the same kind of work, which an agent tends to fail together."""
    tags: tuple[Tag, ...] = ()
    """Words by which lists group tasks."""
    difficulty: Difficulty | None = None
    """The difficulty; by default it follows from the length of the reference trajectory."""
    # Private and so not serialised, because the identity of a task must not depend on the location of its file.
    _path: Path | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _limits_of_this_goal(self) -> Self:
        check_limits(self.goal_text, self.limits, self.given)
        return self

    @property
    def site(self) -> str:
        """Name of the task's site."""
        return site_of(self.id)

    def difficulty_of(self, goal: Goal) -> Difficulty:
        """Return the difficulty in the file, or by the length of the reference trajectory of `goal`."""
        return self.difficulty or difficulty_by_length(goal.ways[0])

    def draw(self, world: SiteWorld, skip: int = 0) -> dict[str, Any]:
        """Return the parameters in `world`; raises UserError if the world cannot satisfy them.

        `skip` is the number of draws that fit and are passed over.
        """
        # A draw may leave no match for a later one. The attempt is part of the key, so that each attempt draws anew,
        # and the same world still has the same goal.
        for attempt in range(_ATTEMPTS):
            drawn: dict[str, Any] = {}
            # In the order of the file: later parameters may refer to earlier ones.
            for name, parameter in self.given.items():
                drawn[name] = parameter.draw(world, drawn, "given", world.site, world.seed, self.id, name, attempt)
                if drawn[name] is None:
                    break
            else:
                if not skip:
                    return drawn
                skip -= 1
        raise UserError(f"{self._path}: {self.id}: world seed {world.seed} has nothing that matches {name!r}")

    def fits(self, world: SiteWorld) -> bool:
        """Return whether `world` has what the parameters need; also true of malformed ones, which `goal` refuses."""
        try:
            self.draw(world)
        except UserError:
            return False
        except (LookupError, AttributeError):
            return True
        return True

    def outdated(self, entities: Mapping[str, Sequence[Entity]], drawn: Mapping[str, Any]) -> list[str]:
        """Return the parameters about which the goal is no longer true if the data is `entities`."""
        names: dict[str, Any] = {}
        outdated = []
        for name, parameter in self.given.items():
            if not parameter.still_holds(entities, names, drawn[name]):
                outdated.append(name)
            names[name] = drawn[name]
        return outdated

    def goal(self, world: SiteWorld, skip: int = 0) -> Goal:
        """Return the task in `world`, with drawn parameters, and goal and steps in the world's words.

        Raises UserError if the task does not fit the world. `skip` is the number of draws that are passed over.
        """
        try:
            params = self.draw(world, skip)
            # `{label.cart}` is the wording of a label for this seed, so that goals can quote the page.
            names = {**params, "label": Entity(world.labels)}
            ways = tuple(
                tuple(step for spec in way for step in spec.resolve(names, world.labels))
                for way in (self.steps, *self.other)
            )
            # Line breaks in the file must not change the text for the agent.
            text = " ".join(fill(self.goal_text, names).split())
            user, expect = fill(self.user, names), Expected(self.expect, world, names)
            evidence = tuple(evidence_paths.named(self.evidence, names, expect.row_names))
            offers = self._offers(names, ways)
        except (KeyError, AttributeError) as error:
            raise UserError(
                f"{self._path}: {self.id}: {error} is not a label, an entity, a column or a given name"
            ) from None
        # After its subclass KeyError. Errors of `Expected` are whole sentences.
        except LookupError as error:
            raise UserError(f"{self._path}: {self.id}: {error}") from None
        # An offered file has an invalid name.
        except ValidationError as error:
            raise UserError(f"{self._path}: {self.id}: offers: {error.errors()[0]['msg']}") from None
        # Checked only now, because `each` repeats its steps for each row of the world.
        long = max(map(len, ways))
        if long > MAX_STEPS:
            raise UserError(f"{self._path}: {self.id}: a trajectory has {long} steps; the limit is {MAX_STEPS}")
        return Goal(
            task=self.id,
            world_seed=world.seed,
            text=text,
            params=params,
            ways=ways,
            evidence=evidence,
            user=user,
            expect=expect,
            offers=offers,
        )

    def breaches(self, goal: Goal, world: SiteWorld) -> Iterator[Breach]:
        """Yield the limits of the task in the world of its goal, each with a way that breaks it."""
        names = {**goal.params, "label": Entity(world.labels)}
        for number, limit in enumerate(self.limits):
            if limit.describes:
                continue
            try:
                yield Breach(limit.says, limit.walk(goal.ways[0], names, world, self.id, number))
            except (LookupError, AttributeError) as error:
                problem = str(error) if str(error).startswith("limits: ") else f"limits: {limit.says!r}: {error}"
                raise UserError(f"{self._path}: {self.id}: {problem}") from None

    def _offers(self, names: Mapping[str, Any], ways: Iterable[tuple[Step, ...]]) -> tuple[Offer, ...]:
        """Return the files of this world; raises LookupError for a duplicate, or if a step uploads another file."""
        # Sorted, because the order in the task's file could reveal which files are right.
        offers = sorted((offer for spec in self.offers for offer in spec.resolve(names)), key=lambda offer: offer.name)
        known = [offer.name for offer in offers]
        if len({*known}) < len(known):
            raise LookupError(f"offers: two files have the same name; there are {', '.join(known)}")
        for name in (name for way in ways for step in way for name in step.files):
            if name not in known:
                raise LookupError(unknown("offered file", name, known))
        return tuple(offers)


def load_tasks(path: Path) -> list[Task]:
    """Return the tasks of a `tasks.yaml`; raises UserError with file and line if it is malformed."""
    return load_all(path, list[Task])


class _Entry(Protocol):
    """An entry of a file, with an id."""

    @property
    def id(self) -> str: ...

    _path: Path | None


def load_all[Entry: _Entry](path: Path, kind: type[list[Entry]]) -> list[Entry]:
    """Return the tasks or chains of a file; raises UserError with file and line if it is malformed."""
    tasks = yaml_models.read(path, kind)
    # Results are stored by id, so two tasks with the same id would overwrite each other.
    refuse_twice((task.id, path, position) for position, task in enumerate(tasks))
    for task in tasks:
        task._path = path
    return tasks


def refuse_twice(tasks: Iterable[tuple[str, Path, int]]) -> None:
    """Raise UserError with the file and line of both, if two tasks have the same id.

    `tasks` has id and file of each task, and its index in the file.
    """
    positions: dict[str, tuple[Path, int]] = {}
    for task, path, position in tasks:
        if task in positions:
            first_path, first_position = positions[task]
            first_line = yaml_models.line_of(first_path, (first_position, "id"))
            line = yaml_models.line_of(path, (position, "id"))
            raise UserError(f"{line}: {task}: two tasks have this id, the other is at {first_line}")
        positions[task] = path, position
