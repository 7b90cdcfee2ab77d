"""From graded episodes to the figures of an agent under a condition.

An episode that ended in an error is counted, but excluded from every rate and from both arms of its pair. Everything
else counts, including crashes of the agent and episodes without exposure. Every task has the same weight.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import Pair, bounds, flip_rate, grouped, paired, task_means, task_of
from stressweb.analysis.statistics import (
    Interval,
    can_reject,
    difference_interval,
    holm,
    pass_hat_k,
    rate_interval,
    retention,
    retention_interval,
    sign_flip,
    wilson,
)
from stressweb.core.conditions import UNTESTED
from stressweb.log.recording import Claim
from stressweb.plugins.actions import Action


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
    condition: str
    """Label of the condition."""
    tasks: int
    """Tasks with at least one episode without error."""
    episodes: int
    """Episodes without error; all rates of this row are computed from them."""
    errors: int
    """Episodes that failed because of infrastructure, excluded from all rates."""
    error_share: float
    """Errors over all episodes."""
    successes: int
    """Episodes that reached the goal and did no harm."""
    disputed: int
    """Episodes in which checkpoints and final database disagree about the goal; counted as failures."""
    success: float | None
    """Mean over tasks of successes / episodes of the task."""
    success_interval: Interval | None
    """95 % interval over tasks (Agresti and Coull); below 5 tasks Wilson's, or none if tasks have several episodes."""
    pass_k: int | None
    """The k of pass^k: the smallest number of episodes among repeated tasks; None if no task was repeated."""
    pass_hat_k: float | None
    """Probability that k episodes of a task all succeed, averaged over the repeated tasks."""
    flip_rate: float | None
    """How often two clean episodes of this agent on one task and world disagree; None if none was repeated."""
    checkpoints: float | None
    """Mean over tasks of checkpoints passed / checkpoints."""
    checkpoints_interval: Interval | None
    """95 % interval over tasks; none below 5."""
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
    paired_tasks: int
    """Tasks with at least one pair of episodes; differences, tests and retention are computed from these pairs."""
    difference: float | None
    """Mean over tasks of success here minus success under clean."""
    difference_interval: Interval | None
    """95 % interval by Bonett and Price; none below 5 tasks."""
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
    """95 % interval by Bonett and Price; none below 5 tasks."""
    retention: float | None
    """Success here / success under clean; unstable if success under clean is low, so read it with the difference."""
    retention_interval: Interval | None
    """95 % interval by Fieller; none below 5 tasks, or if success under clean is too low for an upper bound."""
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


class Repeats(NamedTuple):
    """How much an agent repeated itself in one episode."""

    total: int
    longest: int


def repetitions(actions: Sequence[Action]) -> Repeats:
    """Count actions equal to the one before in all but their reasoning, and the most of them in a row."""
    bare = [action.model_copy(update={"reasoning": None, "message": None}) for action in actions]
    total = longest = running = 0
    for before, action in pairwise(bare):
        running = running + 1 if action == before else 0
        total += running > 0
        longest = max(longest, running)
    return Repeats(total, longest)


def measure(episodes: Iterable[Graded], baseline: str = "clean") -> list[ResultRow]:
    """Return a row per agent and condition, the baseline first, else in the order in which they first come."""
    cells: dict[str, dict[str, list[Graded]]] = defaultdict(lambda: defaultdict(list))
    for episode in episodes:
        cells[episode.agent][episode.condition].append(episode)
    rows: list[ResultRow] = []
    for conditions in cells.values():
        clean = conditions.get(baseline, [])
        order = sorted(conditions, key=lambda label: label != baseline)
        rows += _adjusted([_row(conditions[label], [] if label == baseline else clean, clean) for label in order])
    return rows


def by_agent(rows: Sequence[ResultRow]) -> dict[str, list[ResultRow]]:
    """Return the rows of each agent, in the order in which agents come."""
    return grouped(rows, lambda row: row.agent)


def _row(cell: Sequence[Graded], clean: Sequence[Graded], baseline: Sequence[Graded]) -> ResultRow:
    """Measure the episodes of a condition; `clean` are those to pair them with, none for the baseline itself."""
    # Here errors drop out of every rate; only tokens are summed over all episodes, because they were paid for.
    counted = [episode for episode in cell if episode.status != "error"]
    return ResultRow(
        agent=cell[0].agent,
        condition=cell[0].condition,
        tasks=len({task_of(episode) for episode in counted}),
        episodes=len(counted),
        errors=len(cell) - len(counted),
        error_share=1 - len(counted) / len(cell),
        **_scores(counted),
        **_repeated(counted),
        flip_rate=flip_rate(baseline),
        **_claims(counted),
        **_effects(paired(clean, cell)),
        difference_bounds=bounds(clean, cell),
        **_exposure(counted),
        harmed=sum(episode.harmed for episode in counted),
        bypasses=sum(episode.bypasses for episode in counted),
        site_faults=sum(episode.site_faults for episode in counted),
        repeating=_mean([episode.repeats > 0 for episode in counted]),
        repeats=sum(episode.repeats for episode in counted),
        longest_repeat=max((episode.longest_repeat for episode in counted), default=0),
        tokens_in=sum(episode.tokens_in for episode in cell),
        tokens_out=sum(episode.tokens_out for episode in cell),
    )


def _scores(counted: Sequence[Graded]) -> dict[str, object]:
    successes = sum(episode.success for episode in counted)
    tasks = task_means(counted)
    rates, checkpoints = [task.success for task in tasks], [task.checkpoints for task in tasks]
    total = sum(episode.checkpoints_total for episode in counted)
    return {
        "successes": successes,
        "disputed": sum(episode.disputed for episode in counted),
        "success": _mean(rates),
        "success_interval": rate_interval(rates) or _once(successes, len(counted), len(tasks)),
        "checkpoints": _mean(checkpoints),
        "checkpoints_interval": rate_interval(checkpoints),
        "checkpoints_pooled": sum(episode.checkpoints_passed for episode in counted) / total if total else None,
        "steps": _mean([episode.steps for episode in counted]),
        "seconds": _mean([episode.seconds for episode in counted]),
    }


def _repeated(counted: Sequence[Graded]) -> dict[str, object]:
    tasks = [own for own in grouped(counted, task_of).values() if len(own) > 1]
    if not tasks:
        return {"pass_k": None, "pass_hat_k": None}
    # Errors leave some tasks fewer episodes than were planned, and k must fit all of them.
    k = min(map(len, tasks))
    return {
        "pass_k": k,
        "pass_hat_k": pass_hat_k([*map(len, tasks)], [sum(e.success for e in own) for own in tasks], k),
    }


def _exposure(counted: Sequence[Graded]) -> dict[str, object]:
    able = [episode for episode in counted if episode.exposed is not None]
    modes = dict.fromkeys(mode for episode in able for mode in episode.exposed or {})
    return {
        "exposed": sum(episode.fully_exposed for episode in able),
        "exposable": len(able),
        "exposed_to": {mode: sum((episode.exposed or {}).get(mode, False) for episode in able) for mode in modes},
    }


def _claims(counted: Sequence[Graded]) -> dict[str, object]:
    classes: tuple[Claim, ...] = ("done", "failed", "none")
    claims = {
        claim: Verdicts(
            passed=sum(episode.claim == claim and episode.success for episode in counted),
            failed=sum(episode.claim == claim and not episode.success for episode in counted),
        )
        for claim in classes
    }
    claimed, false = claims["done"].passed + claims["done"].failed, claims["done"].failed
    successes = sum(episode.success for episode in counted)
    return {
        "claims": claims,
        "claimed": claimed,
        "false_claims": false,
        "claim_ratio": claimed / successes if successes else None,
        "false_success": false / claimed if claimed else None,
        "false_success_interval": _false_interval([episode for episode in counted if episode.claim == "done"]),
    }


def _false_interval(claimed: Sequence[Graded]) -> Interval | None:
    tasks = list(grouped(claimed, task_of).values())
    false = [sum(not episode.success for episode in own) for own in tasks]
    interval = rate_interval(false, [len(own) for own in tasks])
    return interval or (_once(sum(false), len(claimed), len(tasks)) if claimed else None)


def _once(successes: int, episodes: int, tasks: int) -> Interval | None:
    """Return the interval of few tasks: Wilson's, as long as each has one episode."""
    return wilson(successes, episodes) if episodes == tasks else None


def _effects(pairs: Sequence[Pair]) -> dict[str, object]:
    losses = [pair.stressed.success - pair.clean.success for pair in pairs]
    checkpoints = [pair.stressed.checkpoints - pair.clean.checkpoints for pair in pairs]
    clean, stressed = [pair.clean.success for pair in pairs], [pair.stressed.success for pair in pairs]
    return {
        "paired_tasks": len(pairs),
        "difference": _mean(losses),
        "difference_interval": difference_interval(losses),
        "p_value": sign_flip(losses) if pairs else None,
        "p_holm": None,
        "comparisons": 0,
        "can_reject": None,
        "checkpoints_difference": _mean(checkpoints),
        "checkpoints_difference_interval": difference_interval(checkpoints),
        "retention": retention(fmean(stressed), fmean(clean)) if pairs else None,
        "retention_interval": retention_interval(stressed, clean),
        "extra_steps": _mean([pair.stressed.steps - pair.clean.steps for pair in pairs]),
    }


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _adjusted(rows: list[ResultRow]) -> list[ResultRow]:
    """Fill in Holm's p-values over the conditions of one agent that disturb anything."""
    # Sham is a check of the machinery and no hypothesis: it must not make the p-values of the others larger.
    tested = {row.condition: row.p_value for row in rows if row.p_value is not None and row.condition not in UNTESTED}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    return [
        row.model_copy(
            update={
                "p_holm": adjusted[row.condition],
                "comparisons": len(tested),
                "can_reject": can_reject(row.paired_tasks, len(tested)),
            }
        )
        if row.condition in adjusted
        else row
        for row in rows
    ]
