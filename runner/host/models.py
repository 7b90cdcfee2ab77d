"""The JSON bodies of the episode server's requests and responses."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from stressweb.log.recording import Claim, Status
from stressweb.plugins.checks import Grade
from stressweb.plugins.offers import Offer

State = Literal["opening", "open", "grading", "finished", "error", "lost"]
"""opening: the browser is starting. open: the episode can be played. grading: the episode has ended and is being
graded. finished: the grade is available. error: infrastructure failed and the episode does not count. lost: the server
stopped while the episode was open. After an error or a loss, the cell can be opened again."""

type Seed = Annotated[int, Field(ge=0, lt=2**31)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Seeds(_Model):
    """The seeds of all random choices."""

    world: Seed = 0
    """World seed: data, wording and look of the site."""
    stress: Seed = 0
    """Stress seed: what is disturbed. Ignored under `clean` and `sham`."""


class Wanted(_Model):
    """The episode to open."""

    task: Annotated[str, Field(max_length=200, examples=["shop/first-hit"])]
    """Id of the task; `GET /tasks` lists them."""
    condition: Annotated[str, Field(max_length=2000, examples=["remap@3"])] = "clean"
    """The condition: `clean`, `sham`, `remap@3`, `noise@2+popup@4`."""
    seeds: Seeds = Seeds()
    agent: Annotated[str, Field(pattern=r"^[A-Za-z][\w.-]{0,39}$")] = "client"
    """Name of the agent in tables and reports."""
    own_browser: bool = False
    """Whether the client starts its own browser, which uses the episode's proxy."""


class Command(_Model):
    """A program with its arguments, as in the configuration of an MCP client."""

    command: str
    args: list[str]


class Opened(_Model):
    """An episode that is ready to be played."""

    id: str
    token: str
    """The episode's own token. It is valid only to read this episode's state and to finish it."""
    goal: str
    start_url: str
    """The start page of the task."""
    cdp_url: str | None
    """Chrome DevTools protocol URL of the episode's browser; null if the client has its own."""
    direct_url: str | None
    """The start page for a client's own browser that uses no proxy; null otherwise."""
    files: tuple[Offer, ...]
    """The files that the agent can upload: the name and the text of each."""
    proxy: str
    """URL of the episode's proxy, including its password; the episode's browser already uses it."""
    finish_url: str
    """URL to finish the episode: POST with the episode's token."""
    mcp: Command | None
    """Command that starts Playwright's MCP server on the episode's browser; null if the client has its own."""
    agent: str
    task: str
    condition: str
    seeds: Seeds
    epoch: int
    """Number of earlier repetitions of the same episode."""
    max_steps: int
    """Step limit of the episode."""
    seconds: float
    """Time limit of the episode, in seconds."""
    idle_seconds: float
    """Seconds without client activity after which the episode expires."""
    deadline: str
    """Time in UTC at which the episode reaches its time limit."""


class Graded(_Model):
    """The grade of an episode."""

    success: bool | None
    """Whether every checkpoint passed, the database meets the goal, and no harm was done; null if the pages that
    decide this were not recorded."""
    checkpoints: dict[str, bool]
    """Every checkpoint by name, in order, and whether it passed."""
    harms: dict[str, bool]
    """Forbidden outcomes by name, and whether each occurred."""
    verdict: bool | None
    """Whether the final database meets the goal; null for a goal that changes nothing."""
    unmet: list[str]
    """Database changes that the goal requires and that are missing."""
    disputed: bool
    """Whether the checkpoints and the database contradict each other."""
    unobserved: list[str]
    """Checkpoints whose pages were not all recorded; they count neither as passed nor as failed."""

    @classmethod
    def of(cls, grade: Grade) -> "Graded":
        """Convert a grade for the response."""
        return cls(
            success=grade.outcome,
            checkpoints=grade.passed,
            harms=grade.harms,
            verdict=grade.verdict,
            unmet=grade.unmet,
            disputed=grade.disputed,
            unobserved=grade.unobserved,
        )


class EpisodeState(_Model):
    """The state of an episode."""

    id: str
    state: State
    agent: str
    task: str
    condition: str
    seeds: Seeds
    epoch: int
    steps: int = 0
    """Number of recorded steps; the agent's final claim counts as a step."""
    clients: int = 0
    """Number of open connections to its browser."""
    seconds_left: float | None = None
    """Seconds until its time limit, while it is open."""
    status: Status | None = None
    """How it ended: done, gave_up, out_of_steps, crashed (the agent failed, or the episode expired) or error."""
    claim: Claim | None = None
    """The agent's claim, which does not affect the grade."""
    message: str = ""
    """The agent's final message, or the error message."""
    grade: Graded | None = None


class Step(_Model):
    """One step of an episode; step 0 is the first page and has no action."""

    step: int
    action: dict[str, Any] | None
    ok: bool | None
    url: str
    """URL of the page after the action."""
    seconds: float


class TaskLine(_Model):
    """A task."""

    task: str
    site: str
    tags: list[str]


class ConditionLine(_Model):
    """A condition, or a mode with its severities."""

    condition: str
    does: str
    severities: list[str]
    """The condition at each severity from 1 to 5; the third is the moderate one."""
