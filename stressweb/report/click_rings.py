"""Rings that mark, on the picture of the page before a click, where the click went."""

from typing import NamedTuple

from stressweb.log.pictures import window_of
from stressweb.log.recording import StepRecord
from stressweb.plugins.agent import Box
from stressweb.report.elements import Finder


class Ring(NamedTuple):
    """A ring at one place on a picture."""

    left: float
    top: float
    """Its centre, in percent of the picture's width and height."""
    steps: tuple[int, ...]
    """Numbers of the steps that clicked there."""

    @property
    def label(self) -> str:
        """Its label: `click of step 3`, `clicks of steps 3, 4, 5`."""
        plural = "s" if len(self.steps) > 1 else ""
        return f"click{plural} of step{plural} {', '.join(map(str, self.steps))}"


def click_ring(before: StepRecord | None, n: int, step: StepRecord, finder: Finder) -> Ring | None:
    """Return a ring where the click of step `n` went, on the picture of the step before it.

    None if the action is not a click or failed, if there is no picture, or if the place was not recorded.
    """
    action, outcome = step.action, step.outcome
    if before is None or before.page.screenshot is None or action is None or action.kind != "CLICK":
        return None
    # A failed click went nowhere, even if the element has a box.
    if outcome is None or not outcome.ok:
        return None
    # A selector takes precedence over coordinates.
    if action.selector is not None:
        box = finder.box(before, step)
    else:
        box = None if action.x is None or action.y is None else (action.x, action.y, 0.0, 0.0)
    return None if box is None else _ring_in(box, n, before.page.screenshot)


def merged_rings(rings: list[Ring]) -> tuple[Ring, ...]:
    """Return the rings of a picture, those at the same place merged into one."""
    rings_by_place: dict[tuple[float, float], Ring] = {}
    for ring in rings:
        place = ring.left, ring.top
        earlier = rings_by_place.get(place)
        rings_by_place[place] = ring if earlier is None else earlier._replace(steps=(*earlier.steps, *ring.steps))
    return tuple(rings_by_place.values())


def _ring_in(box: Box, n: int, picture: bytes) -> Ring | None:
    """Return a ring in the middle of a box of the viewport, in CSS pixels."""
    window = window_of(picture)
    if window is None:
        return None
    (width, height), (x, y, box_width, box_height) = window, box
    # The browser scrolls to an element that is not fully in view, so the click went elsewhere on the screen.
    if not (0 <= x <= x + box_width < width and 0 <= y <= y + box_height < height):
        return None
    # Percentages, because the picture is shown at any size. Rounded, so clicks at the same place share a ring.
    return Ring(round(100 * (x + box_width / 2) / width, 2), round(100 * (y + box_height / 2) / height, 2), (n,))
