"""The base of every agent, and all that an agent ever sees."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from stressweb.actions import Action, Outcome
from stressweb.tasks import Step

type Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Observation:
    """The settled page after an action: one read, the same for the recorder and for the agent."""

    url: str
    html: str
    """The live document, with live form values written in."""
    boxes: Sequence[Box | None] = ()
    """Per element of `html` in document order: x, y, width, height in CSS pixels of the viewport, or None if the
    element is not rendered. Empty unless the agent asks for boxes."""
    tree: str = ""
    """The accessibility tree as text, if asked for."""
    screenshots: tuple[bytes, ...] = ()
    """PNG pictures, the current one first, then the two before it, if asked for; all distinct."""
    history: tuple[tuple[Action, Outcome], ...] = ()
    """Every action so far with all its parameters and its outcome."""


@dataclass(frozen=True)
class Brief:
    """What an agent is told at the start: the same bytes in every condition."""

    goal: str
    start_url: str
    steps: tuple[Step, ...] = ()
    """The words of the task's trajectory, for scripted agents alone."""
    seed: int = 0


class Agent(ABC):
    """An agent decides on observations, never on live locators.

    Write `act`; say in `wants` what the observation must hold beyond the document: "boxes", "tree", "screenshots".
    One instance serves one episode. Options are keyword arguments of the constructor.
    """

    name: ClassVar[str]
    wants: frozenset[str] = frozenset()

    def start(self, brief: Brief) -> None:
        """Take the brief; called once, before the first observation."""
        self.brief = brief

    @abstractmethod
    def act(self, observation: Observation) -> Action:
        """Return the next action; DONE and FAIL end the episode."""


@dataclass
class Usage:
    """What a decision cost: zero for scripted agents."""

    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    detail: dict[str, str] = field(default_factory=dict)
