"""Measures on small runs whose figures can be counted by hand."""

from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.pairing import paired
from stressweb.analysis.result_row import ResultRow, Verdicts
from stressweb.analysis.statistics import Interval, difference_interval, rate_interval, wilson
from tests.examples import examples
from tests.support.graded_episodes import episode


def rows(episodes: list[Graded]) -> dict[tuple[str, str], ResultRow]:
    return {(row.agent, row.condition): row for row in measure(episodes)}


def stressed(outcomes: dict[int, bool], **changes: Any) -> list[Graded]:
    """Return a clean success and one episode under remap per task."""
    both = ((episode(task), episode(task, "remap@3", ok, **changes)) for task, ok in outcomes.items())
    return [each_episode for pair in both for each_episode in pair]


def test_the_house_example() -> None:
    """One of twelve tasks survives: 1/12, minus 92 [-100, -48], exact McNemar of 11 against 0."""
    row = rows(stressed({task: task == 0 for task in range(12)}))["naive", "remap@3"]
    assert (row.successes, row.episodes, row.tasks, row.paired_tasks) == (1, 12, 12, 12)
    assert row.success_interval == rate_interval([1.0] + [0.0] * 11)
    assert row.difference == pytest.approx(-11 / 12)
    assert row.difference_interval == difference_interval([0.0] + [-1.0] * 11)
    assert row.p_value == pytest.approx(stats.binomtest(11, 11).pvalue)
    assert row.retention == pytest.approx(1 / 12)
    assert (row.claimed, row.claim_ratio) == (12, 12)
    assert row.false_success == pytest.approx(11 / 12)
    assert row.false_success_interval == pytest.approx(rate_interval([0.0] + [1.0] * 11))
    assert (row.false_claims, row.comparisons, row.can_reject) == (11, 1, True)
    assert (row.exposed, row.exposable, row.errors) == (12, 12, 0)


def test_clean_is_compared_with_nothing_and_comes_first() -> None:
    episodes = stressed({0: True, 1: False})[::-1]
    measured = measure(episodes)
    assert [row.condition for row in measured] == ["clean", "remap@3"]
    clean = measured[0]
    assert (clean.difference, clean.difference_interval, clean.p_value, clean.retention) == (None, None, None, None)
    assert (clean.exposed, clean.exposable) == (0, 0)


def test_without_a_clean_arm_there_is_no_difference() -> None:
    (row,) = measure([episode(0, "remap@3")])
    assert (row.paired_tasks, row.difference, row.p_value, row.retention) == (0, None, None, None)
    assert row.success == 1


@pytest.mark.parametrize("failed", ["clean", "remap@3"])
def test_an_error_leaves_both_sides_of_its_pair(failed: str) -> None:
    """The other arm's episode of the same seed is excluded too."""
    episodes = [
        episode(
            0, condition, success=not (condition == "remap@3" and seed == 1), stress_seed=seed,
            status="error" if (condition, seed) == (failed, 0) else "done",
        )
        for condition, seed in product(("clean", "remap@3"), (0, 1))
    ]  # fmt: skip
    (pair,) = paired(episodes[:2], episodes[2:])
    assert (pair.clean.success, pair.stressed.success) == (1, 0)
    row = rows(episodes)["naive", "remap@3"]
    assert row.difference == -1
    assert row.errors == (failed == "remap@3")


def test_an_error_is_counted_and_changes_no_rate() -> None:
    without = rows(stressed({0: True, 1: False}))["naive", "remap@3"]
    broken = [episode(2), episode(2, "remap@3", success=False, status="error", bypasses=3, site_faults=4, harmed=True)]
    having = rows(stressed({0: True, 1: False}) + broken)["naive", "remap@3"]
    assert having.errors == 1
    assert having.error_share == pytest.approx(1 / 3)
    assert having.difference_bounds == Interval(-2 / 3, -1 / 3)
    # The error changes counts, bounds and intervals, but no estimate.
    aware = {name for name in type(having).model_fields if name.endswith(("_bounds", "_interval")) or "error" in name}
    assert having.model_dump(exclude=aware) == without.model_dump(exclude=aware)
    assert without.success_interval is not None
    assert having.success_interval is not None
    assert having.success_interval.low <= without.success_interval.low
    assert having.success_interval.high >= without.success_interval.high


def test_a_task_of_errors_alone_is_no_task() -> None:
    row = rows([episode(0), episode(0, "remap@3", status="error")])["naive", "remap@3"]
    assert (row.tasks, row.episodes, row.errors, row.paired_tasks) == (0, 0, 1, 0)
    assert (row.success, row.steps, row.checkpoints, row.checkpoints_pooled) == (None, None, None, None)
    assert row.success_interval == Interval(0, 1)


def test_repeats_are_averaged_before_tasks_are_paired() -> None:
    """A task with nine repeats weighs no more than one with a single repeat."""
    many = [episode(0, c, c == "clean", stress_seed=seed) for c in ("clean", "remap@3") for seed in range(9)]
    row = rows(many + stressed({1: True}))["naive", "remap@3"]
    assert row.difference == -0.5
    assert (row.successes, row.episodes, row.tasks) == (1, 10, 2)
    assert row.success == 0.5


def test_clean_run_once_pairs_with_every_stress_seed() -> None:
    episodes = [
        episode(0, stress_seed=None),
        *(episode(0, "remap@3", seed == 0, stress_seed=seed) for seed in range(4)),
    ]
    assert rows(episodes)["naive", "remap@3"].difference == -0.75


def test_worlds_are_paired_with_themselves() -> None:
    """World 1 has only a stressed episode, as in an interrupted run, so it does not count."""
    episodes = [episode(0), episode(0, "remap@3"), episode(0, "remap@3", success=False, world_seed=1)]
    assert rows(episodes)["naive", "remap@3"].difference == 0


def test_two_checkpoint_rates() -> None:
    episodes = [
        episode(0, checkpoints_passed=2, checkpoints_total=2),
        episode(1, checkpoints_passed=2, checkpoints_total=8, success=False),
    ]
    (row,) = measure(episodes)
    assert row.checkpoints == pytest.approx((1 + 0.25) / 2)
    assert row.checkpoints_pooled == pytest.approx(4 / 10)


def test_claims_are_three_classes() -> None:
    cases = [("done", True), ("done", False), ("done", False), ("failed", True), ("failed", False), ("none", False)]
    (row,) = measure([episode(task, success=ok, claim=claim) for task, (claim, ok) in enumerate(cases)])
    assert row.claims == {
        "done": Verdicts(passed=1, failed=2),
        "failed": Verdicts(passed=1, failed=1),
        "none": Verdicts(passed=0, failed=1),
    }
    assert (row.claimed, row.successes, row.claim_ratio) == (3, 2, 1.5)
    assert row.false_success == pytest.approx(2 / 3)


def test_no_claim_has_no_false_success_rate() -> None:
    (row,) = measure([episode(claim="failed", success=False)])
    assert (row.claim_ratio, row.false_success, row.false_success_interval) == (None, None, None)


def test_unexposed_cells_count_in_success_and_show() -> None:
    row = rows([episode(0), episode(0, "remap@3", exposed={"remap": False}), *stressed({1: False})])["naive", "remap@3"]
    assert (row.exposed, row.exposable, row.success) == (1, 2, 0.5)


def test_harm_bypasses_faults_repeats_and_extra_steps() -> None:
    more = partial(episode, harmed=True, bypasses=2, site_faults=5, repeats=4, longest_repeat=3)
    episodes = [episode(0), more(0, "remap@3", steps=10)]
    row = rows(episodes)["naive", "remap@3"]
    assert (row.harmed, row.bypasses, row.site_faults, row.extra_steps) == (1, 2, 5, 3)
    assert (row.repeating, row.repeats, row.longest_repeat) == (1, 4, 3)


def test_holm_spans_the_conditions_of_one_agent() -> None:
    episodes = [episode(task, agent=agent) for task in range(8) for agent in ("naive", "other")]
    episodes += [
        episode(task, "remap@3", success=False, agent=agent) for task in range(8) for agent in ("naive", "other")
    ]
    episodes += [episode(task, "failure@3", success=task > 0) for task in range(8)]
    by_condition = rows(episodes)
    assert by_condition["naive", "remap@3"].p_value == pytest.approx(2 / 256)
    assert by_condition["naive", "remap@3"].p_holm == pytest.approx(4 / 256)
    assert by_condition["naive", "failure@3"].p_holm == 1
    assert by_condition["other", "remap@3"].p_holm == by_condition["other", "remap@3"].p_value
    assert by_condition["naive", "clean"].p_holm is None


def test_sham_is_no_comparison() -> None:
    """Sham disturbs nothing, so it must not raise the adjusted values of the others."""
    labels = ("clean", "sham", "remap@3")
    episodes = [episode(task, label, label != "remap@3", exposed=None) for task in range(8) for label in labels]
    by_condition = rows(episodes)
    assert (by_condition["naive", "sham"].p_value, by_condition["naive", "sham"].p_holm) == (1, None)
    assert by_condition["naive", "remap@3"].p_holm == by_condition["naive", "remap@3"].p_value == pytest.approx(2 / 256)


def test_a_crash_is_the_agents_failure() -> None:
    """Otherwise an agent that crashes only under stress would look better."""
    episodes = stressed(dict.fromkeys(range(12), False), status="crashed", claim="none")
    episodes = [
        each_episode.model_copy(update={"status": "done"}) if each_episode.condition == "clean" else each_episode
        for each_episode in episodes
    ]
    row = rows(episodes)["naive", "remap@3"]
    assert (row.episodes, row.errors, row.success, row.difference) == (12, 0, 0, -1)
    assert row.claims["none"] == Verdicts(passed=0, failed=12)


def test_a_rate_is_in_its_own_interval_where_errors_leave_few_episodes() -> None:
    """15 tasks at 5 of 5, and 15 with one failure and four errors: half of the tasks fail."""
    episodes = [episode(task, epoch=epoch) for task in range(15) for epoch in range(5)]
    episodes += [
        episode(task, success=False, epoch=epoch, status="error" if epoch else "done") for task in range(15, 30) for epoch in range(5)
    ]  # fmt: skip
    (row,) = measure(episodes)
    assert (row.successes, row.episodes, row.errors, row.success) == (75, 90, 60, 0.5)
    # The ends are those with all errors as failures, and with all as successes.
    worst, best = (rate_interval([1.0] * 15 + [rate] * 15) for rate in (0.0, 0.8))
    assert worst is not None
    assert best is not None
    assert row.success_interval == pytest.approx((worst.low, best.high))
    assert row.success_bounds == pytest.approx((0.5, 0.9))
    assert worst.low < 0.5 < best.high


def test_errors_leave_bounds_of_every_share() -> None:
    """Twelve tasks: six pass, three fail with a claim, two fail without one, and one is an error."""
    claims = ["done"] * 9 + ["failed"] * 2 + ["none"]
    episodes = [episode(task, epoch=0, stress_seed=None) for task in range(12)] + [
        episode(task, "remap@3", task < 6, claim=claim, status="error" if task == 11 else "done")
        for task, claim in enumerate(claims)
    ]
    row = rows(episodes)["naive", "remap@3"]
    assert row.success == pytest.approx(6 / 11)
    assert row.success_bounds == pytest.approx((6 / 12, 7 / 12))
    assert row.false_success == pytest.approx(3 / 9)
    assert row.false_success_bounds == pytest.approx((3 / 10, 4 / 10))
    assert row.retention == pytest.approx(6 / 11)
    assert row.retention_bounds == pytest.approx((6 / 12, 7 / 12))
    assert row.difference_bounds == pytest.approx((-6 / 12, -5 / 12))
    low, high = rate_interval([1.0] * 6 + [0.0] * 6), rate_interval([1.0] * 7 + [0.0] * 5)
    assert low is not None
    assert high is not None
    assert row.success_interval == pytest.approx((low.low, high.high))
    clean = rows(episodes)["naive", "clean"]
    assert (clean.success_bounds, clean.retention_bounds, clean.false_success_bounds) == (None, None, None)


@given(st.data())
@examples(100)
def test_bounds_and_intervals_hold_for_every_outcome_of_the_errors(data: st.DataObject) -> None:
    """With any outcome and claim in place of each error, figures are within the bounds of the run with errors."""
    outcome = st.tuples(st.booleans(), st.sampled_from(["done", "failed"]), st.booleans())
    cells = [(task, label, epoch) for task in range(6) for label in ("clean", "remap@3") for epoch in range(2)]
    whole, seen = [], []
    for task, label, epoch in cells:
        won, claim, error = data.draw(outcome)
        each_episode = episode(task, label, won, epoch=epoch, claim=claim, stress_seed=None if label == "clean" else 0)
        whole.append(each_episode)
        seen.append(each_episode.model_copy(update={"status": "error", "success": False}) if error else each_episode)
    for label in ("clean", "remap@3"):
        true, measured = (rows(episodes)["naive", label] for episodes in (whole, seen))
        for name in ("success", "false_success", "retention", "difference"):
            figure, bounds = getattr(true, name), getattr(measured, f"{name}_bounds")
            if figure is not None and bounds is not None:
                assert bounds.low - 1e-9 <= figure <= bounds.high + 1e-9, name


MANY = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 2), st.booleans(), st.sampled_from(["done", "error", "crashed"]), st.booleans()),
    min_size=1, max_size=60,
)  # fmt: skip


@given(MANY)
def test_every_estimate_lies_in_its_own_interval(cases: list[tuple[int, int, bool, str, bool]]) -> None:
    episodes = {
        (task, epoch, clean): episode(
            task, "clean" if clean else "remap@3", ok, epoch=epoch, status=status, stress_seed=None if clean else 0
        )
        for task, epoch, ok, status, clean in cases
    }
    for row in measure(episodes.values()):
        for estimate, interval in (
            (row.success, row.success_interval),
            (row.checkpoints, row.checkpoints_interval),
            (row.false_success, row.false_success_interval),
            (row.difference, row.difference_interval),
            (row.checkpoints_difference, row.checkpoints_difference_interval),
            (row.retention, row.retention_interval),
        ):
            if estimate is not None and interval is not None:
                assert interval.low - 1e-9 <= estimate <= interval.high + 1e-9
        if row.difference_bounds and row.difference is not None:
            assert row.difference_bounds.low <= row.difference_bounds.high


def test_repeats_of_a_task_do_not_narrow_its_interval() -> None:
    """Ten equal epochs carry no more information about other tasks than one."""
    once = measure([episode(task, success=task < 6) for task in range(12)])
    repeated = measure([episode(task, success=task < 6, epoch=epoch) for task in range(12) for epoch in range(10)])
    assert repeated[0].success_interval == once[0].success_interval
    assert repeated[0].false_success_interval == pytest.approx(once[0].false_success_interval)


def test_few_tasks_have_wilsons_interval_unless_they_were_repeated() -> None:
    (row,) = measure([episode(0), episode(1, success=False)])
    assert row.success_interval == row.false_success_interval == wilson(1, 2)
    (row,) = measure([episode(0), episode(0, epoch=1)])
    assert row.success_interval is row.false_success_interval is None


def test_pass_hat_k_is_there_wherever_there_are_repeats() -> None:
    """Of two tasks with two epochs, one succeeds only once. A task with one epoch left is excluded."""
    episodes = [episode(task, success=(task, epoch) != (1, 1), epoch=epoch) for task in range(2) for epoch in range(2)]
    (row,) = measure([*episodes, episode(2), episode(2, epoch=1, status="error")])
    assert (row.pass_k, row.pass_hat_k) == (2, 0.5)
    (row,) = measure([episode(0), episode(1)])
    assert (row.pass_k, row.pass_hat_k) == (None, None)


def test_exposure_is_counted_by_mode() -> None:
    """Noise alone was delivered: the episode is not exposed to failure."""
    label = "noise@2+failure@4"
    met = [{"noise": True, "failure": False}, {"noise": True, "failure": True}]
    row = rows([episode(task, label, exposed=exposed) for task, exposed in enumerate(met)])["naive", label]
    assert (row.exposed, row.exposable) == (1, 2)
    assert row.exposed_to == {"noise": 2, "failure": 1}


def test_disputes_are_counted() -> None:
    (row,) = measure([episode(0), episode(1, success=False, disputed=True)])
    assert (row.disputed, row.successes) == (1, 1)


def test_flips_of_clean_stand_in_every_row_of_the_agent() -> None:
    episodes = [episode(0, success=epoch == 0, epoch=epoch, stress_seed=None) for epoch in range(2)]
    episodes += [episode(0, "remap@3", epoch=epoch) for epoch in range(2)]
    assert [row.flip_rate for row in measure(episodes)] == [1, 1]


@given(st.permutations(stressed({task: task % 3 == 0 for task in range(5)}, stress_seed=1, steps=9)))
def test_order_of_episodes_changes_nothing(episodes: list[Graded]) -> None:
    expected = measure(stressed({task: task % 3 == 0 for task in range(5)}, stress_seed=1, steps=9))
    assert measure(episodes) == expected


def test_same_task_name_on_two_sites_is_two_tasks() -> None:
    assert measure([episode(0), episode(0, site="mail")])[0].tasks == 2


def unseen(task: int, condition: str = "clean", **changes: Any) -> Graded:
    """Return an episode with a claim but an unobserved outcome."""
    return episode(task, condition, success=False, undecided=True, checkpoints_passed=0, checkpoints_total=0, **changes)


def test_an_unobserved_outcome_is_in_no_rate_and_no_false_claim() -> None:
    seen = stressed({task: task < 3 for task in range(6)})
    row = rows([*seen, episode(6), unseen(6, "remap@3", unobserved=2, bypasses=1)])["naive", "remap@3"]
    without = rows(seen)["naive", "remap@3"]
    assert (row.undecided, row.errors, row.episodes, row.unobserved, row.bypasses) == (1, 0, 6, 2, 1)
    for figure in ("successes", "success", "claims", "claimed", "false_claims", "difference", "p_value", "checkpoints"):
        assert getattr(row, figure) == getattr(without, figure), figure
    # The outcome is unknown, so the bounds cover both.
    assert row.success_bounds == Interval(3 / 7, 4 / 7)
    assert row.difference_bounds == Interval(-4 / 7, -3 / 7)


def test_an_unobserved_clean_outcome_excludes_its_pair() -> None:
    row = rows([*stressed({0: True, 1: False}), unseen(2), episode(2, "remap@3")])["naive", "remap@3"]
    assert (row.episodes, row.paired_tasks, row.difference) == (3, 2, -1 / 2)


def test_without_any_observed_outcome_there_are_no_figures() -> None:
    row = rows([unseen(0), unseen(1)])["naive", "clean"]
    assert (row.undecided, row.episodes, row.success, row.false_success) == (2, 0, None, None)
