"""Each night has its tasks, and all tasks take turns."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from stressweb.runner.nightly.rotation import tonight


@given(st.integers(1, 90), st.integers(1, 40), st.integers(0, 500))
def test_all_tasks_come_up_equally_often(count: int, size: int, first: int) -> None:
    tasks = [f"shop/task-{number}" for number in range(count)]
    nights = [tonight(tasks, size, first + night) for night in range(count)]
    assert all(len(set(night)) == len(night) == min(size, count) for night in nights)
    assert all([*night] == [task for task in tasks if task in night] for night in nights)
    turns = Counter(task for night in nights for task in night)
    assert set(turns.values()) == {min(size, count)}
    assert set().union(*nights[: -(-count // size)]) == set(tasks)


def test_a_night_is_the_same_everywhere_and_another_one_differs() -> None:
    tasks = [f"shop/task-{number}" for number in range(60)]
    assert tonight(tasks, 30, 4) == tonight(tasks, 30, 4)
    assert set(tonight(tasks, 30, 4)) == set(tonight(tasks[::-1], 30, 4))
    assert set(tonight(tasks, 30, 4)) == set(tasks) - set(tonight(tasks, 30, 5))
    assert tonight(tasks, 6, 0) != tuple(tasks[:6])
