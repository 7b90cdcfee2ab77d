"""Failure: a click or an entry does not take effect."""

from pathlib import Path
from typing import ClassVar

from stressweb.core.draws import Seeds, page_draw
from stressweb.html.page import Control, Page
from stressweb.plugins.perturbation import Instruction, Perturbation, Rate, ScriptSettings, Stage, table


class FailureSettings(ScriptSettings):
    """What failure.js reads."""

    seeds: dict[str, tuple[int, int]]
    """What the draws of each control start from: two words of 32 bits, as `page_draw` takes them."""
    rate: Rate
    """Share of draws that fail: those below it."""


class Failure(Perturbation):
    """A click on a control or an entry into a field has no effect; each user action is sampled once.

    Delivered: an action was made to fail. Met: the same. Overcome: a later attempt on the same element succeeded. The
    page stays unchanged: the only sign of a failed action is that nothing happens.
    """

    mode: ClassVar[str] = "failure"
    stage = Stage.EXECUTION
    swallows = True
    severities = table(rate=(0.1, 0.2, 0.35, 0.42, 0.5))
    script = Path(__file__).with_suffix(".js")

    rate: Rate = 0.35
    """Share of user actions that have no effect."""

    def instruct(self, page: Page, seeds: Seeds) -> Instruction | None:
        """Hand the page what it draws from: two words for each control, and the rate."""
        draw = seeds.drawer("failure")
        words = {control.token: _words(draw(control.key)) for control in page.controls}
        first = sum(page_draw(pair, 0) < self.rate for pair in words.values())
        settings = FailureSettings(mode=self.mode, seeds=words, rate=self.rate)
        return Instruction(settings=settings, planned=first)

    def drawn(self, page: Page, control: Control | None, attempt: int, seeds: Seeds) -> float | None:
        """Return the draw of an attempt."""
        return None if control is None else page_draw(_words(seeds.drawer("failure")(control.key)), attempt)

    def would_hit(self, page: Page, control: Control, attempt: int, seeds: Seeds) -> bool:
        """Return whether this attempt at the control does not take effect."""
        return page_draw(_words(seeds.drawer("failure")(control.key)), attempt) < self.rate


def _words(data: bytes) -> tuple[int, int]:
    return int.from_bytes(data[:4]), int.from_bytes(data[4:8])
