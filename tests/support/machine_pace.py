"""A machine that is fast, or too slow, whatever else it does."""

import pytest

from scripts.waited import takes
from stressweb.runner.browser import pace
from stressweb.runner.browser.actions import target


def frames_take(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let two frames of any page seem to take so many seconds."""
    monkeypatch.setattr(pace, "two_frames", takes(seconds))


def slow_targets_have(monkeypatch: pytest.MonkeyPatch, milliseconds: float) -> None:
    """Give a target this time on a slow machine."""
    monkeypatch.setattr(target, "SLOW_TIMEOUTS_MS", (milliseconds,))
