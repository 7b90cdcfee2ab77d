"""The recording of an episode: all later results are computed from it, offline."""

from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from stressweb.core.draws import Seeds
from stressweb.core.task_id import site_of
from stressweb.html.annotated import html_for_agent, is_annotated
from stressweb.log.ledger import Entry
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Box, Dialog, Usage
from stressweb.plugins.checks import Grade
from stressweb.plugins.database import TableChange
from stressweb.plugins.observation_source import NOTHING_READ, SourceValues

Status = Literal["done", "gave_up", "out_of_steps", "crashed", "error"]
"""done: the agent returned DONE. gave_up: it returned FAIL. out_of_steps: it used all its steps. crashed: it raised an
exception, returned something that is no action, or ran past its time; this counts as the agent's failure. error:
infrastructure failed; the episode is excluded from every rate and runs again on resume."""
Claim = Literal["done", "failed", "none"]
"""The agent's own claim: compared with the outcome, never trusted."""


LONGEST_LABEL = 2000
"""Longest name of an agent, a task or a condition, in characters."""

# Labels are printed in tables, and a control character from an untrusted file would reach the terminal.
type Label = Annotated[str, Field(max_length=LONGEST_LABEL, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
type Seed = Annotated[int, Field(ge=0, lt=2**63)]


class Cell(BaseModel):
    """One planned episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: Label
    """Name and options: `resilient(-gesture)`."""
    task: Label
    condition: Label
    """Label of the condition: `remap@3`."""
    world: Seed
    """World seed: data, wording and look of the site."""
    stress: Seed | None = None
    """Stress seed: what is disturbed. None under `clean`, which draws nothing."""
    epoch: Seed = 0
    """Number of the repetition, from 0: the same draws, and another sampling seed for the agent."""

    @property
    def key(self) -> str:
        """The cell's name in the store: the same in every run of the same plan."""
        # Not 0, which is a regular stress seed.
        stress = "-" if self.stress is None else self.stress
        return f"{self.task}|{self.agent}|{self.condition}|{self.world}|{stress}|{self.epoch}"

    @property
    def site(self) -> str:
        """The site of the task."""
        return site_of(self.task)

    @property
    def seeds(self) -> Seeds:
        """The keys of all draws of this cell."""
        # Agent, condition and epoch are left out: every arm must be disturbed at the same elements and attempts.
        return Seeds(self.world, self.stress or 0, self.task)


@dataclass(frozen=True)
class Shown:
    """One page as it was read, with everything else about it that the agent was shown."""

    url: str
    html: str
    """The document as the agent was shown it."""
    copy: str = field(default="", kw_only=True)
    """The recorder's annotated copy of it (`stressweb.html.annotated`); empty for pages read without one, such as
    evidence pages."""
    screenshot: bytes | None = None
    """A picture of it: the PNG that the agent was shown, else a small JPEG if the run records pictures."""
    tree: str = ""
    """Its accessibility tree, if the agent asked for that."""
    boxes: tuple[Box | None, ...] = ()
    """The box of each element, as `Observation.boxes`, if the agent asked for them."""
    dialog: Dialog | None = None
    """The native dialog that was open in front of it."""
    tabs: tuple[str, ...] = ()
    """The titles of all tabs."""
    tab: int = 0
    """Which of `tabs` it is in, from 0."""
    sources: SourceValues = NOTHING_READ
    """What each source of observations read of it, by name, as `Observation.sources`, if the agent asked for any."""

    @classmethod
    def of(cls, url: str, recorded: str) -> Self:
        """Return a page from what was recorded of its document."""
        copied = is_annotated(recorded)
        return cls(url, html_for_agent(recorded) if copied else recorded, copy=recorded if copied else "")

    @property
    def recorded(self) -> str:
        """The recorded document, which checkpoints read: the recorder's copy, if there is one."""
        return self.copy or self.html


@dataclass(frozen=True)
class StepRecord:
    """One action with its outcome and the page after it; step 0 is the first page and has no action."""

    page: Shown
    action: Action | None = None
    outcome: Outcome | None = None
    seconds: float = 0.0
    """Time from the observation to the settled page after the action."""
    usage: Usage = field(default_factory=Usage)
    """What the decision cost."""


@dataclass
class EpisodeRecord:
    """One finished episode."""

    cell: Cell
    # An episode is an error until its end is known: an interrupted one must not count for or against an agent.
    status: Status = "error"
    claim: Claim = "none"
    message: str = ""
    """The agent's final message, or the reason of a failure."""
    steps: list[StepRecord] = field(default_factory=list)
    closings: dict[str, Shown] = field(default_factory=dict)
    """The evidence pages by path, read unperturbed after the last action."""
    final: dict[str, TableChange] = field(default_factory=dict)
    """How each table of the site's database differs from its start; tables that do not differ are left out."""
    ledger: list[Entry] = field(default_factory=list)
    grade: Grade | None = None
    """None for an episode that ended in error."""
    traceback: str = ""
    """The whole traceback of the exception that ended the episode: the agent's (crashed) or ours (error); else that of
    the site, if it failed while it answered the agent."""
    seconds: float = 0.0
    ending: Usage = field(default_factory=Usage, compare=False)
    """Cost of an unfinished decision: it belongs to no step and is only part of the sum."""
    ends_run: bool = field(default=False, compare=False)
    """Whether no further episode can do better, because the endpoint rejects all of them; not recorded."""
    # They belong to the run: a loaded episode has none, and is equal to the saved one.
    sheets: dict[str, str] = field(default_factory=dict, compare=False)
    """The style sheets of the site that its pages link, by URL; the store keeps them once for the run."""

    @property
    def success(self) -> bool:
        """Whether it was graded a success."""
        return self.grade is not None and self.grade.success

    @property
    def usage(self) -> Usage:
        """The cost of all decisions together."""
        # The sum must start with a Usage, because Python's starts with 0.
        return sum((step.usage for step in self.steps), start=Usage()) + self.ending

    @property
    def actions(self) -> list[Action]:
        """Every action in order, DONE or FAIL included."""
        return [step.action for step in self.steps if step.action is not None]
