"""What the episode server takes and gives, as JSON."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from stressweb.log.recording import Claim, Status
from stressweb.plugins.checks import Grade
from stressweb.plugins.offers import Offer

State = Literal["opening", "open", "grading", "finished", "error", "lost"]
"""opening: its browser starts. open: it can be played. grading: it was finished, or ended by itself, and is graded.
finished: it has its grade. error: infrastructure failed, and nothing counts. lost: the server ended while it was open.
A cell whose episode ended in an error or was lost can be opened again."""

type Seed = Annotated[int, Field(ge=0, lt=2**31)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Seeds(_Model):
    """What is drawn at random is drawn from these."""

    world: Seed = 0
    """World seed: data, wording and look of the site."""
    stress: Seed = 0
    """Stress seed: what is disturbed. Under `clean` and `sham` it has no meaning."""


class Wanted(_Model):
    """Which episode is to be opened."""

    task: Annotated[str, Field(max_length=200, examples=["shop/first-hit"])]
    """Id of the task; `GET /tasks` lists them."""
    condition: Annotated[str, Field(max_length=2000, examples=["remap@3"])] = "clean"
    """The condition: `clean`, `sham`, `remap@3`, `noise@2+popup@4`."""
    seeds: Seeds = Seeds()
    agent: Annotated[str, Field(pattern=r"^[A-Za-z][\w.-]{0,39}$")] = "client"
    """What the agent is called in tables and reports."""
    own_browser: bool = False
    """Whether the client starts a browser by itself, which uses the episode's proxy."""


class Command(_Model):
    """A program with its arguments, as MCP clients have it in their configuration."""

    command: str
    args: list[str]


class Opened(_Model):
    """An episode that can be played now."""

    id: str
    token: str
    """The episode's own token. It finishes this episode and reads its state, and nothing else."""
    goal: str
    start_url: str
    """The page on which the task begins."""
    cdp_url: str | None
    """The browser: an address of the Chrome DevTools protocol; null if the client has its own."""
    direct_url: str | None
    """The page on which the task begins, for a client's own browser without a proxy; null otherwise."""
    files: tuple[Offer, ...]
    """The files that the agent can upload: the name and the text of each."""
    proxy: str
    """The proxy of the episode, with its password; our browser uses it already."""
    finish_url: str
    """Where the agent says that it has finished: POST with the episode's token."""
    mcp: Command | None
    """Starts Playwright's MCP server on the episode's browser; null if the client has its own."""
    agent: str
    task: str
    condition: str
    seeds: Seeds
    epoch: int
    """How often the same episode was played before."""
    max_steps: int
    """How many steps the episode has."""
    seconds: float
    """How many seconds the episode has."""
    idle_seconds: float
    """After how many seconds without a word of a client it expires."""
    deadline: str
    """When its seconds are over, in UTC."""


class Graded(_Model):
    """What an episode achieved."""

    success: bool | None
    """Whether every checkpoint passed, the database holds what the goal asks for, and no harm was done; null if the
    pages that would decide were not observed."""
    checkpoints: dict[str, bool]
    """Every checkpoint by name, in order."""
    harms: dict[str, bool]
    """What must not happen, by name, and whether it did."""
    verdict: bool | None
    """Whether the final database holds what the goal asks for; null for a goal that changes nothing."""
    unmet: list[str]
    """What the goal asks of the database and it does not hold."""
    disputed: bool
    """Whether the checkpoints and the database contradict each other."""
    unobserved: list[str]
    """Checkpoints about pages that were not all recorded: they count neither as passed nor as failed."""

    @classmethod
    def of(cls, grade: Grade) -> "Graded":
        """Return a grade as it is sent."""
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
    """How it stands with an episode."""

    id: str
    state: State
    agent: str
    task: str
    condition: str
    seeds: Seeds
    epoch: int
    steps: int = 0
    """How many steps were recorded; in the end, the agent's claim is one."""
    clients: int = 0
    """How many connections to its browser are open."""
    seconds_left: float | None = None
    """How many of its seconds are left, while it is open."""
    status: Status | None = None
    """How it ended: done, gave_up, out_of_steps, crashed (the agent's failure, such as an episode that expired),
    error."""
    claim: Claim | None = None
    """What the agent claimed. It is no part of the grade."""
    message: str = ""
    """What the agent said at the end, or what failed."""
    grade: Graded | None = None


class Step(_Model):
    """One step of an episode; step 0 is the first page and has no action."""

    step: int
    action: dict[str, Any] | None
    ok: bool | None
    url: str
    """Address of the page after the action."""
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
    """How it is written at each severity, the moderate one third."""
