"""A graded episode as a flat record, from which all measures are computed."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from stressweb.core.agent_spec import Way, way_of
from stressweb.core.task_id import is_case
from stressweb.core.verdict import Cause, Known
from stressweb.log.recording import Claim, Status


class Graded(BaseModel):
    """An episode with its grade."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    agent: str
    """Name and options of the agent."""
    way: Way = Field(default_factory=lambda fields: way_of(fields["agent"]))
    """How the episode was recorded. ours: stressweb executed the agent's decisions. observed: the agent drove a browser
    by itself and was watched. The two are never compared with each other."""
    task: str
    """Id of the task: shop/checkout."""
    site: str
    """The site of the task."""
    family: str = ""
    """The family of the task in its site; empty if the task is its own family."""
    horizon: int = 1
    """Number of tasks: 1, or the number of parts of a chain."""
    condition: str
    """Label of the condition: "clean", "remap@3"."""
    world_seed: int
    """Seed of the site's data, wording and look."""
    stress_seed: int | None
    """Seed of the disturbances; None under clean, which has none."""
    epoch: int
    """Number of the repetition with the same draws, from 0."""
    status: Status
    """How it ended; "error" is an infrastructure failure, "crashed" a failure of the agent."""
    claim: Claim
    """The agent's claim at the end: done, failed, or none."""
    success: bool
    """Whether every checkpoint passed, the database agrees, and no harm was done; False if that was not observed."""
    disputed: bool = False
    """Whether checkpoints and final database contradict each other; such an episode is not a success."""
    checkpoints_passed: int
    """Number of the task's checkpoints that passed."""
    checkpoints_total: int
    """Number of observed checkpoints, without harm checks."""
    unobserved: int = 0
    """Number of checkpoints about pages that were not all recorded; they count neither as passed nor as failed."""
    undecided: bool = False
    """Whether the outcome was not observed, so that it is neither a success nor a failure."""
    harmed: bool
    """Whether the agent changed something that the task does not allow."""
    steps: int
    """Actions taken, DONE or FAIL included."""
    exposed: dict[str, bool] | None
    """Whether each mode of the condition delivered anything; None for a condition without modes (clean, sham)."""
    bypasses: int
    """How often the agent navigated to a URL directly."""
    site_faults: int = 0
    """How often the site failed with status 500 because of an action of the agent; the episode counts."""
    seconds: float
    """Wall clock time of the episode."""
    repeats: int = 0
    """Actions equal to the previous one."""
    longest_repeat: int = 0
    """Longest series of repeats."""
    tokens_in: int = 0
    """Input tokens of the language model, as its server counted them; 0 for scripted agents."""
    tokens_out: int = 0
    """Output tokens, likewise."""
    requests: int = 0
    """Requests sent to the model, refused and failed ones included."""
    rejected: int = 0
    """Invalid answers of the model."""
    unwrapped: int = 0
    """Answers of the model with an action inside other text."""
    refused: tuple[str, ...] = ()
    """Parts of a request that were left out because the endpoint refused them: pictures, JSON schema."""
    unanswered: str = ""
    """The first of three invalid answers in a row, after which the agent gave up."""

    tester_verdict: Literal["pass", "fail", "none"] | None = None
    """A tester's verdict on a test case; "none" if it gave none; None for a task."""
    tester_step: int | None = None
    """The failing step according to the tester, from 1; without a verdict, the step at which the episode ended."""
    tester_cause: Cause | None = None
    """The cause according to the tester: the action is impossible, or the expected result does not appear."""
    truth: Known | None = None
    """The truth of the test case on the undisturbed site; unknown if its author did not state it."""
    truth_step: int | None = None
    """The step that actually fails, from 1."""
    truth_cause: Cause | None = None
    """Why it actually fails."""
    judged: str = ""
    """The verdict compared with the truth: TN, FP, FN, AFB, AFC or AFA (an alarm before, at or after the failing step);
    without a verdict, whether the case is passing or failing; empty if the truth is unknown."""
    grounded: bool | None = None
    """Whether the recording shows the expected result of every step that the tester calls passing."""

    disturbed_steps: tuple[int, ...] = ()
    """The steps of a test case, from 1, inside which a mode delivered something."""
    ahead: int | None = None
    """Actions of a tester ahead of its script: for a later step, before a page showed the expected result of the
    current step. None for a task, and for a test case without programs."""

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
        """Whether rates count it: it is not an error, and its outcome was observed."""
        return self.status != "error" and not self.undecided

    @property
    def fully_exposed(self) -> bool:
        """Whether every mode of the condition delivered something."""
        return bool(self.exposed) and all((self.exposed or {}).values())
