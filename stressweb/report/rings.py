"""Where clicks went, as rings on the picture that shows the page as it was before them."""

from typing import NamedTuple

from stressweb.log.pictures import window_of
from stressweb.log.recording import StepRecord
from stressweb.plugins.agent import Box
from stressweb.report.elements import Finder


class Ring(NamedTuple):
    """One place on a picture."""

    left: float
    top: float
    """Where it is, in hundredths of the picture's width and height."""
    steps: tuple[int, ...]
    """The steps whose clicks went there."""

    @property
    def said(self) -> str:
        """What it marks: `click of step 3`, `clicks of steps 3, 4, 5`."""
        plural = "s" if len(self.steps) > 1 else ""
        return f"click{plural} of step{plural} {', '.join(map(str, self.steps))}"


def ring(before: StepRecord | None, n: int, step: StepRecord, finder: Finder) -> Ring | None:
    """Return where the click of step `n` went on the picture of the step before it.

    None if it is no click, if it was not done, if there is no picture, or if the recording does not have the place.
    """
    action, outcome = step.action, step.outcome
    if before is None or before.page.screenshot is None or action is None or action.kind != "CLICK":
        return None
    # A click that failed went nowhere, even if the element has a place.
    if outcome is None or not outcome.ok:
        return None
    # With a selector the browser goes by that, whatever else is given.
    if action.selector is not None:
        box = finder.box(before, step)
    else:
        box = None if action.x is None or action.y is None else (action.x, action.y, 0.0, 0.0)
    return None if box is None else _placed(box, n, before.page.screenshot)


def together(rings: list[Ring]) -> tuple[Ring, ...]:
    """Return the rings of a picture; clicks at one place are one ring."""
    found: dict[tuple[float, float], Ring] = {}
    for one in rings:
        place = one.left, one.top
        known = found.get(place)
        found[place] = one if known is None else known._replace(steps=(*known.steps, *one.steps))
    return tuple(found.values())


def _placed(box: Box, n: int, picture: bytes) -> Ring | None:
    """Return a ring in the middle of a box of the viewport, in CSS pixels."""
    window = window_of(picture)
    if window is None:
        return None
    (width, height), (x, y, wide, high) = window, box
    # The browser first scrolls to what is not in view as a whole, so the click went elsewhere on the screen.
    if not (0 <= x <= x + wide < width and 0 <= y <= y + high < height):
        return None
    # Shares of the picture, because it is shown at any size. Rounded, so that clicks on one place are one ring.
    return Ring(round(100 * (x + wide / 2) / width, 2), round(100 * (y + high / 2) / height, 2), (n,))
