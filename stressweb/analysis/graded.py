"""One graded episode, flat: all measures are made from these."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from stressweb.core.agent_spec import Way, way_of
from stressweb.core.task_id import is_case
from stressweb.core.verdict import Cause, Known
from stressweb.log.recording import Claim, Status


class Graded(BaseModel):
    """One episode with its grade."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    agent: str
    """Name and options of the agent."""
    way: Way = Field(default_factory=lambda fields: way_of(fields["agent"]))
    """How the episode was recorded. ours: stressweb did what the agent decided. observed: the agent drove a browser by
    itself, and was watched. Episodes of the two are never compared with each other."""
    task: str
    """Id of the task: shop/checkout."""
    site: str
    """The site of the task."""
    family: str = ""
    """The family of the task in its site; empty where the task is a family of its own."""
    horizon: int = 1
    """How many tasks it is made of: 1, or the number of parts of a chain."""
    condition: str
    """Label of the condition: "clean", "remap@3"."""
    world_seed: int
    """Seed of the site's data, wording and look."""
    stress_seed: int | None
    """Seed of the disturbances; None under clean, which draws nothing."""
    epoch: int
    """Number of the repetition with the same draws, from 0."""
    status: Status
    """How it ended; "error" is an infrastructure failure and no outcome of the agent, "crashed" is the agent's."""
    claim: Claim
    """What the agent said at the end: done, failed, or nothing at all."""
    success: bool
    """Every checkpoint passed, the database agrees, and no harm was done; False if that was not observed."""
    disputed: bool = False
    """Whether checkpoints and final database contradict each other; then it is no success."""
    checkpoints_passed: int
    """How many of the task's checkpoints passed."""
    checkpoints_total: int
    """How many of them were observed; harm checks are not among them."""
    unobserved: int = 0
    """How many are about pages that were not all recorded: they count neither as passed nor as failed."""
    undecided: bool = False
    """Whether what would decide was not observed: then it is neither a success nor a failure."""
    harmed: bool
    """Whether something changed that must not have changed."""
    steps: int
    """Actions taken, DONE or FAIL included."""
    exposed: dict[str, bool] | None
    """By mode of the condition, whether it delivered anything; None for a condition without modes (clean, sham)."""
    bypasses: int
    """How often the agent navigated to a URL directly."""
    site_faults: int = 0
    """How often the site failed, with status 500, in the answer to what the agent did; the episode counts."""
    seconds: float
    """Wall clock time of the episode."""
    repeats: int = 0
    """Actions equal to the one before."""
    longest_repeat: int = 0
    """Longest series of repeats."""
    tokens_in: int = 0
    """Tokens that a language model read, as its server counted them; 0 for scripted agents."""
    tokens_out: int = 0
    """Tokens that a language model wrote, likewise."""
    requests: int = 0
    """Requests sent to the model, refused and failed ones included."""
    rejected: int = 0
    """Answers of the model that were no action."""
    unwrapped: int = 0
    """Answers of the model that were an action only once it was taken out of other text."""
    refused: tuple[str, ...] = ()
    """Parts of a request that the endpoint refused, so that they were left out: pictures, JSON schema."""
    unanswered: str = ""
    """The first of the answers after which the agent gave up, because three in a row were no action."""

    tester_verdict: Literal["pass", "fail", "none"] | None = None
    """What a tester said of a test case, none if it gave no verdict; None for a task that is no test case."""
    tester_step: int | None = None
    """The step that fails according to the tester, from 1; without a verdict, the step at which the episode ended."""
    tester_cause: Cause | None = None
    """Why it fails according to the tester: the action cannot be done, or the expected result does not appear."""
    truth: Known | None = None
    """What is true of the test case on the undisturbed site; unknown if nobody has said it."""
    truth_step: int | None = None
    """The step that fails in truth, from 1."""
    truth_cause: Cause | None = None
    """Why it fails in truth."""
    judged: str = ""
    """The verdict beside the truth: TN, FP, FN, AFB, AFC or AFA (an alarm before, at or after the failing step), or
    without a verdict, whether the case is passing or failing; empty if the truth is unknown."""
    grounded: bool | None = None
    """Whether the recording shows the expected result of every step that passes according to the tester."""

    disturbed_steps: tuple[int, ...] = ()
    """The steps of a test case, from 1, inside which a mode delivered something."""
    ahead: int | None = None
    """Actions of a tester ahead of its script: for a later step, before a page showed what the current one expects;
    None for a test case in words alone, and for a task."""

    @property
    def is_case(self) -> bool:
        """Whether it is an episode of a test case."""
        return is_case(self.task)

    @property
    def checkpoint_rate(self) -> float:
        """Share of the checkpoints that passed; 0 if the task has none."""
        return self.checkpoints_passed / self.checkpoints_total if self.checkpoints_total else 0.0

    @property
    def counts(self) -> bool:
        """Whether it has an outcome, so that rates count it: it is no error, and what decides it was observed."""
        return self.status != "error" and not self.undecided

    @property
    def fully_exposed(self) -> bool:
        """Whether every mode of the condition delivered something."""
        return bool(self.exposed) and all((self.exposed or {}).values())
