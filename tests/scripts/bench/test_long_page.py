"""The long page that is clicked on has what is clicked, and what chaos has to fit."""

import lxml.html
import pytest

from scripts.bench.long_page import ROWS, long_page, measure_long_page


@pytest.mark.parametrize("rows", [1, ROWS])
def test_each_row_has_a_link_and_a_button(rows: int) -> None:
    root = lxml.html.document_fromstring(long_page(rows))
    items = root.findall(".//li")
    assert len(items) == rows
    assert all(len(item.findall(f".//{tag}")) == 1 for item in items for tag in ("h3", "p", "a", "button"))
    assert len({item.text_content() for item in items}) == rows
    assert (root.get_element_by_id("again").get("href"), root.get_element_by_id("nothing").tag) == ("/", "button")


@pytest.mark.audit
def test_clicks_are_measured_under_chaos_and_clean() -> None:
    loads, stays = measure_long_page(1)
    assert loads.value > 1, "fitting hundreds of rows takes time"
    assert stays.value < loads.value, "nothing is fitted again where nothing loads"
