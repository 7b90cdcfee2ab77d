"""Which injections may fire."""

from stressweb.core.injections import Allowed

FIRST, SECOND = ("failure", "button", "0"), ("failure", "button", "1")
CONTROL = ("remap", "link")


def test_without_a_limit_everything_fires() -> None:
    allowed = Allowed()
    assert allowed.lets(FIRST, 0)
    assert allowed.lets_any(FIRST[:2], 0)
    assert allowed.attempts(FIRST[:2], 0) is None


def test_only_what_is_named_fires() -> None:
    allowed = Allowed(only=[SECOND, CONTROL])
    assert [allowed.lets(one, 3) for one in (FIRST, SECOND, CONTROL)] == [False, True, True]
    assert allowed.lets_any(FIRST[:2], 3)
    assert not allowed.lets_any(("failure", "link"), 3)
    assert allowed.attempts(FIRST[:2], 3) == (True, [1])
    assert allowed.attempts(("failure", "link"), 3) == (True, [])


def test_what_is_held_back_fires_until_then() -> None:
    allowed = Allowed(without={FIRST: 4, CONTROL: 2})
    assert [allowed.lets(FIRST, step) for step in (3, 4, 5)] == [True, False, False]
    assert allowed.lets(SECOND, 5)
    assert [allowed.lets_any(CONTROL, step) for step in (1, 2)] == [True, False]
    assert allowed.attempts(FIRST[:2], 3) is None
    assert allowed.attempts(FIRST[:2], 4) == (False, [0])


def test_what_fired_is_taken_down_once_and_forgotten_for_the_next_episode() -> None:
    allowed = Allowed(only=[FIRST])
    for step in (2, 2, 3):
        allowed.fires(CONTROL, step, "link 'A'")
    allowed.fires(FIRST, 3, "button 'B'")
    assert [(one.injection, one.step) for one in allowed.fired] == [(CONTROL, 2), (FIRST, 3)]
    assert [one.injection for one in allowed.fired_at(3)] == [CONTROL, FIRST]
    assert allowed.strays == [CONTROL]
    allowed.restart()
    assert (allowed.fired, allowed.strays) == ([], [])


def test_what_was_reduced_to_nothing_did_not_fire() -> None:
    allowed = Allowed()
    for key in ("p One 1", "p Two 1"):
        allowed.fires(("chaos", "scale", "/cart", key), 1, key)
    allowed.strengths.update({("/cart", "p One 1"): 0.0, ("/cart", "p Two 1"): 0.5})
    assert [one.element for one in allowed.fired] == ["p Two 1"]
