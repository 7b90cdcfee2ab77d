"""The long page of the benchmark has links and buttons to click, and rows that chaos moves."""

import lxml.html
import pytest

from scripts.bench.long_page import ROWS, long_page, measure_long_page


@pytest.mark.parametrize("rows", [1, ROWS])
def test_each_row_has_a_link_and_a_button(rows: int) -> None:
    root: lxml.html.HtmlElement = lxml.html.document_fromstring(long_page(rows))
    row_elements = root.findall(".//li")
    assert len(row_elements) == rows
    assert all(
        len(row_element.findall(f".//{tag}")) == 1 for row_element in row_elements for tag in ("h3", "p", "a", "button")
    )
    assert len({row_element.text_content() for row_element in row_elements}) == rows
    assert (root.get_element_by_id("again").get("href"), root.get_element_by_id("nothing").tag) == ("/", "button")


@pytest.mark.audit
def test_clicks_are_measured_under_chaos_and_clean() -> None:
    loads, stays = measure_long_page(1)
    assert loads.value > 1, "fitting hundreds of rows takes time"
    assert stays.value < loads.value, "nothing is fitted again where nothing loads"
