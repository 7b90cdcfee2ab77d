"""The figures of one agent under one condition."""

from pydantic import BaseModel, ConfigDict, Field

from stressweb.analysis.statistics import Interval
from stressweb.analysis.tester_figures import VerdictFigures
from stressweb.core.agent_spec import Way
from stressweb.log.recording import Claim


class Verdicts(BaseModel):
    """Numbers of episodes with a claim that passed and failed."""

    model_config = ConfigDict(frozen=True)

    passed: int
    failed: int


class ResultRow(BaseModel):
    """One agent under one condition. Rates and differences are 0 to 1; None means no data."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    agent: str
    """Name and options of the agent."""
    way: Way
    """How its episodes were recorded. ours: stressweb executed the agent's decisions. observed: the agent drove a
    browser by itself and was watched. Each is compared only with its own clean episodes."""
    condition: str
    """Label of the condition."""
    testing: VerdictFigures | None = Field(default=None, kw_only=True)
    """Figures of a tester; None for a row of tasks. The success of a tester is a right verdict at the right step."""
    tasks: int
    """Tasks with at least one episode that counts."""
    families: int
    """Families of these tasks, the units of intervals and tests."""
    episodes: int
    """Episodes that count: without error and with an observed outcome; all rates are computed from them."""
    errors: int
    """Episodes that failed because of infrastructure, excluded from all rates."""
    error_share: float
    """Errors / all episodes."""
    undecided: int = Field(default=0, kw_only=True)
    """Episodes whose outcome was not observed, or whose test case has no stated truth; excluded from all rates."""
    successes: int
    """Episodes that reached the goal and did no harm."""
    disputed: int
    """Episodes in which checkpoints and final database contradict each other; counted as failures."""
    success: float | None
    """Mean over tasks of successes / episodes of the task."""
    success_interval: Interval | None
    """95 % interval over tasks (Agresti and Coull); below 5 families Wilson's, or none if one has several episodes. As
    every interval of a row, it reaches from the lower end with all errors counted the worst way to the upper end
    with all errors counted the best way."""
    success_bounds: Interval | None
    """Smallest and largest possible success, given the errors; None without errors."""
    pass_k: int | None
    """The k of pass^k: the smallest number of episodes among repeated tasks; None if no task was repeated."""
    pass_hat_k: float | None
    """Probability that k episodes of a task all succeed, averaged over the repeated tasks."""
    flip_rate: float | None
    """How often two clean episodes of this agent on the same task and world disagree; None without repeats."""
    checkpoints: float | None
    """Mean over tasks of checkpoints passed / checkpoints."""
    checkpoints_interval: Interval | None
    """95 % interval over tasks; none below 5 families."""
    checkpoints_pooled: float | None
    """Checkpoints passed / checkpoints over all episodes, as in the paper; tasks with many checkpoints weigh more."""
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
    """Smallest and largest possible share of false claims, given the errors; None without errors."""
    paired_tasks: int
    """Tasks with at least one pair of episodes; differences, tests and retention are computed from these pairs."""
    paired_families: int
    """Families of these tasks, the units of intervals and tests."""
    difference: float | None
    """Mean over tasks of success minus success under clean."""
    difference_interval: Interval | None
    """95 % interval by Bonett and Price; none below 5 families."""
    difference_bounds: Interval | None
    """Smallest and largest possible difference, given the errors; None without errors."""
    p_value: float | None
    """p-value of the two-sided sign-flip test of the difference."""
    p_holm: float | None
    """The p-value adjusted by Holm's method for all conditions of this agent except sham, which has none."""
    comparisons: int
    """Number of comparisons for which the p-value is adjusted."""
    can_reject: bool | None
    """Whether a test with this number of tasks and comparisons can reject at 5 % at all; None if nothing is tested."""
    checkpoints_difference: float | None
    """Mean over tasks of the checkpoint rate minus that under clean."""
    checkpoints_difference_interval: Interval | None
    """95 % interval by Bonett and Price; none below 5 families."""
    retention: float | None
    """Success / success under clean; unstable if success under clean is low, so read it with the difference."""
    retention_interval: Interval | None
    """95 % interval by Fieller; none below 5 families, or if success under clean is too low for an upper bound."""
    retention_bounds: Interval | None
    """Smallest and largest possible retention, given the errors; None without errors."""
    extra_steps: float | None
    """Mean over tasks of steps minus steps under clean."""
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
    """Checkpoints about pages that were not all recorded; they count neither as passed nor as failed."""
    site_faults: int
    """How often the site failed with an internal error because of an action of the agent."""
    repeating: float | None
    """Share of episodes with at least two identical actions in a row."""
    repeats: int
    """Actions identical to the previous one, in all episodes."""
    longest_repeat: int
    """Longest series of repeats."""
    tokens_in: int
    """Input tokens of a language model, including episodes with errors."""
    tokens_out: int
    """Output tokens of a language model, including episodes with errors."""
    requests: int = 0
    """Requests sent to a language model, including episodes with errors."""
    rejected: int = 0
    """Invalid answers of a language model, including episodes with errors."""
    unwrapped: int = 0
    """Answers of a language model with an action inside other text."""
    unwrapped_in: int = 0
    """Episodes with such answers."""
    refused: dict[str, int] = Field(default_factory=dict)
    """Parts of requests that the endpoint refused, with the number of episodes in which each was left out."""
    unanswered: int = 0
    """Episodes that ended after three invalid answers in a row."""
    first_unanswered: str = ""
    """The first of these answers in the first of these episodes, with its problem."""
