"""Pairing of episodes, with errors, missing episodes and repeats."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.pairing import bounds, flip_rate, paired, task_means
from stressweb.analysis.statistics import Interval
from tests.support.graded_episodes import episode


def clean(*outcomes: bool | None, task: int = 0, world: int = 0) -> list[Graded]:
    """Return clean epochs of a task; None is an error."""
    return [
        episode(
            task,
            success=bool(ok),
            epoch=epoch,
            world_seed=world,
            stress_seed=None,
            status="error" if ok is None else "done",
        )
        for epoch, ok in enumerate(outcomes)
    ]


def stressed(*outcomes: bool | None, task: int = 0, world: int = 0, seed: int = 0) -> list[Graded]:
    undisturbed = clean(*outcomes, task=task, world=world)
    return [
        each_episode.model_copy(update={"condition": "remap@3", "stress_seed": seed, "exposed": {"remap": True}})
        for each_episode in undisturbed
    ]


def difference(before: list[Graded], after: list[Graded]) -> float:
    (pair,) = paired(before, after)
    return pair.stressed.success - pair.clean.success


def test_a_missing_epoch_is_left_out_of_both_arms() -> None:
    """Clean [pass, fail] against [pass, missing]: nothing was lost or gained."""
    assert difference(clean(True, False), stressed(True)) == 0


def test_an_epoch_in_error_is_left_out_of_both_arms() -> None:
    assert difference(clean(True, False), stressed(True, None)) == 0
    assert difference(clean(None, False), stressed(True, False)) == 0


def test_clean_has_no_stress_seed_and_pairs_with_every_one() -> None:
    after = [*stressed(True, False, seed=0), *stressed(False, False, seed=5)]
    assert difference(clean(True, True), after) == -0.75


def test_clean_may_have_more_epochs() -> None:
    assert difference(clean(True, False, False), stressed(True)) == 0
    assert paired(clean(True), stressed(None, True)) == []


def test_a_baseline_with_stress_seeds_pairs_with_its_own_seed() -> None:
    sham = [
        each_episode.model_copy(update={"condition": "sham"})
        for each_episode in [*stressed(True, seed=0), *stressed(False, seed=1)]
    ]
    assert difference(sham, [*stressed(True, seed=0), *stressed(False, seed=1)]) == 0


def test_worlds_of_a_task_weigh_the_same() -> None:
    before = [*clean(True, True, True), *clean(True, world=1)]
    after = [*stressed(False, False, False), *stressed(True, world=1)]
    assert difference(before, after) == -0.5


def test_tasks_of_unequal_numbers_of_episodes_weigh_the_same() -> None:
    means = [*task_means([*clean(True, True, True, True), *clean(False, task=1)]).values()]
    assert [mean.success for mean in means] == [1, 0]


def test_errors_leave_bounds() -> None:
    """One of two tasks is in error under the condition, so its outcome is unknown."""
    before = [*clean(True), *clean(True, task=1)]
    assert bounds(before, [*stressed(False), *stressed(False, task=1)]) is None
    assert bounds(before, [*stressed(False), *stressed(None, task=1)]) == Interval(-1.0, -0.5)
    assert bounds([*clean(None), *clean(True, task=1)], [*stressed(True), *stressed(False, task=1)]) == Interval(
        -0.5, 0.0
    )
    assert bounds(clean(None), stressed(None)) == Interval(-1.0, 1.0)


OUTCOMES = st.lists(
    st.tuples(st.sampled_from([True, False, None]), st.sampled_from([True, False, None])), min_size=1, max_size=4
)


@given(st.lists(OUTCOMES, min_size=1, max_size=4), st.randoms())
def test_bounds_hold_for_every_outcome_of_the_errors(
    tasks: list[list[tuple[bool | None, bool | None]]], random: Random
) -> None:
    before = [
        each_episode
        for number, task in enumerate(tasks)
        for each_episode in clean(*(pair[0] for pair in task), task=number)
    ]
    after = [
        each_episode
        for number, task in enumerate(tasks)
        for each_episode in stressed(*(pair[1] for pair in task), task=number)
    ]
    interval = bounds(before, after)
    if interval is None:
        assert all(None not in pair for task in tasks for pair in task)
        return

    def settled(episodes: list[Graded]) -> list[Graded]:
        return [
            each_episode.model_copy(update={"status": "done", "success": random.random() < 0.5})
            if each_episode.status == "error"
            else each_episode
            for each_episode in episodes
        ]

    pairs = paired(settled(before), settled(after))
    true = sum(pair.stressed.success - pair.clean.success for pair in pairs) / len(pairs)
    assert interval.low - 1e-9 <= true <= interval.high + 1e-9


@pytest.mark.parametrize(
    ("epochs", "rate"),
    [
        ([True], None),
        ([True, True], 0),
        ([True, False], 1),
        ([True, True, False], 2 / 3),
        ([True, None], None),
        ([], None),
    ],
)
def test_flips_are_pairs_of_clean_epochs_that_disagree(epochs: list[bool | None], rate: float | None) -> None:
    assert flip_rate(clean(*epochs)) == (None if rate is None else pytest.approx(rate))


def test_flips_are_averaged_over_worlds_then_tasks_and_worlds_are_no_repeats() -> None:
    assert flip_rate([*clean(True), *clean(False, world=1)]) is None
    episodes = [*clean(True, False), *clean(True, True, world=1), *clean(True, True, task=1)]
    assert flip_rate(episodes) == pytest.approx(0.25)


def called(agent: str, episodes: list[Graded]) -> list[Graded]:
    """Return episodes as another agent's."""
    return [Graded(**{**each_episode.model_dump(exclude={"way"}), "agent": agent}) for each_episode in episodes]


PROGRAMS = ["command(a.py)", "mine=command(version 2: python a.py)", "client", "x=client(version=1)"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_observed_episode_and_one_of_ours_are_no_pair(program: str) -> None:
    before, after = called(program, clean(True)), stressed(False)
    assert ({each_episode.way for each_episode in before}, {each_episode.way for each_episode in after}) == (
        {"observed"},
        {"ours"},
    )
    assert difference(before, called(program, after)) == -1
    for arms in ((before, after), (clean(True), called(program, after))):
        with pytest.raises(ValueError, match=r"is observed.*: no pair|is ours.*: no pair"):
            paired(*arms)


@given(st.data())
def test_no_statistic_of_a_run_pairs_the_two_ways(data: st.DataObject) -> None:
    """An agent's figures do not depend on other agents' episodes."""
    outcomes = st.lists(st.sampled_from([True, False, None]), max_size=3)
    episodes = {
        agent: [
            *called(
                agent, [each_episode for task in range(3) for each_episode in clean(*data.draw(outcomes), task=task)]
            ),
            *called(
                agent, [each_episode for task in range(3) for each_episode in stressed(*data.draw(outcomes), task=task)]
            ),
        ]
        for agent in ("naive", *PROGRAMS[:2])
    }
    mixed = data.draw(st.permutations([each_episode for own in episodes.values() for each_episode in own]))
    rows = {(row.agent, row.condition): row for row in measure(mixed)}
    for agent, own in episodes.items():
        alone = {
            (row.agent, row.condition): row
            for row in measure([each_episode for each_episode in mixed if each_episode in own])
        }
        assert alone == {key: row for key, row in rows.items() if key[0] == agent}
        assert {row.way for row in alone.values()} <= {"ours" if agent == "naive" else "observed"}
