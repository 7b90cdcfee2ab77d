"""Pagination of rows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from stressweb.core.entity import Entity


@dataclass(frozen=True)
class Paged:
    """One page of rows, and its query."""

    rows: Sequence[Entity]
    """The rows of this page."""
    found: int
    """Number of rows on all pages."""
    page: int
    pages: int
    asked: Mapping[str, str]
    """The query without the page number."""

    @property
    def narrowed(self) -> bool:
        """Whether a filter leaves rows out; a search and an order do not count."""
        return any(chosen for name, chosen in self.asked.items() if name not in ("q", "sort"))

    def address(self, page: int) -> str:
        """Return the query of another page."""
        return "?" + urlencode({**self.asked, "page": page})


def paged(rows: Sequence[Entity], size: int, number: str, query: Mapping[str, str]) -> Paged:
    """Return the page with the number in the query; the first if it is invalid, the last if it is too high."""
    # The minus signs round up, and an empty list still has one page.
    pages = max(1, -(-len(rows) // size))
    # Accept at most five digits: Python refuses to convert very long numbers, and a query must never break the page.
    page = min(int(number), pages) if re.fullmatch(r"[1-9]\d{0,4}", number) else 1
    return Paged(rows[(page - 1) * size : page * size], len(rows), page, pages, query)
