"""The figures of one agent under one condition: what each of them means."""

from pydantic import BaseModel, ConfigDict, Field

from stressweb.analysis.statistics import Interval
from stressweb.analysis.tester_figures import VerdictFigures
from stressweb.core.agent_spec import Way
from stressweb.log.recording import Claim


class Verdicts(BaseModel):
    """How many episodes of one class of claim passed and failed."""

    model_config = ConfigDict(frozen=True)

    passed: int
    failed: int


class ResultRow(BaseModel):
    """One agent under one condition. Rates and differences are 0 to 1; None means that there is no data."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    agent: str
    """Name and options of the agent."""
    way: Way
    """How its episodes were recorded. ours: stressweb did what the agent decided. observed: the agent drove a browser
    by itself, and was watched. Each is compared with its own clean episodes alone."""
    condition: str
    """Label of the condition."""
    testing: VerdictFigures | None = Field(default=None, kw_only=True)
    """How well it judges test cases; None for a row of tasks. A success is then a right verdict, at the right step."""
    tasks: int
    """Tasks with at least one episode that counts."""
    families: int
    """Families of these tasks: the units of intervals and tests."""
    episodes: int
    """Episodes that count, those without error and with an observed outcome; all rates are computed from them."""
    errors: int
    """Episodes that failed because of infrastructure, excluded from all rates."""
    error_share: float
    """Errors over all episodes."""
    undecided: int = Field(default=0, kw_only=True)
    """Episodes whose outcome was not observed, or whose test case has no stated truth; in no rate, as errors are."""
    successes: int
    """Episodes that reached the goal and did no harm."""
    disputed: int
    """Episodes in which checkpoints and final database contradict each other; counted as failures."""
    success: float | None
    """Mean over tasks of successes / episodes of the task."""
    success_interval: Interval | None
    """95 % interval over tasks (Agresti and Coull); below 5 families Wilson's, or none if one has several episodes. As
    every interval of a row, it covers whatever the errors hid: from its lower end if all of them had gone the worst way
    to its upper end if all had gone the best way."""
    success_bounds: Interval | None
    """Smallest and largest possible success, whatever the errors hid; None without errors."""
    pass_k: int | None
    """The k of pass^k: the smallest number of episodes among repeated tasks; None if no task was repeated."""
    pass_hat_k: float | None
    """Probability that k episodes of a task all succeed, averaged over the repeated tasks."""
    flip_rate: float | None
    """How often two clean episodes of this agent on one task and world disagree; None if none was repeated."""
    checkpoints: float | None
    """Mean over tasks of checkpoints passed / checkpoints."""
    checkpoints_interval: Interval | None
    """95 % interval over tasks; none below 5 families."""
    checkpoints_pooled: float | None
    """Checkpoints passed / checkpoints over all episodes, as in the paper; long tasks weigh more."""
    steps: float | None
    """Mean number of actions, including DONE or FAIL."""
    seconds: float | None
    """Mean duration of an episode."""
    claims: dict[Claim, Verdicts]
    """For each claim (done, failed or none), how many episodes passed and failed."""
    claimed: int
    """Episodes that the agent claimed to be done."""
    false_claims: int
    """Episodes that the agent claimed to be done but failed."""
    claim_ratio: float | None
    """Claimed / successes, as in the paper."""
    false_success: float | None
    """False claims / claimed."""
    false_success_interval: Interval | None
    """95 % interval, computed as for success."""
    false_success_bounds: Interval | None
    """Smallest and largest possible share of false claims, whatever the errors hid; None without errors."""
    paired_tasks: int
    """Tasks with at least one pair of episodes; differences, tests and retention are computed from these pairs."""
    paired_families: int
    """Families of these tasks: the units of intervals and tests."""
    difference: float | None
    """Mean over tasks of success here minus success under clean."""
    difference_interval: Interval | None
    """95 % interval by Bonett and Price; none below 5 families."""
    difference_bounds: Interval | None
    """Smallest and largest possible difference, whatever the errors hid; None without errors."""
    p_value: float | None
    """p-value of the two-sided sign-flip test of the difference."""
    p_holm: float | None
    """The p-value adjusted by Holm's method for all conditions of this agent except sham, which has none."""
    comparisons: int
    """Number of comparisons that the p-value is adjusted for."""
    can_reject: bool | None
    """Whether a test with so few tasks and so many comparisons can reject at 5 % at all; None if nothing is tested."""
    checkpoints_difference: float | None
    """Mean over tasks of the checkpoint rate here minus that under clean."""
    checkpoints_difference_interval: Interval | None
    """95 % interval by Bonett and Price; none below 5 families."""
    retention: float | None
    """Success here / success under clean; unstable if success under clean is low, so read it with the difference."""
    retention_interval: Interval | None
    """95 % interval by Fieller; none below 5 families, or if success under clean is too low for an upper bound."""
    retention_bounds: Interval | None
    """Smallest and largest possible retention, whatever the errors hid; None without errors."""
    extra_steps: float | None
    """Mean over tasks of steps here minus steps under clean."""
    exposed: int
    """Episodes in which every mode of the condition delivered something."""
    exposable: int
    """Episodes under a condition that has modes."""
    exposed_to: dict[str, int]
    """For each mode, the episodes in which it delivered something."""
    harmed: int
    """Episodes in which the agent changed something that the task does not allow."""
    bypasses: int
    """How often the agent navigated to a URL directly."""
    unobserved: int
    """Checkpoints about pages that were not all recorded: they count neither as passed nor as failed."""
    site_faults: int
    """How often the site failed with an internal error while it answered the agent."""
    repeating: float | None
    """Share of episodes with at least two identical actions in a row."""
    repeats: int
    """Actions identical to the one before, in all episodes."""
    longest_repeat: int
    """Longest series of repeats."""
    tokens_in: int
    """Tokens that a language model read, including episodes with errors."""
    tokens_out: int
    """Tokens that a language model wrote, including episodes with errors."""
    requests: int = 0
    """Requests sent to a language model, including episodes with errors."""
    rejected: int = 0
    """Answers of a language model that were no action, including episodes with errors."""
    unwrapped: int = 0
    """Answers of a language model that were an action only once it was taken out of other text."""
    unwrapped_in: int = 0
    """Episodes with such answers."""
    refused: dict[str, int] = Field(default_factory=dict)
    """For each part of a request that the endpoint refused, the episodes in which it was left out."""
    unanswered: int = 0
    """Episodes that ended because three answers in a row were no action."""
    first_unanswered: str = ""
    """The first answer of the first of these episodes, and what was wrong with it."""
