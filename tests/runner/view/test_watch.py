"""The rate of a run is measured from the observed episodes."""

import pytest

from stressweb.runner.view.runs import RunSummary
from stressweb.runner.view.watch import WINDOW_S, Pace, Watch


def paces_of(*moments: tuple[float, int], total: int = 100) -> list[Pace]:
    """Return the paces of a run with these numbers of finished episodes at these times."""
    now = [0.0]
    watch = Watch(lambda: now[0])
    paces = []
    for when, done in moments:
        now[0] = when
        paces.append(watch.pace(RunSummary("a", 0.0, total=total, done=done)))
    return paces


def test_there_is_no_rate_before_two_episodes_have_ended() -> None:
    assert paces_of((0, 10), (5, 10), (10, 11)) == [Pace(None, None)] * 3


def test_rate_and_time_left_follow_from_what_was_seen() -> None:
    pace = paces_of((0, 10), (30, 20), (60, 40))[-1]
    assert pace.per_minute == pytest.approx(30)
    assert pace.left_s == pytest.approx(120)


def test_a_run_that_stands_still_gets_slower() -> None:
    moving, later = paces_of((0, 0), (60, 10), (120, 10))[1:]
    assert (moving.per_minute or 0) > (later.per_minute or 0) > 0


def test_only_the_last_minutes_count() -> None:
    moments = [(0.0, 0), (WINDOW_S, 10), (WINDOW_S + 60, 70), (WINDOW_S + 120, 130)]
    assert paces_of(*moments, total=1000)[-1].per_minute == pytest.approx(60)


def test_another_run_of_the_same_name_starts_from_zero() -> None:
    assert paces_of((0, 10), (60, 40), (120, 2))[-1] == Pace(None, None)


def test_runs_have_separate_rates() -> None:
    watch = Watch(iter([0.0, 0.0, 60.0, 60.0]).__next__)
    for done in (0, 60):
        paces = [watch.pace(RunSummary(name, 0.0, total=100, done=by * done)) for name, by in (("a", 1), ("b", 0))]
    assert paces[0].per_minute == pytest.approx(60)
    assert paces[1].per_minute is None
