"""Computes the figures of an agent under a condition from graded episodes.

An episode with an error, or without an observed outcome, is reported, but excluded from every rate and from both arms
of its pair. All others count, including crashes of the agent and episodes without exposure. Tasks have equal weight,
and families of tasks are the units of intervals and tests.

Errors may depend on the outcome: a slow site may cause errors only in episodes that would have failed. So figures have
bounds, and an interval reaches from the lower end with all errors counted the worst way to the upper end with all
errors counted the best way (`stressweb.analysis.error_imputation`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from stressweb.analysis.error_imputation import ErrorImputation
from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import (
    Family,
    Pair,
    Task,
    bounds,
    families,
    family_of,
    flip_rate,
    grouped,
    paired_tasks,
    task_means,
    task_of,
)
from stressweb.analysis.result_row import ResultRow, Verdicts
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
from stressweb.analysis.tester_figures import tester_figures
from stressweb.core.conditions import UNTESTED
from stressweb.log.recording import Claim


def measure(episodes: Iterable[Graded], baseline: str = "clean") -> list[ResultRow]:
    """Return a row per agent and condition, the baseline first, else in order of appearance.

    An agent with tasks and test cases has rows for each.
    """
    cells: dict[tuple[str, bool], dict[str, list[Graded]]] = defaultdict(lambda: defaultdict(list))
    for episode in episodes:
        # No rate mixes tasks and test cases.
        cells[episode.agent, episode.is_case][episode.condition].append(episode)
    rows: list[ResultRow] = []
    for conditions in cells.values():
        clean = conditions.get(baseline, [])
        # The sort is stable: the baseline comes first, and the others keep their order.
        order = sorted(conditions, key=lambda label: label != baseline)
        # The clean episodes are passed twice: as partners, which clean itself does not have, and for the flip rate,
        # which every row has.
        rows += _with_adjusted_p_values(
            [_row(conditions[label], [] if label == baseline else clean, clean) for label in order]
        )
    return rows


def by_agent(rows: Sequence[ResultRow]) -> dict[str, list[ResultRow]]:
    """Return the rows of each agent, in order of appearance."""
    return grouped(rows, lambda row: row.agent)


def _row(episodes: Sequence[Graded], clean_partners: Sequence[Graded], clean_episodes: Sequence[Graded]) -> ResultRow:
    """Measure the episodes of a condition; `clean_partners` are their partners, none for the baseline itself."""
    # Errors are excluded from every rate, but included in sums of tokens, because they cost, too.
    counted = [episode for episode in episodes if episode.counts]
    errors = sum(episode.status == "error" for episode in episodes)
    pairs = paired_tasks(clean_partners, episodes)
    error_imputation = ErrorImputation.of(clean_partners, episodes)
    return ResultRow(
        agent=episodes[0].agent,
        way=episodes[0].way,
        condition=episodes[0].condition,
        testing=tester_figures(counted, clean_partners) if episodes[0].is_case else None,
        tasks=len({task_of(episode) for episode in counted}),
        families=len({family_of(episode) for episode in counted}),
        episodes=len(counted),
        errors=errors,
        error_share=errors / len(episodes),
        undecided=len(episodes) - len(counted) - errors,
        **_scores(counted, error_imputation),
        **_repeat_figures(counted),
        flip_rate=flip_rate(clean_episodes),
        **_claims(counted, error_imputation),
        **_effects(pairs, families(episodes, pairs), error_imputation),
        difference_bounds=bounds(clean_partners, episodes),
        **_exposure(counted),
        harmed=sum(episode.harmed for episode in counted),
        bypasses=sum(episode.bypasses for episode in episodes if episode.status != "error"),
        unobserved=sum(episode.unobserved for episode in episodes if episode.status != "error"),
        site_faults=sum(episode.site_faults for episode in counted),
        repeating=_mean([episode.repeats > 0 for episode in counted]),
        repeats=sum(episode.repeats for episode in counted),
        longest_repeat=max((episode.longest_repeat for episode in counted), default=0),
        tokens_in=sum(episode.tokens_in for episode in episodes),
        tokens_out=sum(episode.tokens_out for episode in episodes),
        **_requests(episodes),
    )


def _requests(episodes: Sequence[Graded]) -> dict[str, object]:
    """Return counts of requests to a language model, including those of errors."""
    refusal_counts = Counter(part for episode in episodes for part in episode.refused)
    unanswered = [episode.unanswered for episode in episodes if episode.unanswered]
    return {
        "requests": sum(episode.requests for episode in episodes),
        "rejected": sum(episode.rejected for episode in episodes),
        "unwrapped": sum(episode.unwrapped for episode in episodes),
        "unwrapped_in": sum(episode.unwrapped > 0 for episode in episodes),
        "refused": dict(refusal_counts),
        "unanswered": len(unanswered),
        "first_unanswered": next(iter(unanswered), ""),
    }


def _scores(counted: Sequence[Graded], error_imputation: ErrorImputation) -> dict[str, object]:
    successes = sum(episode.success for episode in counted)
    tasks = task_means(counted)
    rates, checkpoints = [task.success for task in tasks.values()], [task.checkpoints for task in tasks.values()]
    total = sum(episode.checkpoints_total for episode in counted)
    return {
        "successes": successes,
        "disputed": sum(episode.disputed for episode in counted),
        "success": _mean(rates),
        "success_interval": error_imputation.widest_interval(success_interval),
        "success_bounds": error_imputation.worst_and_best(_success),
        "checkpoints": _mean(checkpoints),
        "checkpoints_interval": error_imputation.widest_interval(checkpoints_interval),
        # The paper's figure, only for comparison; a task with many checkpoints has more weight.
        "checkpoints_pooled": sum(episode.checkpoints_passed for episode in counted) / total if total else None,
        "steps": _mean([episode.steps for episode in counted]),
        "seconds": _mean([episode.seconds for episode in counted]),
    }


def _repeat_figures(counted: Sequence[Graded]) -> dict[str, object]:
    # Tasks that ran once are left out of pass^k.
    episodes_of_tasks = [
        task_episodes for task_episodes in grouped(counted, task_of).values() if len(task_episodes) > 1
    ]
    if not episodes_of_tasks:
        return {"pass_k": None, "pass_hat_k": None}
    # The smallest number of episodes, because errors may leave a task fewer than planned.
    k = min(map(len, episodes_of_tasks))
    return {
        "pass_k": k,
        "pass_hat_k": pass_hat_k(
            [*map(len, episodes_of_tasks)],
            [sum(episode.success for episode in task_episodes) for task_episodes in episodes_of_tasks],
            k,
        ),
    }


def _exposure(counted: Sequence[Graded]) -> dict[str, object]:
    # Clean and sham have no modes, so exposure does not apply to them.
    exposable = [episode for episode in counted if episode.exposed is not None]
    modes = dict.fromkeys(mode for episode in exposable for mode in episode.exposed or {})
    return {
        "exposed": sum(episode.fully_exposed for episode in exposable),
        "exposable": len(exposable),
        "exposed_to": {mode: sum((episode.exposed or {}).get(mode, False) for episode in exposable) for mode in modes},
    }


def _claims(counted: Sequence[Graded], error_imputation: ErrorImputation) -> dict[str, object]:
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
        "false_success_interval": error_imputation.widest_interval(false_success_interval),
        "false_success_bounds": error_imputation.worst_and_best(_false_share),
    }


def _false_share(episodes: Sequence[Graded]) -> float | None:
    return _mean([not episode.success for episode in episodes if episode.claim == "done"])


def _success(episodes: Sequence[Graded]) -> float | None:
    return _mean([task.success for task in task_means(episodes).values()])


def success_interval(episodes: Sequence[Graded]) -> Interval | None:
    """Return the interval of the success of episodes without errors."""
    tasks = task_means(episodes)
    rates, task_families = [task.success for task in tasks.values()], families(episodes, tasks)
    # Below five families the interval over tasks is unreliable; Wilson's is correct if each family has one episode.
    successes = sum(episode.success for episode in episodes)
    return rate_interval(rates, families=task_families) or _of_single_episodes(
        successes, len(episodes), len(set(task_families))
    )


def checkpoints_interval(episodes: Sequence[Graded]) -> Interval | None:
    """Return the interval of the share of checkpoints of episodes without errors."""
    tasks = task_means(episodes)
    return rate_interval([task.checkpoints for task in tasks.values()], families=families(episodes, tasks))


def false_success_interval(episodes: Sequence[Graded]) -> Interval | None:
    """Return the interval of the share of false claims of episodes without errors."""
    claimed = [episode for episode in episodes if episode.claim == "done"]
    claims_by_family = list(grouped(claimed, family_of).values())
    false_counts = [sum(not episode.success for episode in family_claims) for family_claims in claims_by_family]
    # Weighted, because families differ in the number of claims: the share is a ratio of two random numbers.
    interval = rate_interval(false_counts, [len(family_claims) for family_claims in claims_by_family])
    return interval or (
        _of_single_episodes(sum(false_counts), len(claimed), len(claims_by_family)) if claimed else None
    )


def _of_single_episodes(successes: int, episodes: int, families: int) -> Interval | None:
    """Return Wilson's interval if each family has one episode, else None."""
    return wilson(successes, episodes) if episodes == families else None


def _effects(
    by_task: Mapping[Task, Pair], pair_families: Sequence[Family], error_imputation: ErrorImputation
) -> dict[str, object]:
    pairs = list(by_task.values())
    differences = [pair.stressed.success - pair.clean.success for pair in pairs]
    checkpoints = [pair.stressed.checkpoints - pair.clean.checkpoints for pair in pairs]
    clean, stressed = [pair.clean.success for pair in pairs], [pair.stressed.success for pair in pairs]
    return {
        "paired_tasks": len(pairs),
        "paired_families": len(set(pair_families)),
        "difference": _mean(differences),
        "difference_interval": error_imputation.widest_paired_interval(_difference_interval),
        "p_value": sign_flip(differences, pair_families) if pairs else None,
        # These three depend on the other conditions of the agent; `_with_adjusted_p_values` fills them in.
        "p_holm": None,
        "comparisons": 0,
        "can_reject": None,
        "checkpoints_difference": _mean(checkpoints),
        "checkpoints_difference_interval": error_imputation.widest_paired_interval(_checkpoints_difference_interval),
        # Over pairs, not all episodes, so that retention and difference are about the same tasks.
        "retention": retention(fmean(stressed), fmean(clean)) if pairs else None,
        "retention_interval": error_imputation.widest_paired_interval(_retention_interval),
        "retention_bounds": error_imputation.worst_and_best_of_pairs(_retention),
        "extra_steps": _mean([pair.stressed.steps - pair.clean.steps for pair in pairs]),
    }


def _difference_interval(pairs: Sequence[Pair], pair_families: Sequence[Family]) -> Interval | None:
    return difference_interval([pair.stressed.success - pair.clean.success for pair in pairs], families=pair_families)


def _checkpoints_difference_interval(pairs: Sequence[Pair], pair_families: Sequence[Family]) -> Interval | None:
    return difference_interval(
        [pair.stressed.checkpoints - pair.clean.checkpoints for pair in pairs], families=pair_families
    )


def _retention_interval(pairs: Sequence[Pair], pair_families: Sequence[Family]) -> Interval | None:
    stressed, clean = [pair.stressed.success for pair in pairs], [pair.clean.success for pair in pairs]
    return retention_interval(stressed, clean, families=pair_families)


def _retention(pairs: Sequence[Pair]) -> float | None:
    if not pairs:
        return None
    return retention(fmean(pair.stressed.success for pair in pairs), fmean(pair.clean.success for pair in pairs))


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _with_adjusted_p_values(rows: list[ResultRow]) -> list[ResultRow]:
    """Fill in Holm's p-values over the disturbed conditions of an agent."""
    # Without sham, which is a check of the infrastructure, not a hypothesis.
    tested = {row.condition: row.p_value for row in rows if row.p_value is not None and row.condition not in UNTESTED}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    return [
        row.model_copy(
            update={
                "p_holm": adjusted[row.condition],
                "comparisons": len(tested),
                "can_reject": can_reject(row.paired_families, len(tested)),
            }
        )
        if row.condition in adjusted
        else row
        for row in rows
    ]
