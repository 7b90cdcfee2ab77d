"""Two runs side by side: rates, differences over pairs, and every cell that ended otherwise."""

from pathlib import Path

import pytest

from runner.registry import task_ids
from runner.view.runs import RunContent, Runs
from runner.view.side_by_side import SideBySide, agents_of, default_pairs, side_by_side
from stressweb.report.page import in_order
from stressweb.report.source import cell_of
from tests.runner.view.conftest import saved


def content(folder: Path) -> RunContent:
    return Runs(folder.parent).content(folder.name)


def both(left: Path, right: Path) -> SideBySide:
    runs = content(left), content(right)
    return side_by_side(*runs, default_pairs(agents_of(runs[0]), agents_of(runs[1]), same_run=False))


def test_a_run_beside_itself_has_no_difference(folder: Path) -> None:
    found = both(folder / "first", folder / "first")
    assert found.differences == ()
    assert (found.shared, found.only_left, found.only_right, found.changed) == (4, 0, 0, 0)
    assert [(row.condition, row.left, row.right, row.pairs, row.change) for row in found.rows] == [
        ("clean", 1.0, 1.0, 2, 0.0),
        ("remap@3", 0.0, 0.0, 2, 0.0),
    ]


def test_what_changed_is_counted_over_pairs_and_listed(tmp_path: Path) -> None:
    task, other = task_ids()[:2]
    left = saved(tmp_path / "left", lambda cell: cell.condition == "remap@3" and cell.task == task)
    right = saved(tmp_path / "right", lambda cell: cell.task == other)
    found = both(left, right)
    clean, remap = found.rows
    assert (clean.left, clean.right, clean.lost, clean.gained, clean.change) == (1.0, 0.5, 1, 0, -0.5)
    assert (remap.left, remap.right, remap.lost, remap.gained, remap.change) == (0.5, 0.5, 1, 1, 0.0)
    assert [(one.cell.task, one.cell.condition, one.left.verdict, one.right.verdict) for one in found.differences] == [
        (other, "clean", "passed", "failed"),
        (other, "remap@3", "passed", "failed"),
        (task, "remap@3", "failed", "passed"),
    ]


def test_numbers_are_those_of_the_reports(tmp_path: Path) -> None:
    left, right = saved(tmp_path / "left"), saved(tmp_path / "right", lambda cell: True)
    found = both(left, right)
    assert found.differences
    for one in found.differences:
        for side, run in ((one.left, left), (one.right, right)):
            numbered = {cell_of(graded): number for number, graded in in_order(content(run).graded)}
            assert side.number == numbered[one.cell]


def test_errors_and_missing_episodes_are_no_pairs(folder: Path) -> None:
    found = both(folder / "first", folder / "second")
    # The second run has three episodes, the last of which is an error.
    assert sum(row.pairs for row in found.rows) == 2
    assert {one.right.verdict for one in found.differences} >= {"error", None}
    assert [one.right.verdict for one in found.differences][-1] is None


def test_agents_are_paired_by_name_or_if_each_run_has_one(tmp_path: Path) -> None:
    left, right = saved(tmp_path / "left"), saved(tmp_path / "right", agents=("resilient",))
    found = both(left, right)
    assert found.agents == {"naive": "resilient"}
    assert (found.shared, found.rows[0].pairs) == (4, 2)
    many = saved(tmp_path / "many", agents=("resilient", "wander"))
    found = both(left, many)
    assert (found.agents, found.shared, found.only_left, found.only_right) == ({}, 0, 4, 8)
    assert [(row.agent, row.left_episodes, row.right_episodes) for row in found.rows][:3:2] == [
        ("naive", 2, 0),
        ("resilient", 0, 2),
    ]


def test_cells_that_are_not_the_same_are_marked(tmp_path: Path) -> None:
    left, right = saved(tmp_path / "left"), saved(tmp_path / "right", lambda cell: False)
    key = content(left).cells[1].key
    other = saved(tmp_path / "other", lambda cell: False, identities={key: "another"})
    assert both(left, right).changed == 0
    found = both(left, other)
    assert found.changed == 1
    assert [one.changed for one in found.differences if one.cell.key == key] == [True]
    assert sum(one.changed for one in found.differences) == 1


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
def test_agents_are_paired_without_being_asked(
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
    found = side_by_side(run, run, {"naive": "resilient"}, only_pairs=True)
    assert (found.shared, found.only_left, found.only_right, found.changed) == (4, 0, 0, 0)
    assert [(row.agent, row.other, row.condition, row.left, row.right, row.change) for row in found.rows] == [
        ("naive", "resilient", "clean", 1.0, 1.0, 0.0),
        ("naive", "resilient", "remap@3", 0.0, 1.0, 1.0),
    ]
    assert [(one.cell.agent, one.other, one.left.verdict, one.right.verdict) for one in found.differences] == [
        ("naive", "resilient", "failed", "passed")
    ] * 2
    numbered = {cell_of(graded): number for number, graded in in_order(run.graded)}
    for one in found.differences:
        assert one.left.number == numbered[one.cell]
        assert one.right.number == numbered[one.cell.model_copy(update={"agent": "resilient"})]


def test_any_agent_of_one_run_is_compared_with_any_of_another(tmp_path: Path) -> None:
    left = content(saved(tmp_path / "left", lambda cell: cell.agent == "naive", agents=("naive", "wander")))
    right = content(saved(tmp_path / "right", lambda cell: False, agents=("resilient", "wander")))
    crossed = side_by_side(left, right, {"naive": "wander", "wander": "wander"}, only_pairs=True)
    assert {(row.agent, row.other, row.lost, row.gained) for row in crossed.rows} == {
        ("naive", "wander", 0, 2),
        ("wander", "wander", 0, 0),
    }
    assert (crossed.shared, crossed.only_left, crossed.only_right) == (8, 0, 0)
    one = side_by_side(left, right, {"naive": "resilient"}, only_pairs=True)
    assert {(row.agent, row.other) for row in one.rows} == {("naive", "resilient")}
    assert (one.shared, one.only_left, one.only_right) == (4, 0, 0)
