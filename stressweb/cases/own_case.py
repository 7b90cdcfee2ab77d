"""A test case of a user's own: words, and perhaps what is true of it, for one world of a site."""

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from stressweb.core.errors import UserError
from stressweb.core.task_id import CASES, TaskId
from stressweb.core.verdict import Truth
from stressweb.plugins.task import Difficulty, Goal, difficulty_by_length
from stressweb.plugins.test_case import CaseStep, TestCase, brief

if TYPE_CHECKING:
    from stressweb.cases.execution import CaseWorld
    from stressweb.plugins.site_world import SiteWorld

_ID = re.compile(rf"{CASES}/[a-z0-9_-]+/[^\W_]+(?:-[^\W_]+)*(?:#[^\W_]+)?")
_LONGEST_ID = 120
_ADDRESS = re.compile(r"https?://[\w-]+(?:\.[\w-]+)*(?::\d+)?", re.IGNORECASE)
_NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def _plain(text: str) -> str:
    """Return a text with one kind of line break and no white space at its ends."""
    text = re.sub("\r\n?|[\x85\u2028\u2029]", "\n", text).strip()
    if _NO_TEXT.search(text):
        raise ValueError("holds a control character; type the text anew")
    return text


def _check_not_empty(text: str) -> str:
    if not text:
        raise ValueError("is empty; say what is to be done in this step")
    return text


def _id(text: str) -> str:
    if len(text) > _LONGEST_ID or text.partition("#")[0] != text.partition("#")[0].lower() or not _ID.fullmatch(text):
        raise ValueError(
            f"{text[:40]!r} is no id of a test case, such as cases/shop/empty-cart or cases/shop/empty-cart#F1: the "
            f"site, then words in lower case joined by '-', at most {_LONGEST_ID} characters together"
        )
    return text


def _path(text: str) -> str:
    if not text.startswith("/") or text.startswith("//"):
        raise ValueError(f"{text[:40]!r} is no path on the site, such as /cart")
    return text


type Text = Annotated[str, AfterValidator(_plain)]


class OwnStep(BaseModel):
    """One step, in words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: Annotated[Text, AfterValidator(_check_not_empty)]
    expected: Text = ""


class OwnCase(BaseModel):
    """A test case that a user has written: a task like any other, except that no program can execute it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[Text, AfterValidator(_id)]
    title: Text = ""
    """What the agent reads above the steps; without one, the words of the id."""
    start: Annotated[Text, AfterValidator(_path)] = "/"
    """The path at which the tester is to begin."""
    seed: Annotated[int, Field(ge=0)] = 0
    """The world seed for which the texts are written: names, prices and wording differ in another world."""
    steps: Annotated[tuple[OwnStep, ...], Field(min_length=1)]
    truth: Truth = Truth(verdict="unknown")
    """What is true of it. If it is unknown, no verdict on it is counted as right or wrong."""

    @field_validator("truth")
    @classmethod
    def _of_these_steps(cls, truth: Truth, info: ValidationInfo) -> Truth:
        steps = len(info.data.get("steps", ()))
        if steps and truth.step is not None and truth.step > steps:
            raise ValueError(f"step {truth.step} fails, and there are {steps} steps; give the number of one of them")
        return truth

    @staticmethod
    def of(case: TestCase, seed: int) -> "OwnCase":
        """Return the words and the truth of a test case in a world, under an id that no case of stressweb has."""
        steps = tuple(OwnStep(action=step.action, expected=step.expected) for step in case.steps)
        read = TaskId.read(case.id)
        return OwnCase(
            id=f"{CASES}/{read.site}/my-{read.short}",
            title=case.title,
            start=case.start,
            seed=seed,
            steps=steps,
            truth=case.truth,
        )

    @property
    def site(self) -> str:
        """The site on which it is run."""
        return TaskId.read(self.id).site

    @property
    def name(self) -> str:
        """The title, or else the words of the id."""
        return self.title or TaskId.read(self.id).name.replace("-", " ").capitalize()

    @property
    def kind(self) -> str:
        """What it is called in a list."""
        return f"own, {self.tags[1]}"

    @property
    def family(self) -> str:
        """What a passing case and the failing ones of its name have in common: testers judge them alike."""
        return TaskId.read(self.id).name

    @property
    def tags(self) -> tuple[str, ...]:
        """Words by which it is listed."""
        return "own", {"pass": "passing", "fail": "failing", "unknown": "unknown"}[self.truth.verdict]

    def difficulty_of(self, goal: Goal) -> Difficulty:
        """Return how hard it is, by the number of its steps."""
        assert goal.case is not None
        return difficulty_by_length(goal.case.steps)

    def world(self, world: "CaseWorld") -> "SiteWorld":
        """Return the site on which the case is run."""
        return world.world

    def goal(self, world: "CaseWorld") -> Goal:
        """Return the case on its site; the address in its first action becomes that of the site.

        Raises UserError if it was written for another world.
        """
        site = world.world
        if site.seed != self.seed:
            raise UserError(
                f"{self.id} is written for world {self.seed}: choose --seed {self.seed}, or leave it out by --exclude"
            )
        case = self._at(f"http://{site.host}")
        return Goal(
            task=self.id, world_seed=self.seed, text=brief(case), params={}, ways=((),), evidence=(), case=case
        )  # fmt: skip

    def _at(self, address: str) -> TestCase:
        """Return the case with the site's own address wherever the texts have the one of the first action."""
        written = _ADDRESS.search(self.steps[0].action)
        there = re.compile(rf"{re.escape(written[0])}(?![\w.:-]*\w)", re.IGNORECASE) if written else None
        steps = (
            CaseStep(action=moved(step.action, there, address), expected=moved(step.expected, there, address))
            for step in self.steps
        )
        return TestCase(id=self.id, title=self.name, start=self.start, steps=tuple(steps), truth=self.truth)


def moved(text: str, there: re.Pattern[str] | None, address: str) -> str:
    """Return a text in which an address stands for every place that a pattern matches."""
    return there.sub(lambda _: address, text) if there else text
