"""The page in each tab at the end, after tabs were opened, closed and changed."""

import pytest

from stressweb.log.open_tabs import open_pages
from stressweb.log.recording import Shown


def page(url: str, tabs: str, tab: int) -> Shown:
    """Return a page; `tabs` are one letter for the title of each tab."""
    return Shown(url, "", tabs=tuple(tabs), tab=tab)


@pytest.mark.parametrize(
    ("pages", "urls"),
    [
        ([], []),
        ([Shown("/a", ""), Shown("/b", "")], ["/b"]),
        ([page("/a", "a", 0), page("/b", "ab", 1)], ["/a", "/b"]),
        # Back in the first tab, which goes on.
        ([page("/a", "a", 0), page("/b", "ab", 1), page("/a", "ab", 0), page("/c", "cb", 0)], ["/c", "/b"]),
        # The second of three is closed, then the first.
        ([page("/a", "a", 0), page("/b", "ab", 1), page("/c", "abc", 2), page("/c", "ac", 1)], ["/a", "/c"]),
        ([page("/a", "a", 0), page("/b", "ab", 1), page("/c", "abc", 2), page("/c", "ac", 1), page("/c", "c", 0)], ["/c"]),
        # A tab that the agent never saw is unknown.
        ([page("/a", "a", 0), page("/a", "ab", 0)], ["/a"]),
        ([page("/a", "a", 0), page("/a", "ab", 0), page("/a", "a", 0)], ["/a"]),
    ],
)  # fmt: skip
def test_pages_in_tabs(pages: list[Shown], urls: list[str]) -> None:
    assert [last_page.url for last_page in open_pages(pages)] == urls
