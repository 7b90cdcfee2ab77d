"""The base of every agent, and everything that an agent sees."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.observation_source import NOTHING_READ, SourceValues
from stressweb.plugins.steps import Step
from stressweb.plugins.test_case import CaseStep

type TaskKind = Literal["tasks", "cases"]
"""Kinds of work: tasks and chains of tasks, or test cases, which end with a verdict."""
BOTH: frozenset[TaskKind] = frozenset({"tasks", "cases"})
type Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Dialog:
    """A native dialog of the browser. Until DIALOG answers it, no other action is possible and no page can be read."""

    type: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str
    default: str = ""
    """The default answer of a prompt."""

    def __str__(self) -> str:
        """Return the dialog as outcomes show it."""
        return f'{self.type} "{self.message}"'


@dataclass(frozen=True)
class Observation:
    """The settled page after an action, read once for the recorder and the agent.

    While a dialog is open, the observation has the dialog, and the page as it was last read.
    """

    url: str
    html: str
    """The live document, with the current values of form fields."""
    # By number, because the observation is text and has no elements.
    boxes: Sequence[Box | None] = ()
    """Per element of `html` in document order: x, y, width, height in CSS pixels of the viewport, or None if the
    element is not rendered. Empty unless the agent asks for boxes."""
    tree: str = ""
    """The accessibility tree as text, if asked for."""
    screenshots: tuple[bytes, ...] = ()
    """PNG pictures, the current one first, then the two before it, if asked for; all distinct."""
    history: tuple[tuple[Action, Outcome], ...] = ()
    """Every action so far with its outcome."""
    dialog: Dialog | None = None
    """The native dialog that is open."""
    tabs: tuple[str, ...] = ()
    """Title of each tab when it was last read, or its URL, in the order in which they were opened."""
    tab: int = 0
    """Index of the current tab in `tabs`."""
    sources: SourceValues = NOTHING_READ
    """Values of the other observation sources in `wants`, by name: text, bytes or JSON values. Changing them has no
    effect elsewhere."""


@dataclass(frozen=True)
class Brief:
    """The input of an agent at the start: the same bytes in every condition."""

    goal: str
    start_url: str
    steps: tuple[Step, ...] = ()
    """The words of the task's trajectory, for scripted agents only."""
    case_steps: tuple[CaseStep, ...] = ()
    """The steps of a test case with their form for programs, for scripted testers only."""
    files: tuple[str, ...] = ()
    """Names of the files that UPLOAD can choose."""
    seed: int = 0
    """Seed for the agent's own draws: the number of the epoch. It is the same in every condition, and disturbances do
    not depend on it."""


@dataclass(frozen=True)
class Usage:
    """The cost of a decision; zero for scripted agents. Usages can be added."""

    tokens_in: int = 0
    tokens_out: int = 0
    """Tokens of all answers, as the model's server counted them; 0 if it does not report them."""
    seconds: float = 0.0
    """Time of the decision, waits between tries included."""
    tries: int = 0
    """Requests sent, refused and failed ones included."""
    model: str = ""
    """Name of the model, as the server reports it."""
    request: str = ""
    """The server's id of the last answered request."""
    dropped: tuple[str, ...] = ()
    """Parts of the request that were left out because the server refused them."""
    rejected: tuple[str, ...] = ()
    """Invalid answers, each with its problem in the words that the model got."""
    unwrapped: tuple[str, ...] = ()
    """For each answer with an action inside other text, that text."""
    unanswered: str = ""
    """The problem of the first invalid answer, if all were invalid and the agent gave up."""
    fingerprint: str = ""
    """The server's `system_fingerprint`, if it reports one."""

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum; model, fingerprint and request are those of `other`, if it has them."""
        return Usage(
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            seconds=self.seconds + other.seconds,
            tries=self.tries + other.tries,
            model=other.model or self.model,
            request=other.request or self.request,
            dropped=tuple(dict.fromkeys((*self.dropped, *other.dropped))),
            # Not deduplicated like `dropped`, because equal answers both cost tokens.
            rejected=self.rejected + other.rejected,
            unwrapped=self.unwrapped + other.unwrapped,
            unanswered=self.unanswered or other.unanswered,
            fingerprint=other.fingerprint or self.fingerprint,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        """Return the difference to `other`, an earlier state of this sum: `other + difference == self`."""
        return Usage(
            tokens_in=self.tokens_in - other.tokens_in,
            tokens_out=self.tokens_out - other.tokens_out,
            seconds=max(0.0, self.seconds - other.seconds),
            tries=self.tries - other.tries,
            model="" if self.model == other.model else self.model,
            request="" if self.request == other.request else self.request,
            dropped=tuple(part for part in self.dropped if part not in other.dropped),
            rejected=self.rejected[len(other.rejected) :],
            unwrapped=self.unwrapped[len(other.unwrapped) :],
            unanswered="" if self.unanswered == other.unanswered else self.unanswered,
            fingerprint="" if self.fingerprint == other.fingerprint else self.fingerprint,
        )


class Agent(ABC):
    """The base of agents. An agent decides on observations; it has no access to the live page.

    Implement `act`. List in `wants` the observation sources that you need besides the document: "boxes", "tree",
    "screenshots", or your own. A run with an unknown name does not start. One instance serves one episode, in its own
    thread. `start` and `act` may be `async def`; they run on an event loop of that thread. Options are the keyword
    arguments of the constructor; a constructor with `**options` also has the options of its base class.

    An exception, a return value of `act` other than an Action, or exceeding the time limit ends the episode as
    "crashed": a failure of the agent. If an endpoint does not answer, raise EndpointError: the episode becomes an
    infrastructure error and is excluded from all rates.
    """

    name: ClassVar[str]
    wants: frozenset[str] = frozenset()
    takes: ClassVar[frozenset[TaskKind]] = frozenset({"tasks"})
    """Kinds of work that it accepts: "tasks", "cases", or both. A test case ends with a verdict; see `brief.goal`."""
    follows_program: ClassVar[bool] = False
    """Whether it needs the programs in `brief.case_steps`, which a user's own test cases do not have."""
    deterministic: bool = False
    """Whether the same brief, seed included, and the same observations always lead to the same actions.

    For other agents, clean runs at least twice, to measure their own variation. Set it to True only if the agent uses
    no randomness other than `brief.seed`.
    """
    # All agents share this initial object, which is safe because a Usage never changes.
    usage: Usage = Usage()
    """Usage of the last decision; an agent that uses a model sets it in `act`."""
    decision_seconds: float = 600.0
    """Time limit of `start` and of each `act` in seconds, in a run without `--agent-seconds`. An agent that exceeds it
    counts as hung and is abandoned."""
    outage: str = ""
    """Why an endpoint does not answer while the agent retries, in a few words; empty otherwise. If the episode's time
    limit ends meanwhile, the episode is an infrastructure error, not the agent's failure."""

    def ready(self, environ: Mapping[str, str]) -> None:  # noqa: B027 - most agents need nothing
        """Raise UserError if something that the agent needs is missing; called before a run starts.

        `environ` is the environment that the episodes will have.
        """

    def start(self, brief: Brief) -> Awaitable[None] | None:
        """Take the brief; called once, before the first observation."""
        self.brief = brief
        # Explicit, because a subclass may return a coroutine.
        return None

    @abstractmethod
    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        """Return the next action; DONE and FAIL end the episode."""
