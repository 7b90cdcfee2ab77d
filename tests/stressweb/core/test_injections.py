"""Injections that may fire."""

from stressweb.core.injections import AllowedInjections

FIRST, SECOND = ("failure", "button", "0"), ("failure", "button", "1")
CONTROL = ("remap", "link")


def test_without_a_limit_everything_fires() -> None:
    allowed = AllowedInjections()
    assert allowed.lets(FIRST, 0)
    assert allowed.lets_any(FIRST[:2], 0)
    assert allowed.attempts(FIRST[:2], 0) is None


def test_only_named_injections_fire() -> None:
    allowed = AllowedInjections(only=[SECOND, CONTROL])
    assert [allowed.lets(injection, 3) for injection in (FIRST, SECOND, CONTROL)] == [False, True, True]
    assert allowed.lets_any(FIRST[:2], 3)
    assert not allowed.lets_any(("failure", "link"), 3)
    assert allowed.attempts(FIRST[:2], 3) == (True, [1])
    assert allowed.attempts(("failure", "link"), 3) == (True, [])


def test_a_suppressed_injection_fires_until_its_step() -> None:
    allowed = AllowedInjections(without={FIRST: 4, CONTROL: 2})
    assert [allowed.lets(FIRST, step) for step in (3, 4, 5)] == [True, False, False]
    assert allowed.lets(SECOND, 5)
    assert [allowed.lets_any(CONTROL, step) for step in (1, 2)] == [True, False]
    assert allowed.attempts(FIRST[:2], 3) is None
    assert allowed.attempts(FIRST[:2], 4) == (False, [0])


def test_fired_injections_are_recorded_once_and_cleared_for_the_next_episode() -> None:
    allowed = AllowedInjections(only=[FIRST])
    for step in (2, 2, 3):
        allowed.record(CONTROL, step, "link 'A'")
    allowed.record(FIRST, 3, "button 'B'")
    assert [(firing.injection, firing.step) for firing in allowed.fired] == [(CONTROL, 2), (FIRST, 3)]
    assert [firing.injection for firing in allowed.fired_at(3)] == [CONTROL, FIRST]
    assert allowed.fired_though_blocked == [CONTROL]
    allowed.restart()
    assert (allowed.fired, allowed.fired_though_blocked) == ([], [])


def test_an_injection_of_strength_0_did_not_fire() -> None:
    allowed = AllowedInjections()
    for key in ("p One 1", "p Two 1"):
        allowed.record(("chaos", "scale", "/cart", key), 1, key)
    allowed.strengths.update({("/cart", "p One 1"): 0.0, ("/cart", "p Two 1"): 0.5})
    assert [firing.element for firing in allowed.fired] == ["p Two 1"]
