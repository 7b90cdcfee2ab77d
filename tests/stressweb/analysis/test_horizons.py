"""Success by the number of tasks in a chain: each condition is a row, each length a column."""

from stressweb.analysis.graded import Graded
from stressweb.analysis.horizons import horizon_lines
from tests.support.graded_episodes import episode


def run(lost: tuple[str, int] = ("", 0)) -> list[Graded]:
    """Return a run of chains of one, two and four tasks; all episodes of one condition and length are errors."""
    return [
        episode(10 * horizon + task, label, task == 0, horizon=horizon, status="error" if (label, horizon) == lost else "done")
        for label in ("remap@3", "clean")
        for horizon in (1, 2, 4)
        for task in range(3)
    ]  # fmt: skip


def test_clean_comes_first_and_columns_go_from_short_to_long() -> None:
    assert horizon_lines(run()) == [
        "tasks in a chain    1    2    4",
        "clean             1/3  1/3  1/3",
        "remap@3           1/3  1/3  1/3",
    ]
    assert horizon_lines([each_episode for each_episode in run() if each_episode.horizon == 1]) == []


def test_a_length_with_only_errors_keeps_its_column() -> None:
    assert horizon_lines(run(("remap@3", 4)))[-1] == "remap@3           1/3  1/3  0/0"
    alone = [
        each_episode
        for each_episode in run(("remap@3", 4))
        if each_episode.condition == "remap@3" and each_episode.horizon == 4
    ]
    assert horizon_lines(alone) == ["tasks in a chain    4", "remap@3           0/0"]
