"""Testers' figures: alarms, missed failures, and the effect of conditions."""

import pytest

from stressweb.analysis.columns import by_kind, columns
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.remarks import remarks
from stressweb.analysis.tester_figures import VerdictFigures, missing_verdicts_as_fails
from stressweb.core.verdict import Outcome, Truth
from stressweb.report.verdicts import verdicts_sentence
from tests.stressweb.analysis.printed_tables import printed
from tests.support.graded_episodes import episode
from tests.support.judged_cases import FAILING, PASSING, judged


def figures(*episodes: Graded) -> list[VerdictFigures]:
    return [row.testing for row in measure(episodes) if row.testing]


def test_every_cell_of_the_matrix_is_counted() -> None:
    (clean,) = figures(
        judged(0, PASSING, None), judged(1, PASSING, 2), judged(2, PASSING, "none"),
        judged(3, FAILING, None), judged(4, FAILING, 1), judged(5, FAILING, 3), judged(6, FAILING, 3),
        judged(7, FAILING, 5), judged(8, FAILING, "none"),
    )  # fmt: skip
    assert (clean.passing, clean.failing, clean.no_verdict, clean.right) == (3, 6, 2, 3)
    assert (clean.false_alarms, clean.missed) == (1, 1)
    assert clean.false_alarm_rate == pytest.approx(1 / 3)
    assert clean.specificity == pytest.approx(1 / 3), "no verdict is no alarm, and not right either"
    assert clean.sensitivity == pytest.approx(4 / 6)
    assert clean.true_sensitivity == pytest.approx(2 / 6)
    assert clean.true_accuracy == pytest.approx(3 / 9)
    assert clean.accuracy == pytest.approx(5 / 9)
    assert clean.balanced_accuracy == pytest.approx((1 / 3 + 4 / 6) / 2)
    # Of five: four alarms, and the episode without a verdict, which counts as an alarm at a wrong step.
    assert (clean.early, clean.late, clean.misplaced) == pytest.approx((2 / 5, 2 / 5, 3 / 5))


def test_every_measure_has_an_interval_of_its_own() -> None:
    steps = [1, 1, 1, 1, 1, 2, 3, 3, 3, 5, None, None]
    episodes = [judged(20 + number, FAILING, step) for number, step in enumerate(steps)]
    episodes += [judged(number, PASSING, 2 if number < 2 else None) for number in range(9)]
    (clean,) = figures(*episodes)
    rates = ("accuracy", "specificity", "sensitivity", "true_sensitivity", "true_accuracy", "balanced_accuracy",
             "early", "late", "misplaced")  # fmt: skip
    for name in rates:
        interval = getattr(clean, f"{name}_interval")
        assert interval is not None, name
        assert interval.low < getattr(clean, name) < interval.high, name
    assert clean.early_interval != clean.late_interval != clean.misplaced_interval
    (few,) = figures(*episodes[:4])
    assert (few.early, few.early_interval) == (1, None), "four families are too few"


def test_without_a_case_of_its_kind_a_rate_is_unknown_and_not_0() -> None:
    (clean,) = figures(judged(0, FAILING, 3), judged(1, FAILING, None))
    assert (clean.specificity, clean.false_alarm_rate, clean.balanced_accuracy) == (None, None, None)
    (clean,) = figures(judged(0, PASSING, None))
    assert (clean.sensitivity, clean.true_sensitivity, clean.misplaced) == (None, None, None)


def test_alarms_and_misses_at_a_disturbed_step_are_counted_separately() -> None:
    (clean,) = figures(
        judged(0, PASSING, 2, disturbed_steps=(2, 4)), judged(1, PASSING, 2, disturbed_steps=(1, 3)),
        judged(2, FAILING, None, disturbed_steps=(3,)), judged(3, FAILING, None, disturbed_steps=(2,)),
        judged(4, PASSING, None, disturbed_steps=(1, 2)),
    )  # fmt: skip
    assert (clean.false_alarms, clean.disturbed_alarms) == (2, 1)
    assert (clean.missed, clean.disturbed_misses) == (2, 1)


def test_right_verdicts_without_proof_are_counted_and_shown() -> None:
    vacuous = [judged(0, PASSING, None, grounded=False), judged(1, FAILING, 3, grounded=False)]
    # A wrong verdict is not vacuous, nor is a right one on a case without checks.
    other = [judged(2, PASSING, 2, grounded=False), judged(3, PASSING, None, grounded=None), judged(4, PASSING, None)]
    (clean,) = figures(*vacuous, *other)
    assert (clean.vacuous, clean.right) == (2, 4)
    for episodes, cell in ((vacuous + other, "2"), (other, None)):
        (row,) = measure(episodes)
        cells = {column.wide: column.cell(row) for column in columns([row])}
        assert cells.get("vacuous") == cell
        assert ("vacuous" in printed(episodes, 200)) is (cell is not None)


def test_bugs_that_stress_hides_have_a_column_where_there_are_any() -> None:
    def missed(name: str, *disturbed: int, step: int | None = None) -> Graded:
        return judged(0, FAILING, step, "failure@3", task=f"cases/shop/{name}", disturbed_steps=disturbed)

    hidden = missed("checkout#B1", 2, 3)
    others = [
        missed("checkout#F1", 3),
        missed("cart#B1", 2),
        missed("wish#B1", 3, step=3),
        missed("look#B1", 3, step=1),
    ]
    (row,), (without,) = measure([hidden, *others]), measure(others)
    assert row.testing is not None
    assert (row.testing.missed, row.testing.disturbed_misses, row.testing.hidden_bugs) == (3, 2, 1)
    (column,) = [column for column in columns([row]) if column.wide == "hidden bugs"]
    assert (column.cell(row), column.colour(row)) == ("1", "yellow")
    assert (column.cell(without), column.colour(without)) == ("0", "")
    assert "hidden bugs" not in [column.wide for column in columns([without])]


def test_false_alarms_under_remap_may_be_right() -> None:
    def rows(condition: str, step: int | None = 2) -> list[str]:
        exposed = {applied.split("@")[0]: True for applied in condition.split("+")}
        return remarks(measure([judged(0, PASSING, step, condition, exposed=exposed)]))

    for condition in ("remap@3", "remap_explicit@1", "remap@3+failure@2"):
        (remark,) = [line for line in rows(condition) if line.startswith("Under remap")]
        assert remark.endswith(f"apart from other modes: naive {condition} 1.")
    unmet = judged(0, PASSING, 1, "remap@3", exposed={"remap": False})
    assert not any(line.startswith("Under remap") for line in remarks(measure([unmet]))), "it remapped nothing"
    assert not any("remap" in line for line in [*rows("failure@3"), *rows("remap@3", None)])
    assert not any(line.startswith("Under remap") for line in remarks(measure([episode(0, "remap@3", False)])))


def test_a_condition_is_compared_with_clean_over_the_same_cases() -> None:
    episodes = [judged(number, PASSING, None) for number in range(6)]
    episodes += [judged(number, PASSING, 1 if number < 3 else None, "failure@3") for number in range(6)]
    # Without a clean partner it is in no difference.
    episodes += [judged(9, PASSING, 1, "failure@3")]
    episodes += [judged(number, FAILING, 3) for number in range(10, 16)]
    episodes += [judged(number, FAILING, 2, "failure@3") for number in range(10, 16)]
    clean, failure = figures(*episodes)
    assert clean.false_alarm_difference is None
    assert failure.false_alarm_difference == pytest.approx(0.5)
    assert failure.false_alarm_difference_interval is not None
    assert failure.false_alarm_difference_interval.low < 0.5 < failure.false_alarm_difference_interval.high
    assert failure.true_sensitivity_difference == -1


def test_an_infrastructure_error_is_in_no_rate() -> None:
    nothing = {"status": "error", "tester_verdict": None, "truth": None, "judged": "", "success": False}
    lost = judged(1, PASSING, None).model_copy(update=nothing)
    (row,) = measure([judged(0, PASSING, None), lost])
    assert (row.episodes, row.errors) == (1, 1)
    assert row.testing is not None
    assert (row.testing.passing, row.testing.specificity) == (1, 1)


def test_actions_ahead_of_the_script_have_a_column_where_there_are_any() -> None:
    known = [judged(0, PASSING, None, ahead=2), judged(1, PASSING, None, ahead=1), judged(2, PASSING, None, ahead=0)]
    words = judged(3, PASSING, None)
    assert [
        figures_row.ahead for figures_row in (figures(*known, words)[0], figures(known[2])[0], figures(words)[0])
    ] == [3, 0, None]
    for episodes, has_column in ((known, True), (known[2:], False), ([words], False)):
        by_name = {column.wide: column for column in columns(measure(episodes))}
        assert ("ahead" in by_name) is has_column
    column = next(column for column in columns(measure(known)) if column.wide == "ahead")
    rows = [measure(own)[0] for own in (known, known[2:], [words])]
    cells = [(column.cell(row), column.colour(row)) for row in rows]
    assert cells == [("3", "yellow"), ("0", ""), ("n/a", "")]


def test_tasks_and_test_cases_of_one_agent_have_rows_and_columns_of_their_own() -> None:
    episodes = [episode(0), episode(0, "remap@3", False), judged(0, PASSING, 2), judged(0, PASSING, None, "remap@3")]
    rows = measure(episodes)
    tasks, cases = by_kind(rows)
    assert [row.testing is None for row in (*tasks, *cases)] == [True, True, False, False]
    assert "false claims" in [column.wide for column in columns(tasks)]
    assert "false claims" not in [column.wide for column in columns(cases)]
    text = printed(episodes, 80)
    assert "false claims" in text
    assert "false alarms" in text


def test_stability_is_the_share_of_equal_repeats() -> None:
    same = [judged(0, FAILING, 2, epoch=epoch) for epoch in range(2)]
    unstable = [judged(1, FAILING, step, epoch=epoch) for epoch, step in enumerate((2, 3))]
    assert figures(*same)[0].stability == 1
    assert figures(*same, *unstable)[0].stability == pytest.approx(0.5)
    assert figures(judged(0, FAILING, 2))[0].stability is None


def test_a_case_without_a_stated_truth_is_in_no_rate() -> None:
    unknown = Truth(verdict="unknown")
    episodes = [judged(1, PASSING, 2), judged(2, unknown, None), judged(3, unknown, 1)]
    (row,) = measure(episodes)
    assert row.testing is not None
    assert (row.undecided, row.testing.passing, row.testing.failing, row.testing.false_alarm_rate) == (2, 1, 0, 1.0)
    assert f"Episodes whose test case has no stated truth, left out of every rate: {row.agent} clean 2." in remarks(
        [row]
    )
    # For tasks, the remark is about unobserved outcomes.
    unseen = episode(condition="clean", success=False).model_copy(update={"undecided": True})
    (row_unseen,) = measure([unseen])
    assert f"Episodes whose outcome was not observed, left out of every rate: {row_unseen.agent} clean 1." in remarks(
        [row_unseen]
    )


def test_the_matrix_has_every_episode_once() -> None:
    (clean,) = figures(judged(0, PASSING, 2), judged(1, FAILING, 1), judged(2, FAILING, 3), judged(3, FAILING, "none"))
    assert clean.outcomes == {
        Outcome.FP: 1, Outcome.AFB: 1, Outcome.AFC: 1, Outcome.FAILING_WITHOUT_VERDICT: 1,
    }  # fmt: skip
    assert sum(clean.outcomes.values()) == clean.passing + clean.failing


def test_the_verdicts_sentence_counts_a_testers_errors() -> None:
    episodes = [judged(0, PASSING, 2), judged(1, FAILING, 1), judged(2, FAILING, 3), judged(3, FAILING, "none")]
    text = verdicts_sentence("retry", "without stress", measure([*episodes, judged(4, FAILING, None)]))
    assert text == (
        "retry judged 5 test cases without stress, 1 rightly; 1 false alarm, 1 failure missed, 1 failure at a wrong "
        "step, 1 without a verdict."
    )
    assert verdicts_sentence("oracle", "under remap@3", measure([judged(0, PASSING, None)])) == (
        "oracle judged 1 test case under remap@3, all rightly."
    )
    assert verdicts_sentence("naive", "under remap@3", measure([episode(0)])) == ""


def test_missing_verdicts_as_fails_count_as_the_paper_does() -> None:
    """Without a verdict, a case fails at the last step of its episode: here at step 2."""
    at_2 = Truth(verdict="fail", step=2, cause="assertion")
    silent = [judged(0, PASSING, "none"), judged(1, FAILING, "none"), judged(2, at_2, "none")]
    spoken = [judged(3, PASSING, None), judged(4, FAILING, 3), episode(5)]
    counted = missing_verdicts_as_fails([*silent, *spoken])
    assert [each_episode.judged for each_episode in counted[:3]] == ["FP", "AFB", "AFC"]
    assert [each_episode.success for each_episode in counted[:3]] == [False, False, True]
    assert counted[3:] == spoken
    (before,), (after,) = figures(*silent), figures(*counted[:3])
    assert (before.no_verdict, after.no_verdict) == (3, 0)
    assert (before.sensitivity, after.sensitivity) == (0, 1)
