"""The base of every agent, and all that an agent ever sees."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.observation_source import NOTHING_READ, SourceValues
from stressweb.plugins.steps import Step
from stressweb.plugins.test_case import CaseStep

type TaskKind = Literal["tasks", "cases"]
"""What an agent can be asked to do: tasks, and chains of them, or test cases, on which it gives a verdict."""
BOTH: frozenset[TaskKind] = frozenset({"tasks", "cases"})
type Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Dialog:
    """A native dialog of the browser: until DIALOG answers it, nothing else can be done and no page can be read."""

    type: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str
    default: str = ""
    """What a prompt offers as its answer."""

    def __str__(self) -> str:
        """Return the dialog as outcomes show it."""
        return f'{self.type} "{self.message}"'


@dataclass(frozen=True)
class Observation:
    """The settled page after an action: one read, the same for the recorder and for the agent.

    While a dialog is open it is the dialog, and of the page what was last read before.
    """

    url: str
    html: str
    """The live document, with live form values written in."""
    # A sequence by number and not a mapping by element: the observation is text, and has no elements.
    boxes: Sequence[Box | None] = ()
    """Per element of `html` in document order: x, y, width, height in CSS pixels of the viewport, or None if the
    element is not rendered. Empty unless the agent asks for boxes."""
    tree: str = ""
    """The accessibility tree as text, if asked for."""
    screenshots: tuple[bytes, ...] = ()
    """PNG pictures, the current one first, then the two before it, if asked for; all distinct."""
    history: tuple[tuple[Action, Outcome], ...] = ()
    """Every action so far with all its parameters and its outcome."""
    dialog: Dialog | None = None
    """The native dialog that is open."""
    tabs: tuple[str, ...] = ()
    """Title of each tab when it was last read, else its URL, in the order in which they were opened."""
    tab: int = 0
    """Which of `tabs` is the current one, from 0."""
    sources: SourceValues = NOTHING_READ
    """Values of all other observation sources that the agent asks for, by name: text, bytes or JSON values. The agent
    may change them without any effect elsewhere."""


@dataclass(frozen=True)
class Brief:
    """What an agent gets at the start: the same bytes in every condition."""

    goal: str
    start_url: str
    steps: tuple[Step, ...] = ()
    """The words of the task's trajectory, for scripted agents alone."""
    case_steps: tuple[CaseStep, ...] = ()
    """The steps of a test case with what a program does and checks, for scripted testers alone."""
    files: tuple[str, ...] = ()
    """Names of the files that UPLOAD can choose."""
    seed: int = 0
    """Seed for what the agent itself draws: the number of the epoch. It is the same in every condition, and no draw of
    a disturbance depends on it."""


@dataclass(frozen=True)
class Usage:
    """What a decision cost: nothing for scripted agents. Usages add up."""

    tokens_in: int = 0
    tokens_out: int = 0
    """Tokens as the model's server counted them, of every answer that it gave; 0 where it did not say."""
    seconds: float = 0.0
    """Time that the decision took, waits between tries included."""
    tries: int = 0
    """Requests that were sent, refused and failed ones included."""
    model: str = ""
    """Name of the model as the server gave it."""
    request: str = ""
    """The server's id of the request that was answered last."""
    dropped: tuple[str, ...] = ()
    """Parts of the request that the server refused, so that they were left out."""
    rejected: tuple[str, ...] = ()
    """Answers that were no action, each with what was wrong, as the model was told."""
    unwrapped: tuple[str, ...] = ()
    """Of each answer that was an action only once it was taken out of other text, what that was."""
    unanswered: str = ""
    """What was wrong with the first of the answers of which none was an action, so that the agent gave up."""
    fingerprint: str = ""
    """What the server calls the configuration that answered (`system_fingerprint`), if it says so."""

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum; of models, fingerprints and requests, the later."""
        return Usage(
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            seconds=self.seconds + other.seconds,
            tries=self.tries + other.tries,
            model=other.model or self.model,
            request=other.request or self.request,
            dropped=tuple(dict.fromkeys((*self.dropped, *other.dropped))),
            # Not deduplicated like dropped parts: two equal answers were both paid for.
            rejected=self.rejected + other.rejected,
            unwrapped=self.unwrapped + other.unwrapped,
            unanswered=self.unanswered or other.unanswered,
            fingerprint=other.fingerprint or self.fingerprint,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        """Return the difference: added to `other`, the beginning of this sum, it gives this sum."""
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
    """An agent decides on observations, never on live locators.

    Write `act`; say in `wants` what the observation must hold beyond the document, by the names of observation sources:
    "boxes", "tree", "screenshots", or one of your own. A name that no source has keeps a run from starting.
    One instance serves one episode, in a thread of its own. `start` and `act` may be `async def`: they run on an event
    loop of that thread. Options are keyword arguments of the constructor; one with `**options` passes these on to its
    base class, and has its options, too.

    An exception of the agent, anything but an Action returned by `act`, and running past its time end the episode as
    "crashed": a failure of the agent. An agent that asks an endpoint raises EndpointError when that does not answer:
    infrastructure failed, and the episode is in no rate.
    """

    name: ClassVar[str]
    wants: frozenset[str] = frozenset()
    takes: ClassVar[frozenset[TaskKind]] = frozenset({"tasks"})
    """What it can be asked to do: "tasks", "cases", or both. A test case ends with a verdict, see `brief.goal`."""
    follows_program: ClassVar[bool] = False
    """Whether it does what `case_steps` of the brief say to a program: a user's own test cases have words alone."""
    deterministic: bool = False
    """Whether the same brief, seed included, and the same observations always lead to the same actions.

    Of an agent that is not, clean runs at least twice, so that its own variation is known beside every loss. Set it to
    True only for an agent that draws nothing, or draws from `brief.seed` alone.
    """
    # All agents share this initial object, which is safe because a Usage never changes.
    usage: Usage = Usage()
    """What the last decision cost; an agent that asks a model sets it in `act`."""
    decision_seconds: float = 600.0
    """Seconds that `start` or one `act` may take in a run without `--agent-seconds`. After that the agent is taken for
    hung and left behind."""
    outage: str = ""
    """What keeps an endpoint from answering while the agent tries again, in a few words; empty otherwise. If the time
    of the episode ends meanwhile, infrastructure failed and not the agent."""

    def ready(self, environ: Mapping[str, str]) -> None:  # noqa: B027 - most agents need nothing
        """Raise UserError if what the agent needs is not there; called before a run starts.

        `environ` is the environment that the episodes will have.
        """

    def start(self, brief: Brief) -> Awaitable[None] | None:
        """Take the brief; called once, before the first observation."""
        self.brief = brief
        # Explicit, because an agent's own `start` may be a coroutine.
        return None

    @abstractmethod
    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        """Return the next action; DONE and FAIL end the episode."""
