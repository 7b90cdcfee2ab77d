"""Finds the page in each tab at the end of an episode."""

from collections.abc import Iterable

from stressweb.log.recording import Shown


def open_pages(pages: Iterable[Shown]) -> list[Shown]:
    """Return the page in each tab after the last action, as far as the agent saw it."""
    tabs: list[Shown | None] = []
    for page in pages:
        titles = page.tabs or ("",)
        while len(tabs) > len(titles):
            del tabs[_closed_tab(tabs, titles)]
        # A new tab is the last one.
        tabs += [None] * (len(titles) - len(tabs))
        tabs[page.tab if page.tab < len(tabs) else -1] = page
    return [page for page in tabs if page is not None]


def _closed_tab(tabs: list[Shown | None], titles: tuple[str, ...]) -> int:
    """Return the first tab that has moved: only titles reveal which tab was closed."""
    for number, page in enumerate(tabs):
        if number >= len(titles) or (page is not None and page.tabs and page.tabs[page.tab] != titles[number]):
            return number
    return len(tabs) - 1
