"""Two runs side by side: rates, differences over pairs, and all cells with different outcomes."""

from pathlib import Path

import pytest

from stressweb.report.page import in_order
from stressweb.report.source import cell_of
from stressweb.runner.registry import task_ids
from stressweb.runner.view.runs import RunContent, Runs
from stressweb.runner.view.side_by_side import SideBySide, agents_of, default_pairs, side_by_side
from tests.support.saved_runs import saved


def content(folder: Path) -> RunContent:
    return Runs(folder.parent).content(folder.name)


def compare(left: Path, right: Path) -> SideBySide:
    runs = content(left), content(right)
    return side_by_side(*runs, default_pairs(agents_of(runs[0]), agents_of(runs[1]), same_run=False))


def test_a_run_beside_itself_has_no_difference(folder: Path) -> None:
    comparison = compare(folder / "first", folder / "first")
    assert comparison.differences == ()
    assert (comparison.shared, comparison.only_left, comparison.only_right, comparison.changed) == (4, 0, 0, 0)
    assert [(row.condition, row.left, row.right, row.pairs, row.change) for row in comparison.rows] == [
        ("clean", 1.0, 1.0, 2, 0.0),
        ("remap@3", 0.0, 0.0, 2, 0.0),
    ]


def test_changes_are_counted_over_pairs_and_listed(tmp_path: Path) -> None:
    task, other_task = task_ids()[:2]
    left = saved(tmp_path / "left", lambda cell: cell.condition == "remap@3" and cell.task == task)
    right = saved(tmp_path / "right", lambda cell: cell.task == other_task)
    comparison = compare(left, right)
    clean, remap = comparison.rows
    assert (clean.left, clean.right, clean.lost, clean.gained, clean.change) == (1.0, 0.5, 1, 0, -0.5)
    assert (remap.left, remap.right, remap.lost, remap.gained, remap.change) == (0.5, 0.5, 1, 1, 0.0)
    assert [
        (difference.cell.task, difference.cell.condition, difference.left.verdict, difference.right.verdict)
        for difference in comparison.differences
    ] == [
        (other_task, "clean", "passed", "failed"),
        (other_task, "remap@3", "passed", "failed"),
        (task, "remap@3", "failed", "passed"),
    ]


def test_numbers_are_those_of_the_reports(tmp_path: Path) -> None:
    left, right = saved(tmp_path / "left"), saved(tmp_path / "right", lambda cell: True)
    comparison = compare(left, right)
    assert comparison.differences
    for difference in comparison.differences:
        for side, run in ((difference.left, left), (difference.right, right)):
            numbered = {cell_of(graded): number for number, graded in in_order(content(run).graded)}
            assert side.number == numbered[difference.cell]


def test_errors_and_missing_episodes_are_no_pairs(folder: Path) -> None:
    comparison = compare(folder / "first", folder / "second")
    # The second run has three episodes; the last one is an error.
    assert sum(row.pairs for row in comparison.rows) == 2
    assert {difference.right.verdict for difference in comparison.differences} >= {"error", None}
    assert [difference.right.verdict for difference in comparison.differences][-1] is None


def test_agents_are_paired_by_name_or_if_each_run_has_one(tmp_path: Path) -> None:
    left, right = saved(tmp_path / "left"), saved(tmp_path / "right", agents=("resilient",))
    comparison = compare(left, right)
    assert comparison.agents == {"naive": "resilient"}
    assert (comparison.shared, comparison.rows[0].pairs) == (4, 2)
    many = saved(tmp_path / "many", agents=("resilient", "wander"))
    comparison = compare(left, many)
    assert (comparison.agents, comparison.shared, comparison.only_left, comparison.only_right) == ({}, 0, 4, 8)
    assert [(row.agent, row.left_episodes, row.right_episodes) for row in comparison.rows][:3:2] == [
        ("naive", 2, 0),
        ("resilient", 0, 2),
    ]


def test_cells_that_are_not_the_same_are_marked(tmp_path: Path) -> None:
    left, right = saved(tmp_path / "left"), saved(tmp_path / "right", lambda cell: False)
    key = content(left).cells[1].key
    changed_run = saved(tmp_path / "other", lambda cell: False, identities={key: "another"})
    assert compare(left, right).changed == 0
    comparison = compare(left, changed_run)
    assert comparison.changed == 1
    assert [difference.changed for difference in comparison.differences if difference.cell.key == key] == [True]
    assert sum(difference.changed for difference in comparison.differences) == 1


@pytest.mark.parametrize(
    ("left", "right", "same_run", "expected"),
    [
        (["a"], ["b"], False, {"a": "b"}),
        (["a", "b"], ["b", "c"], False, {"b": "b"}),
        (["a", "b"], ["c"], False, {}),
        (["a", "b", "c"], ["a", "b", "c"], True, {"a": "b"}),
        (["a"], ["a"], True, {"a": "a"}),
    ],
)
def test_agents_are_paired_by_default(
    left: list[str], right: list[str], same_run: bool, expected: dict[str, str]
) -> None:
    assert default_pairs(left, right, same_run=same_run) == expected


def test_two_agents_of_one_run_are_compared(tmp_path: Path) -> None:
    run = content(
        saved(
            tmp_path / "run",
            lambda cell: cell.condition == "remap@3" and cell.agent == "naive",
            agents=("naive", "resilient"),
        )
    )
    comparison = side_by_side(run, run, {"naive": "resilient"}, only_pairs=True)
    assert (comparison.shared, comparison.only_left, comparison.only_right, comparison.changed) == (4, 0, 0, 0)
    assert [(row.agent, row.other, row.condition, row.left, row.right, row.change) for row in comparison.rows] == [
        ("naive", "resilient", "clean", 1.0, 1.0, 0.0),
        ("naive", "resilient", "remap@3", 0.0, 1.0, 1.0),
    ]
    assert [
        (difference.cell.agent, difference.other, difference.left.verdict, difference.right.verdict)
        for difference in comparison.differences
    ] == [("naive", "resilient", "failed", "passed")] * 2
    numbered = {cell_of(graded): number for number, graded in in_order(run.graded)}
    for difference in comparison.differences:
        assert difference.left.number == numbered[difference.cell]
        assert difference.right.number == numbered[difference.cell.model_copy(update={"agent": "resilient"})]


def test_any_agent_of_one_run_is_compared_with_any_of_another(tmp_path: Path) -> None:
    left = content(saved(tmp_path / "left", lambda cell: cell.agent == "naive", agents=("naive", "wander")))
    right = content(saved(tmp_path / "right", lambda cell: False, agents=("resilient", "wander")))
    crossed = side_by_side(left, right, {"naive": "wander", "wander": "wander"}, only_pairs=True)
    assert {(row.agent, row.other, row.lost, row.gained) for row in crossed.rows} == {
        ("naive", "wander", 0, 2),
        ("wander", "wander", 0, 0),
    }
    assert (crossed.shared, crossed.only_left, crossed.only_right) == (8, 0, 0)
    paired = side_by_side(left, right, {"naive": "resilient"}, only_pairs=True)
    assert {(row.agent, row.other) for row in paired.rows} == {("naive", "resilient")}
    assert (paired.shared, paired.only_left, paired.only_right) == (4, 0, 0)
