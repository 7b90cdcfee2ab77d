"""Tasks: a goal, what is drawn from the world seed, the way, what it changes, and where the evidence is."""

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
"""How long a trajectory may be."""
type Difficulty = Literal["easy", "medium", "hard"]

EASY_STEPS, MEDIUM_STEPS = 8, 16
"""Actions of the reference trajectory up to which a task is easy, and medium; a longer one is hard."""
_ATTEMPTS = 200


def difficulty_by_length(way: Sequence[object]) -> Difficulty:
    """Return how hard a task is, by the number of actions of a way, or of steps of a test case."""
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
    """The goal that the task has when it stands alone."""

    def key(self, path: str) -> str:
        """Return what an evidence page of the part is called among those of the chain."""
        return f"{self.number}. {self.site}{path}"

    def paths(self, of_chain: Mapping[str, str]) -> dict[str, str]:
        """Return where the evidence pages of the part are, as `Goal.paths` says it, of those of the whole chain."""
        start = self.key("")
        keys = {self.key(name): name for name in self.goal.evidence}
        return {keys[key]: path.removeprefix(start) for key, path in of_chain.items() if key in keys}


class Goal(BaseModel):
    """A task in one world: the goal for the agent, and what the checkpoints compare with."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    task: str
    world_seed: int
    text: str
    """What the agent is asked to do."""
    params: dict[str, Any]
    """What was drawn; `goal.product` reads `params["product"]`, an entity's columns read as attributes."""
    ways: tuple[tuple[Step, ...], ...]
    """The trajectory, then every other way that ships with the task."""
    evidence: tuple[str, ...]
    """Paths that are read unperturbed after the last action. `/t/{made.id}` is the page of the row that `expect` calls
    `made`; `paths` says where that is after an episode."""
    user: str = ""
    """Key of the person as whom they are read; "" for the visitor who owns the expected rows."""
    offers: tuple[Offer, ...] = ()
    """The files that the agent can upload, by name."""
    # Not dumped: through its world it holds the whole initial database.
    expect: Annotated[Expected | None, Field(exclude=True, repr=False)] = None
    """The exact change of the database; None for a goal made by hand, whose episodes no database judges."""
    parts: Annotated[tuple[Part, ...], Field(exclude=True, repr=False)] = ()
    """The tasks of a chain, in order; none for a task that stands alone."""
    case: Annotated[TestCase | None, Field(exclude=True, repr=False)] = None
    """The test case that is to be judged; None for a task."""

    @property
    def horizon(self) -> int:
        """How many tasks the goal is made of."""
        return max(1, len(self.parts))

    def owner(self, final: Mapping[str, TableChange]) -> str:
        """Return as whom the evidence of an episode is read: the task's user, or the visitor who did the task.

        `final` is the change of the database, by table.
        """
        # A task says a person where someone signs in; else the visitor is known only by the rows that were added.
        if self.user or self.expect is None:
            return self.user
        return self.expect.compare(final).guest

    def paths(self, final: Mapping[str, TableChange]) -> dict[str, str]:
        """Return where the evidence pages of an episode are, by what `evidence` calls them.

        `final` is the change of the database, by table. The page of a row that was not added is left out.
        """
        rows = self.expect.compare(final).rows if self.expect is not None else {}
        if not self.parts:
            return self._resolved(rows.get(0, {}))
        paths_by_name: dict[str, str] = {}
        for part in self.parts:
            paths = part.goal._resolved(rows.get(part.number, {}))
            paths_by_name |= {part.key(name): part.key(path) for name, path in paths.items()}
        return paths_by_name

    def _resolved(self, rows: Mapping[str, Any]) -> dict[str, str]:
        names = self.expect.row_names if self.expect is not None else frozenset[str]()
        return dict(evidence_paths.resolved(self.evidence, names, rows))

    def __getattr__(self, name: str) -> Any:
        """Return what was drawn as `name`."""
        # Not `self.params`: while a goal is copied it has none yet, and asking for it would lead back here without end.
        params = self.__dict__.get("params", {})
        if name in params:
            return params[name]
        raise AttributeError(f"{name!r} is not in given; choose from {', '.join(params)}")


type Tag = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=40)]


class Task(BaseModel):
    """A task as `tasks.yaml` says it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=TASK)]
    goal_text: Annotated[str, Field(alias="goal")]
    given: dict[str, Given] = {}
    steps: Way
    other: Annotated[tuple[Way, ...], Field(alias="or")] = ()
    expect: Expect
    """The exact change of the database, by table; `{}` for a goal that changes nothing."""
    evidence: Annotated[tuple[str, ...], Field(min_length=1)]
    """Paths of the pages that the checkpoints read after the last action, as templates over what is given and over the
    rows that `expect` names with `as`."""
    user: str = ""
    """Template of the key of the person as whom the evidence is read; without one, as a visitor."""
    limits: tuple[Limit, ...] = ()
    """Each limiting word of the goal, such as "no other", with steps that disregard it: the task must fail then."""
    offers: tuple[OfferSpec, ...] = ()
    """Files that the agent gets for uploads: no step and no action can name another one."""
    family: Tag | None = None
    """What tasks have in common that ask for the same kind of work: an agent fails them together."""
    tags: tuple[Tag, ...] = ()
    """Words by which tasks are grouped in lists."""
    difficulty: Difficulty | None = None
    """Without one, the number of actions of the reference trajectory decides."""
    # Private, so that it is not dumped: the identity of a task must not depend on where its file is.
    _path: Path | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _limits_of_this_goal(self) -> Self:
        check_limits(self.goal_text, self.limits, self.given)
        return self

    @property
    def site(self) -> str:
        """Name of the site on which the task plays."""
        return site_of(self.id)

    def difficulty_of(self, goal: Goal) -> Difficulty:
        """Return how hard the task is: as it is written, else by the length of the reference trajectory of `goal`."""
        return self.difficulty or difficulty_by_length(goal.ways[0])

    def draw(self, world: SiteWorld) -> dict[str, Any]:
        """Return what is given in `world`; raise UserError if the world can never satisfy it."""
        # A draw may narrow down what a later one can match. The attempt is part of the key, so another try draws anew
        # and the same world still gives the same goal.
        for attempt in range(_ATTEMPTS):
            drawn: dict[str, Any] = {}
            # In the order of the file: what is given later may refer to what was drawn before.
            for name, parameter in self.given.items():
                drawn[name] = parameter.draw(world, drawn, "given", world.site, world.seed, self.id, name, attempt)
                if drawn[name] is None:
                    break
            else:
                return drawn
        raise UserError(f"{self._path}: {self.id}: world seed {world.seed} has nothing that matches {name!r}")

    def outdated(self, entities: Mapping[str, Sequence[Entity]], drawn: Mapping[str, Any]) -> list[str]:
        """Return the names under `given` of which the goal is no longer true, where the data has become `entities`."""
        names: dict[str, Any] = {}
        outdated = []
        for name, parameter in self.given.items():
            if not parameter.holds(entities, names, drawn[name]):
                outdated.append(name)
            names[name] = drawn[name]
        return outdated

    def goal(self, world: SiteWorld) -> Goal:
        """Return the task in `world`: what is given drawn, goal and steps in this seed's words."""
        try:
            params = self.draw(world)
            # `{label.cart}` is the button's wording for this seed, so that goals can quote what the page says.
            names = {**params, "label": Entity(world.labels)}
            ways = tuple(
                tuple(step for spec in way for step in spec.resolve(names, world.labels))
                for way in (self.steps, *self.other)
            )
            # How lines are broken in the file must not change what the agent reads.
            text = " ".join(fill(self.goal_text, names).split())
            user, expect = fill(self.user, names), Expected(self.expect, world, names)
            evidence = tuple(evidence_paths.named(self.evidence, names, expect.row_names))
            offers = self._offered(names, ways)
        except (KeyError, AttributeError) as error:
            raise UserError(
                f"{self._path}: {self.id}: {error} is not a label, an entity, a column or a given name"
            ) from None
        # After KeyError, which is one as well: those that `Expected` raises come with a sentence of their own.
        except LookupError as error:
            raise UserError(f"{self._path}: {self.id}: {error}") from None
        # Of a name that no file can have.
        except ValidationError as error:
            raise UserError(f"{self._path}: {self.id}: offers: {error.errors()[0]['msg']}") from None
        # Known only now, because `each` repeats its steps as often as the world has rows.
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
        """Yield the limits of the task in the world of its goal, each with the way that disregards it."""
        names = {**goal.params, "label": Entity(world.labels)}
        for number, limit in enumerate(self.limits):
            if limit.describes:
                continue
            try:
                yield Breach(limit.says, limit.walk(goal.ways[0], names, world, self.id, number))
            except (LookupError, AttributeError) as error:
                problem = str(error) if str(error).startswith("limits: ") else f"limits: {limit.says!r}: {error}"
                raise UserError(f"{self._path}: {self.id}: {problem}") from None

    def _offered(self, names: Mapping[str, Any], ways: Iterable[tuple[Step, ...]]) -> tuple[Offer, ...]:
        """Return the files of this world; raise LookupError if one is there twice, or a step uploads another."""
        # Sorted, or the order of the file would tell which ones are the right ones.
        offers = sorted((offer for spec in self.offers for offer in spec.resolve(names)), key=lambda offer: offer.name)
        known = [offer.name for offer in offers]
        if len({*known}) < len(known):
            raise LookupError(f"offers: two files have the same name; there are {', '.join(known)}")
        for name in (name for way in ways for step in way for name in step.files):
            if name not in known:
                raise LookupError(unknown("offered file", name, known))
        return tuple(offers)


def load_tasks(path: Path) -> list[Task]:
    """Return the tasks of a `tasks.yaml`; raise UserError with file and line for a malformed one."""
    return load_all(path, list[Task])


class _OfFile(Protocol):
    """What a file lists by its id."""

    @property
    def id(self) -> str: ...

    _path: Path | None


def load_all[One: _OfFile](path: Path, kind: type[list[One]]) -> list[One]:
    """Return the tasks or chains of a file, which know it; raise UserError with file and line for a malformed one."""
    tasks = yaml_models.read(path, kind)
    # Results are stored by the id: of two tasks that share one, the second would replace the first.
    refuse_twice((task.id, path, position) for position, task in enumerate(tasks))
    for task in tasks:
        task._path = path
    return tasks


def refuse_twice(tasks: Iterable[tuple[str, Path, int]]) -> None:
    """Raise UserError for an id that two tasks have, naming file and line of both.

    `tasks` are the id of each, its file, and its number in the file from 0 on.
    """
    seen: dict[str, tuple[Path, int]] = {}
    for task, path, position in tasks:
        if task in seen:
            there, before = seen[task]
            earlier = yaml_models.line_of(there, (before, "id"))
            place = yaml_models.line_of(path, (position, "id"))
            raise UserError(f"{place}: {task}: two tasks have this id, the other is at {earlier}")
        seen[task] = path, position
