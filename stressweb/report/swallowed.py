"""Detects swallowed actions: the browser executed them, a mode blocked their effect, and nothing changed."""

from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache

from lxml.etree import LxmlError

from stressweb.html.accessible_name import clean
from stressweb.html.recorded import digest, site_tree
from stressweb.log.ledger import Entry
from stressweb.log.recording import Shown, StepRecord


class _Page:
    """A recorded page, read as far as a comparison needs."""

    def __init__(self, html: str) -> None:
        self._html = html

    @cached_property
    def letters(self) -> str:
        """All letters of the site's text, without white space: if they differ, so do canonical forms."""
        return "".join(clean(site_tree(self._html).xpath("string()", smart_strings=False)).split())

    @cached_property
    def digest(self) -> str:
        return digest(self._html)


# The page after an action is the one before the next.
_page = lru_cache(32)(_Page)
_DONE = {
    "CLICK": "clicked",
    "PRESS": "pressed",
    "FILL": "filled in",
    "TYPE": "typed",
    "SELECT": "selected",
    "UPLOAD": "uploaded",
}


def no_effect(before: StepRecord | None, step: StepRecord, ledger: Sequence[Entry], modes: Collection[str]) -> str:
    """Return `clicked, no effect` for a swallowed action, and "" for any other.

    `ledger` has the lines of this step, in order; `modes` are those that swallow a gesture when they deliver. Ledger
    and pages must agree.
    """
    if before is None or step.action is None or step.outcome is None or step.action.kind not in _DONE:
        return ""
    # A side effect in the browser, such as a dialog or a tab, is an effect.
    if not step.outcome.ok or step.outcome.detail:
        return ""
    # A double click with one successful press had an effect, even if the page does not show it.
    if _swallowed_count(ledger, modes) < step.action.click_count or not _alike(before.page, step.page):
        return ""
    return f"{_DONE[step.action.kind]}, no effect"


def _swallowed_count(ledger: Sequence[Entry], modes: Collection[str]) -> int:
    """Return how many presses or entries these lines swallowed; 0 if a later one of the same step succeeded."""
    relevant = [entry for entry in ledger if entry.mode in modes and entry.phase in ("delivered", "overcome")]
    if not relevant or relevant[-1].phase == "overcome":
        return 0
    # A delivery without an element disturbed the whole page and swallowed no press.
    return sum(entry.count for entry in relevant if entry.phase == "delivered" and entry.element)


def _alike(before: Shown, after: Shown) -> bool:
    """Return whether a page is unchanged, except for what a mode drew on it: an outline, a focus."""
    page_states = ((page.url, page.dialog, page.tabs, page.tab) for page in (before, after))
    if next(page_states) != next(page_states):
        return False
    if before.recorded == after.recorded:
        return True
    try:
        # Canonical forms, because the mode may draw an outline for a swallowed press. Most different pages are
        # distinguished by their letters, in a tenth of the time.
        pages = _page(before.recorded), _page(after.recorded)
        return pages[0].letters == pages[1].letters and pages[0].digest == pages[1].digest
    # An unreadable page counts as changed.
    except (LxmlError, ValueError, RecursionError):
        return False
