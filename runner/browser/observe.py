"""One read of the settled page, the same for the recorder and for the agent."""

import json
import time
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import lxml.html
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from runner.browser.loading import IDLE, Loading
from runner.browser.pace import check_pace, is_slow
from runner.browser.settle import SETTLE_TIMEOUT_S, Traffic, settle, torn
from stressweb.core.errors import InfrastructureError, first_line
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Box, Observation

READ_JS = Path(__file__).with_name("read.js").read_text("utf-8")
READ_TIMEOUT_S = 10.0
"""Seconds for which a read is tried again because a navigation tore the page away under it."""
STILL = 4
"""Pictures after the first that are taken of a page that keeps changing."""
MORE = 5
"""How many times as long a page has on a slow machine."""
SHOTS = 3
"""Screenshots that an observation holds: the current one and the two before it."""


class Observer:
    """Reads the pages of one episode; keeps the screenshots that the next observation shows again."""

    def __init__(self, wants: frozenset[str] = frozenset()) -> None:
        """Take what the observations must hold beyond the document: "boxes", "tree", "screenshots"."""
        self.wants = wants
        self._shots: tuple[bytes, ...] = ()
        self._options = {"boxes": "boxes" in wants}

    def read(self, page: Page, history: Sequence[tuple[Action, Outcome]] = ()) -> Observation:
        """Return the page as it is now; raises InfrastructureError if it cannot be read."""
        return self._read(page, None, history)

    def settled(
        self,
        page: Page,
        traffic: Traffic,
        patience: float = SETTLE_TIMEOUT_S,
        loading: Loading = IDLE,
    ) -> Observation:
        """Return the page as it is when it has settled, or after `patience` seconds; raises InfrastructureError."""
        text = settle(page, traffic, patience, READ_JS, self._options, loading)
        # Only a slow machine earns more time. A page that never settles must cost every agent the same two seconds.
        if text is None and patience > 0 and is_slow(page):
            # On a slow machine a page gets more time before it is read as it is.
            text = settle(page, traffic, MORE * patience, READ_JS, self._options, loading)
            if text is None:
                check_pace(page, "the page")
        return self._read(page, text, ())

    def _read(self, page: Page, text: str | None, history: Sequence[tuple[Action, Outcome]]) -> Observation:
        """Return a read that was made, else make one; a navigation may take the page away under it: then again."""
        deadline = time.monotonic() + READ_TIMEOUT_S
        while True:
            try:
                text = text or page.evaluate(READ_JS, self._options)
                if text is not None:
                    return self._observation(page, json.loads(text), tuple(history))
            except PlaywrightError as error:
                if not torn(error) or time.monotonic() > deadline:
                    raise InfrastructureError(f"the page could not be read: {first_line(error)}") from error
            if time.monotonic() > deadline:
                raise InfrastructureError("the page could not be read: it has no document")
            text = None
            page.wait_for_timeout(10)

    def _observation(
        self, page: Page, read: dict[str, Any], history: tuple[tuple[Action, Outcome], ...]
    ) -> Observation:
        if "screenshots" in self.wants:
            self._shots = distinct((still(page), *self._shots))
        return Observation(
            url=read["url"],
            html=read["html"],
            boxes=aligned(read["html"], read["tags"], read["boxes"]) if "boxes" in self.wants else (),
            tree=page.locator("body").aria_snapshot(timeout=2000) if "tree" in self.wants else "",
            screenshots=self._shots,
            history=history,
            tabs=(read["title"] or read["url"],),
        )


def still(page: Page) -> bytes:
    """Return a picture of the viewport once two in a row are the same: pictures are decoded, and what lies under the
    mouse changes its colour, some time after the document has settled."""
    before = page.screenshot()
    for _ in range(STILL):
        after = page.screenshot()
        if after == before:
            break
        before = after
    return before


def aligned(html: str, tags: Sequence[str], boxes: Sequence[Sequence[float] | None]) -> tuple[Box | None, ...]:
    """Return one box per element of `html` as lxml parses it.

    The browser's tree and lxml's differ on odd markup; elements that only lxml sees have no box.
    """
    parsed = [element.tag.rpartition("}")[2].lower() for element in lxml.html.document_fromstring(html).iter("*")]
    measured = [None if box is None else (box[0], box[1], box[2], box[3]) for box in boxes]
    lower = [tag.lower() for tag in tags]
    if parsed == lower:
        return tuple(measured)
    fitted: list[Box | None] = [None] * len(parsed)
    for block in SequenceMatcher(None, lower, parsed, autojunk=False).get_matching_blocks():
        fitted[block.b : block.b + block.size] = measured[block.a : block.a + block.size]
    return tuple(fitted)


def distinct(shots: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return the first three different pictures, the newest first."""
    return tuple(dict.fromkeys(shots))[:SHOTS]
