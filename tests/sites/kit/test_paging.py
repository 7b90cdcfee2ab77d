"""The rows of a page of a list."""

import pytest

from stressweb.core.entity import Entity
from stressweb.sites.kit.serving.paging import paged

ROWS = [Entity(id=str(number)) for number in range(25)]


@pytest.mark.parametrize(
    ("number", "page", "first", "many"),
    [("1", 1, "0", 10), ("2", 2, "10", 10), ("3", 3, "20", 5), ("4", 3, "20", 5), ("0", 1, "0", 10), ("x", 1, "0", 10)],
)
def test_a_query_asks_for_a_page(number: str, page: int, first: str, many: int) -> None:
    got = paged(ROWS, 10, number, {"q": "a b"})
    assert (got.page, got.pages, got.found) == (page, 3, 25)
    assert (got.rows[0].id, len(got.rows)) == (first, many)
    assert got.address(2) == "?q=a+b&page=2"


def test_no_rows_are_one_page() -> None:
    assert paged([], 10, "1", {}).pages == 1


@pytest.mark.parametrize(
    ("query", "narrowed"),
    [({}, False), ({"q": "a", "sort": "new"}, False), ({"sort": "new", "kind": ""}, False), ({"kind": "pdf"}, True)],
)
def test_a_search_and_an_order_narrow_no_list(query: dict[str, str], *, narrowed: bool) -> None:
    assert paged(ROWS, 10, "1", query).narrowed is narrowed
