"""Comparison of two runs with chosen outcomes: the verdicts, and the excluded cells."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stressweb.analysis.comparison import COMPARABLE, Comparison, Planned, compare
from stressweb.analysis.comparison_text import brief, comparison_lines, sentence
from stressweb.analysis.margin import bound, margin
from stressweb.analysis.statistics import difference_interval, sign_flip
from stressweb.log.recording import Cell
from tests.examples import examples
from tests.stressweb.analysis.planned_runs import Outcomes, run
from tests.support.made_runs import identity, plan_of


def losing(tasks: int, condition: str = "remap@3") -> Outcomes:
    """Return outcomes in which the first `tasks` tasks fail under one condition."""
    names = plan_of(tasks=tasks).tasks
    return lambda cell: not (cell.condition == condition and cell.task in names)


def verdicts(comparison: Comparison) -> tuple[str, str]:
    return comparison.robustness.verdict, comparison.clean.verdict


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (losing(3), losing(3), ("unchanged", "unchanged")),
        (losing(0), losing(30), ("regressed", "unchanged")),
        (losing(30), losing(0), ("improved", "unchanged")),
        (losing(0), losing(2), ("non-inferior", "unchanged")),
        (losing(0), losing(6), ("regressed", "unchanged")),
        # Five of five tasks one way are p = .0625, and a mean of 8 points is within the margin of 30 tasks.
        (losing(0), losing(5), ("non-inferior", "unchanged")),
        # Success under stress is as before, so a loss under clean is no loss of robustness.
        (losing(0), losing(30, "clean"), ("improved", "regressed")),
        # Broken everywhere: stress costs no more than before, and the clean line regresses.
        (losing(0), lambda cell: False, ("non-inferior", "regressed")),
    ],
)
def test_each_verdict(before: Outcomes, after: Outcomes, words: tuple[str, str]) -> None:
    comparison = compare(run(before), run(after))
    assert verdicts(comparison) == words
    assert comparison.comparable
    assert comparison.regressed == ("regressed" in words)


def test_too_little_is_inconclusive() -> None:
    """Below five tasks there is no interval, and 12 tasks that change in both directions are inconclusive."""
    few = compare(run(plan=plan_of(tasks=4)), run(losing(2), plan_of(tasks=4)))
    assert (few.robustness.verdict, few.robustness.interval, few.robustness.margin) == ("inconclusive", None, None)
    plan = plan_of(tasks=12, conditions=("remap@3",))
    mixed = compare(run(losing(4), plan), run(lambda cell: cell.condition == "clean" or cell.task[-2:] < "05", plan))
    assert mixed.robustness.verdict == "inconclusive"
    assert mixed.robustness.p_value is not None
    assert mixed.robustness.p_value > 0.05
    assert "margin" in sentence(mixed.robustness)


def test_the_figures_are_those_of_the_statistics() -> None:
    """Six tasks lose one of two conditions: a change of -1/2 each, exact McNemar of 6 against 0."""
    line = compare(run(), run(losing(6))).robustness
    changes = [-0.5] * 6 + [0.0] * 24
    assert line.change == pytest.approx(-0.1)
    assert line.p_value == pytest.approx(stats.binomtest(6, 6).pvalue)
    # A change of robustness is between -2 and 2: twice the scale of a difference of rates.
    halved_interval = difference_interval([change / 2 for change in changes])
    assert halved_interval is not None
    assert line.interval == pytest.approx((2 * halved_interval.low, 2 * halved_interval.high))
    assert (line.cells, line.equal, line.tasks) == (90, 84, 30)
    assert line.margin == margin(30, 1, 2)
    assert line.sites_interval is None


def test_other_sites_are_a_second_estimand_from_five_sites_on() -> None:
    def placed(cells: Sequence[Planned]) -> list[Planned]:
        """Spread the tasks over six sites."""
        moved = []
        for planned in cells:
            site = f"site{int(planned.cell.task[-2:]) % 6}"
            assert planned.graded is not None
            task = f"{site}/{planned.cell.task.partition('/')[2]}"
            cell = planned.cell.model_copy(update={"task": task})
            moved.append(Planned(cell, identity(cell), planned.graded.model_copy(update={"task": task, "site": site})))
        return moved

    robustness = compare(placed(run()), placed(run(losing(30)))).robustness
    assert robustness.interval is not None
    assert robustness.sites_interval is not None
    # Six sites are a smaller sample than thirty tasks.
    assert robustness.sites_interval.high > robustness.interval.high
    assert "over sites" in sentence(robustness)


def test_each_condition_alone_is_shown_and_decides_nothing() -> None:
    comparison = compare(run(), run(losing(6)))
    assert {label: line.change for label, line in comparison.by_condition.items()} == {
        "remap@3": -0.2,
        "failure@3": 0.0,
    }
    assert "remap@3 −20, failure@3 0 (exploratory)" in "\n".join(comparison_lines(comparison))


def test_a_block_with_an_arm_that_failed_is_left_out_as_a_whole() -> None:
    (first,) = plan_of(tasks=1).tasks

    def one_error(cell: Cell) -> bool | None:
        return None if (cell.task, cell.condition) == (first, "failure@3") else losing(1)(cell)

    comparison = compare(run(), run(one_error))
    assert (comparison.blocks, comparison.complete, comparison.unfinished, comparison.unpaired) == (30, 29, 1, 0)
    # Its other arms are not compared either, but their failure is still listed.
    assert comparison.robustness.verdict == "unchanged"
    assert [cell.task for cell in comparison.failing] == [first]


@pytest.mark.parametrize("missing", [3, 4])
def test_below_nine_tenths_there_is_no_verdict(missing: int) -> None:
    def stopped(cell: Cell) -> bool | None:
        return None if cell.task[-2:] < f"{missing:02d}" else True

    comparison = compare(run(), run(stopped))
    assert comparison.complete == 30 - missing
    assert comparison.comparable == (missing == 3)
    assert (verdicts(comparison) == ("not comparable", "not comparable")) == (missing == 4)
    assert (COMPARABLE, not comparison.regressed) == (0.9, True)
    if missing == 4:
        assert "4 of 30 blocks are not finished" in comparison_lines(comparison)[-1]
        assert all(line.verdict == "not comparable" for line in comparison.by_condition.values())


def test_cells_that_changed_are_no_pairs() -> None:
    comparison = compare(run(), run(losing(30), remap="2"))
    assert (comparison.complete, comparison.unpaired) == (0, 30)
    assert verdicts(comparison) == ("not comparable", "not comparable")
    assert "record a new baseline" in comparison_lines(comparison)[-1]


def test_a_condition_of_the_new_run_alone_is_left_out_and_named() -> None:
    comparison = compare(run(plan=plan_of(conditions=("remap@3",))), run(losing(30)))
    assert (comparison.conditions, comparison.left_out) == (("remap@3",), ("failure@3",))
    assert comparison.robustness.change == -1
    assert "not in the baseline, so not compared: failure@3" in comparison_lines(comparison)[-1]


def test_nothing_disturbed_is_not_comparable() -> None:
    comparison = compare(run(plan=plan_of(conditions=("noise@3",))), run(plan=plan_of(conditions=("popup@3",))))
    assert not comparison.comparable
    assert "no disturbed condition is in both runs" in "\n".join(comparison_lines(comparison))


def test_another_epoch_and_another_stress_seed_are_other_cells() -> None:
    comparison = compare(run(plan=plan_of(stress=(0,))), run(plan=plan_of(stress=(1,))))
    assert (comparison.complete, comparison.unpaired) == (0, 30)
    more = compare(run(plan=plan_of(epochs=1)), run(plan=plan_of(epochs=2)))
    assert (more.blocks, more.complete, more.unpaired) == (60, 30, 30)


def test_a_run_without_identities_has_no_pairs() -> None:
    unknown = [planned._replace(identity="") for planned in run()]
    assert compare(unknown, unknown).complete == 0


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=6, max_size=20), st.data())
@examples(80)
def test_a_run_against_itself_is_unchanged_and_the_reverse_mirrors(
    outcomes: list[tuple[bool, bool, bool]], data: st.DataObject
) -> None:
    plan = plan_of(tasks=len(outcomes))
    labels = [str(condition) for condition in plan.conditions]
    others = data.draw(st.permutations(outcomes))

    def of(drawn: Sequence[tuple[bool, bool, bool]]) -> Outcomes:
        return lambda cell: drawn[int(cell.task[-2:])][labels.index(cell.condition)]

    first, second = run(of(outcomes), plan), run(of(others), plan)
    assert verdicts(compare(first, first)) == ("unchanged", "unchanged")
    forward, backward = compare(first, second), compare(second, first)
    assert forward.robustness.change == pytest.approx(-(backward.robustness.change or 0))
    assert forward.robustness.p_value == pytest.approx(backward.robustness.p_value)
    mirrored = {"regressed": "improved", "improved": "regressed", "unchanged": "unchanged"}
    if forward.robustness.verdict in mirrored:
        assert backward.robustness.verdict == mirrored[forward.robustness.verdict]
    values = [
        sum(a - b for a, b in zip(after[1:], before[1:], strict=True)) / 2 - (after[0] - before[0])
        for before, after in zip(outcomes, others, strict=True)
    ]
    assert forward.robustness.p_value == pytest.approx(sign_flip(values))


def test_the_sentence_for_a_line() -> None:
    robustness = compare(run(), run(losing(6))).robustness
    assert sentence(robustness).startswith("regressed: −10 points [")
    assert brief(robustness).startswith("regressed −10 [")
    assert (bound(0.3001), bound(0.3), bound(None)) == ("31", "30", "none")
