"""From graded episodes to what is said about an agent under a condition.

An episode that ended in an error says nothing about the agent: it is counted, and its repeat is left out of both
arms of the pair. Everything else counts, exposed or not.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from stressweb.actions import Action
from stressweb.recording import Claim, Status
from stressweb.statistics import Interval, cluster_bootstrap, holm, retention, sign_flip, wilson


class Graded(BaseModel):
    """One episode with its verdict: the flat record that all measures are made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: str
    task: str
    site: str
    condition: str
    """Label of the condition: "clean", "remap@3"."""
    world_seed: int
    stress_seed: int
    epoch: int
    status: Status
    """How it ended; "error" is ours and no outcome of the agent."""
    claim: Claim
    """What the agent said at the end: done, failed, or nothing at all."""
    success: bool
    """Every milestone held and no harm was done."""
    checkpoints_passed: int
    checkpoints_total: int
    """How many milestones the task has; harm checks are not among them."""
    harm_ok: bool
    """Whether nothing changed that must not have changed."""
    steps: int
    exposed: bool | None
    """Whether anything was delivered; None where there was nothing to deliver (clean, sham)."""
    bypasses: int
    """How often the agent went to a URL directly."""
    seconds: float
    """Wall clock time of the episode."""
    repeats: int = 0
    """Actions equal to the one before."""
    longest_repeat: int = 0
    """Most repeats in a row."""
    tokens_in: int = 0
    tokens_out: int = 0
    """Tokens that a language model read and wrote, as its server counted them; 0 for scripted agents."""

    @property
    def checkpoint_rate(self) -> float:
        """Share of the milestones that held; 0 if the task has none."""
        return self.checkpoints_passed / self.checkpoints_total if self.checkpoints_total else 0.0


class Verdicts(BaseModel):
    """How many episodes of one class of claim passed and failed."""

    model_config = ConfigDict(frozen=True)

    passed: int
    failed: int


class Row(BaseModel):
    """One agent under one condition. Rates and differences are 0 to 1; None: nothing to measure it from."""

    model_config = ConfigDict(frozen=True)

    agent: str
    condition: str
    tasks: int
    """Tasks with at least one episode without error."""
    episodes: int
    """Episodes without error: the denominator of every rate of this row."""
    errors: int
    successes: int
    success: float | None
    success_interval: Interval
    """Wilson's, episodes taken for independent."""
    success_task_interval: Interval | None
    """By resampling tasks: the one to read where tasks have several repeats."""
    checkpoints: float | None
    """Mean over episodes of the share of milestones that held: every episode weighs the same, as in `success`."""
    checkpoints_interval: Interval | None
    checkpoints_pooled: float | None
    """The paper's figure: milestones held over milestones, so that long tasks weigh more."""
    steps: float | None
    seconds: float | None
    claims: dict[Claim, Verdicts]
    claimed: int
    """Claims of done."""
    claim_ratio: float | None
    """Claims of done over successes, as in the paper."""
    false_success: float | None
    """Share of failures among the claims of done."""
    false_success_interval: Interval | None
    """Wilson's."""
    paired_tasks: int
    """Tasks measured in both arms; all figures below but the counts are made from them."""
    difference: float | None
    """Mean over tasks of success here minus success under clean."""
    difference_interval: Interval | None
    """95 % by resampling tasks."""
    p_value: float | None
    """Sign-flip test of the difference, two-sided."""
    p_holm: float | None
    """The same, adjusted by Holm over the conditions of this agent."""
    checkpoints_difference: float | None
    checkpoints_difference_interval: Interval | None
    retention: float | None
    """Success here over success under clean: unstable where clean is low, so it stands beside the difference."""
    retention_interval: Interval | None
    extra_steps: float | None
    """Mean over tasks of steps here minus steps under clean."""
    exposed: int
    """Episodes in which anything was delivered."""
    exposable: int
    """Episodes in which anything could have been."""
    harmed: int
    bypasses: int
    repeating: float | None
    """Share of episodes with an action equal to the one before."""
    repeats: int
    longest_repeat: int
    tokens_in: int
    """Tokens that were paid for, in episodes of errors, too: what a language model read."""
    tokens_out: int
    """What it wrote."""


class Pair(NamedTuple):
    """One task's means in both arms."""

    clean: "Means"
    stressed: "Means"


class Means(NamedTuple):
    """What is compared between two arms."""

    success: float
    checkpoints: float
    steps: float


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


def measure(episodes: Iterable[Graded], baseline: str = "clean") -> list[Row]:
    """Return a row per agent and condition, the baseline first, else in the order in which they first come."""
    cells: dict[str, dict[str, list[Graded]]] = defaultdict(lambda: defaultdict(list))
    for episode in episodes:
        cells[episode.agent][episode.condition].append(episode)
    rows: list[Row] = []
    for conditions in cells.values():
        clean = conditions.get(baseline, [])
        order = sorted(conditions, key=lambda label: label != baseline)
        rows += _adjusted([_row(conditions[label], [] if label == baseline else clean) for label in order])
    return rows


def paired(clean: Iterable[Graded], stressed: Iterable[Graded]) -> list[Pair]:
    """Return both arms' means per task, for tasks that were measured in both.

    A repeat (stress seed and epoch) with an error in either arm is left out of both. Worlds of a task weigh the same.
    """
    first, second = _grouped(clean, _world), _grouped(stressed, _world)
    tasks: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for world in first.keys() & second.keys():
        spoilt = {_repeat(e) for e in first[world] + second[world] if e.status == "error"}
        arms = [[e for e in arm[world] if _repeat(e) not in spoilt] for arm in (first, second)]
        if all(arms):
            tasks[world[:2]].append(Pair(_means(arms[0]), _means(arms[1])))
    return [
        Pair(*(Means(*map(fmean, zip(*arm, strict=True))) for arm in zip(*tasks[task], strict=True)))
        for task in sorted(tasks)
    ]


def _world(episode: Graded) -> tuple[str, str, int]:
    return episode.site, episode.task, episode.world_seed


def _task(episode: Graded) -> tuple[str, str]:
    return episode.site, episode.task


def _repeat(episode: Graded) -> tuple[int, int]:
    return episode.stress_seed, episode.epoch


def _grouped[K](episodes: Iterable[Graded], key: Callable[[Graded], K]) -> dict[K, list[Graded]]:
    groups: dict[K, list[Graded]] = defaultdict(list)
    for episode in episodes:
        groups[key(episode)].append(episode)
    return groups


def _means(episodes: Sequence[Graded]) -> Means:
    return Means(
        fmean(e.success for e in episodes), fmean(e.checkpoint_rate for e in episodes), fmean(e.steps for e in episodes)
    )


def _row(cell: Sequence[Graded], clean: Sequence[Graded]) -> Row:
    counted = [episode for episode in cell if episode.status != "error"]
    return Row(
        agent=cell[0].agent,
        condition=cell[0].condition,
        tasks=len({_task(episode) for episode in counted}),
        episodes=len(counted),
        errors=len(cell) - len(counted),
        **_scores(counted),
        **_claims(counted),
        **_effects(paired(clean, cell)),
        exposed=sum(episode.exposed is True for episode in counted),
        exposable=sum(episode.exposed is not None for episode in counted),
        harmed=sum(not episode.harm_ok for episode in counted),
        bypasses=sum(episode.bypasses for episode in counted),
        repeating=_mean([episode.repeats > 0 for episode in counted]),
        repeats=sum(episode.repeats for episode in counted),
        longest_repeat=max((episode.longest_repeat for episode in counted), default=0),
        tokens_in=sum(episode.tokens_in for episode in cell),
        tokens_out=sum(episode.tokens_out for episode in cell),
    )


def _scores(counted: Sequence[Graded]) -> dict[str, object]:
    successes = sum(episode.success for episode in counted)
    tasks = [_means(group) for _, group in sorted(_grouped(counted, _task).items())]
    total = sum(episode.checkpoints_total for episode in counted)
    return {
        "successes": successes,
        "success": successes / len(counted) if counted else None,
        "success_interval": wilson(successes, len(counted)),
        "success_task_interval": cluster_bootstrap([task.success for task in tasks]),
        "checkpoints": _mean([episode.checkpoint_rate for episode in counted]),
        "checkpoints_interval": cluster_bootstrap([task.checkpoints for task in tasks]),
        "checkpoints_pooled": sum(episode.checkpoints_passed for episode in counted) / total if total else None,
        "steps": _mean([episode.steps for episode in counted]),
        "seconds": _mean([episode.seconds for episode in counted]),
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
    claimed = claims["done"].passed + claims["done"].failed
    successes = sum(episode.success for episode in counted)
    return {
        "claims": claims,
        "claimed": claimed,
        "claim_ratio": claimed / successes if successes else None,
        "false_success": claims["done"].failed / claimed if claimed else None,
        "false_success_interval": wilson(claims["done"].failed, claimed) if claimed else None,
    }


def _effects(pairs: Sequence[Pair]) -> dict[str, object]:
    losses = [pair.stressed.success - pair.clean.success for pair in pairs]
    checkpoints = [pair.stressed.checkpoints - pair.clean.checkpoints for pair in pairs]
    clean, stressed = [pair.clean.success for pair in pairs], [pair.stressed.success for pair in pairs]
    return {
        "paired_tasks": len(pairs),
        "difference": _mean(losses),
        "difference_interval": cluster_bootstrap(losses),
        "p_value": sign_flip(losses) if pairs else None,
        "p_holm": None,
        "checkpoints_difference": _mean(checkpoints),
        "checkpoints_difference_interval": cluster_bootstrap(checkpoints),
        "retention": retention(fmean(stressed), fmean(clean)) if pairs else None,
        "retention_interval": cluster_bootstrap(stressed, weights=clean),
        "extra_steps": _mean([pair.stressed.steps - pair.clean.steps for pair in pairs]),
    }


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _adjusted(rows: list[Row]) -> list[Row]:
    """Fill in Holm's p-values over the rows of one agent."""
    tested = {row.condition: row.p_value for row in rows if row.p_value is not None}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    return [row.model_copy(update={"p_holm": adjusted.get(row.condition)}) for row in rows]
