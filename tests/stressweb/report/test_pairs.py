"""The paired plot has every task of both arms."""

from stressweb.analysis.measures import measure
from stressweb.report.pairs import ENDS, pairs
from tests.support.small_reports import recorded, standard


def test_a_figure_for_each_agent_and_a_panel_for_each_condition() -> None:
    episodes = [graded for graded, _ in standard()] + [recorded(task="shop/task-0", condition="noise@3")[0]]
    naive, resilient = pairs(measure(episodes), episodes)
    assert [chart.title.rpartition(" ")[2] for chart in (naive, resilient)] == ["naive", "resilient"]
    assert len(naive.spec["data"]) == 2 * (1 + len(ENDS))
    assert len(resilient.spec["data"]) == 1 + len(ENDS)


def test_marks_stand_at_the_checkpoints_that_held() -> None:
    episodes = [graded for graded, _ in standard()]
    naive, _ = pairs(measure(episodes), episodes)
    links, clean, succeeded, mixed, failed = naive.spec["data"]
    tasks = ["shop/task-0", "shop/task-1", "shop/task-2"]
    assert (clean["x"], clean["y"]) == ([100.0] * 3, tasks)
    assert (failed["x"], failed["y"]) == ([50.0] * 3, tasks)
    assert succeeded["x"] == mixed["x"] == []
    assert links["x"] == [100.0, 50.0, None] * 3
    assert links["y"] == [part for task in tasks for part in (task, task, None)]


def test_repeats_that_disagree_are_marked_apart() -> None:
    episodes = [
        recorded(condition=label, epoch=epoch, success=label == "clean" or epoch == 0)[0]
        for label in ("clean", "remap@3")
        for epoch in (0, 1)
    ]
    (chart,) = pairs(measure(episodes), episodes)
    *_, mixed, failed = chart.spec["data"]
    assert (mixed["x"], failed["x"]) == ([75.0], [])


def test_a_task_without_its_clean_arm_is_not_drawn() -> None:
    episodes = [graded for graded, _ in standard()] + [recorded(task="shop/lonely")[0]]
    naive, _ = pairs(measure(episodes), episodes)
    assert "shop/lonely" not in [task for trace in naive.spec["data"] for task in trace["y"]]
    single = [recorded()[0]]
    assert pairs(measure(single), single) == []
