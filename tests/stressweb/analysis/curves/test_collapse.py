"""How failures go, beside the clean successes of their task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.curves.collapse import WAYS, Collapse, collapse, way
from stressweb.analysis.graded import Graded
from tests.stressweb.analysis.curves.making import at


def sorted_out(stressed: list[Graded], clean: list[Graded] | None = None) -> Collapse:
    found = collapse("naive", "remap@3", clean or [at(task, "clean", True, steps=12) for task in range(9)], stressed)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("steps", "success", "expected"),
    [
        (8, False, "early collapse"),
        (9, False, "other failure"),
        (17, False, "other failure"),
        (18, False, "inefficient exploration"),
        (8, True, "success"),
        (18, True, "costly success"),
    ],
)
def test_an_episode_goes_one_way(steps: int, success: bool, expected: str) -> None:
    found = sorted_out([at(0, "remap@3", success, steps=steps)])
    assert {one.way: one.share for one in found.shares} == {way: float(way == expected) for way in WAYS}
    assert found.steps_ratio == steps / 12


def test_tasks_without_a_clean_success_are_left_out() -> None:
    clean = [at(0, "clean", True, steps=12), at(1, "clean", False, steps=3), at(2, "clean", True, status="error")]
    found = sorted_out([at(task, "remap@3", False, steps=6) for task in range(4)], clean)
    assert (found.tasks, found.episodes, found.left_out) == (1, 1, 3)
    assert collapse("naive", "remap@3", clean[1:], [at(0, "remap@3", False)]) is None


def test_steps_are_those_of_the_same_world() -> None:
    clean = [at(0, "clean", True, steps=10, world_seed=0), at(0, "clean", True, steps=40, world_seed=1)]
    stressed = [at(0, "remap@3", False, steps=20, world_seed=world) for world in (0, 1)]
    shares = {one.way: one.share for one in sorted_out(stressed, clean).shares}
    assert (shares["inefficient exploration"], shares["early collapse"]) == (0.5, 0.5)


def test_repeats_stand_beside_those_of_clean() -> None:
    clean = [at(0, "clean", True, repeats=1), at(0, "clean", False, repeats=50, epoch=1)]
    found = sorted_out([at(0, "remap@3", False, repeats=8, epoch=epoch) for epoch in (0, 1)], clean)
    assert (found.repeats, found.clean_repeats) == (8, 1)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 100), st.booleans()), min_size=1, max_size=30))
def test_shares_add_up_to_one(ends: list[tuple[int, int, bool]]) -> None:
    found = sorted_out([at(task, "remap@3", ok, steps=n, epoch=e) for e, (task, n, ok) in enumerate(ends)])
    assert sum(one.share for one in found.shares) == pytest.approx(1)
    assert [one.way for one in found.shares] == list(WAYS)


@given(st.floats(0, 10), st.booleans())
def test_success_is_never_a_failure(ratio: float, success: bool) -> None:
    assert ("success" in way(ratio, success=success)) == success
