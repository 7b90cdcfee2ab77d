"""Ways of failing, relative to the clean successes of the same task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.curves.collapse import WAYS, Collapse, collapse, way
from stressweb.analysis.graded import Graded
from tests.stressweb.analysis.curves.small_runs import site_episode


def collapse_of(stressed: list[Graded], clean: list[Graded] | None = None) -> Collapse:
    collapsed = collapse(
        "naive", "remap@3", clean or [site_episode(task, "clean", True, steps=12) for task in range(9)], stressed
    )
    assert collapsed is not None
    return collapsed


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
    collapsed = collapse_of([site_episode(0, "remap@3", success, steps=steps)])
    assert {share.way: share.share for share in collapsed.shares} == {way: float(way == expected) for way in WAYS}
    assert collapsed.steps_ratio == steps / 12


def test_tasks_without_a_clean_success_are_left_out() -> None:
    clean = [
        site_episode(0, "clean", True, steps=12),
        site_episode(1, "clean", False, steps=3),
        site_episode(2, "clean", True, status="error"),
    ]
    collapsed = collapse_of([site_episode(task, "remap@3", False, steps=6) for task in range(4)], clean)
    assert (collapsed.tasks, collapsed.episodes, collapsed.left_out) == (1, 1, 3)
    assert collapse("naive", "remap@3", clean[1:], [site_episode(0, "remap@3", False)]) is None


def test_steps_are_those_of_the_same_world() -> None:
    clean = [
        site_episode(0, "clean", True, steps=10, world_seed=0),
        site_episode(0, "clean", True, steps=40, world_seed=1),
    ]
    stressed = [site_episode(0, "remap@3", False, steps=20, world_seed=world) for world in (0, 1)]
    shares = {share.way: share.share for share in collapse_of(stressed, clean).shares}
    assert (shares["inefficient exploration"], shares["early collapse"]) == (0.5, 0.5)


def test_repeats_are_compared_with_those_of_clean() -> None:
    clean = [site_episode(0, "clean", True, repeats=1), site_episode(0, "clean", False, repeats=50, epoch=1)]
    collapsed = collapse_of([site_episode(0, "remap@3", False, repeats=8, epoch=epoch) for epoch in (0, 1)], clean)
    assert (collapsed.repeats, collapsed.clean_repeats) == (8, 1)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 100), st.booleans()), min_size=1, max_size=30))
def test_shares_add_up_to_one(ends: list[tuple[int, int, bool]]) -> None:
    collapsed = collapse_of(
        [site_episode(task, "remap@3", ok, steps=n, epoch=e) for e, (task, n, ok) in enumerate(ends)]
    )
    assert sum(share.share for share in collapsed.shares) == pytest.approx(1)
    assert [share.way for share in collapsed.shares] == list(WAYS)


@given(st.floats(0, 10), st.booleans())
def test_success_is_never_a_failure(ratio: float, success: bool) -> None:
    assert ("success" in way(ratio, success=success)) == success
