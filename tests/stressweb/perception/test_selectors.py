"""Selectors: CSS, and the most common of Playwright's."""

import lxml.html
import pytest
from playwright.sync_api import Page

from stressweb.html.accessible_name import Names
from stressweb.perception.selectors import by_css, elements_for_selector

PAGE = """<html><body><nav><a id="bags" href="/bags">Bags and <b id="bold">Luggage</b></a><a id="other" href="/x">Bags</a></nav>
<button id="buy">Buy now</button><button id="buy2">Buy now</button><label for="q">Quantity</label><input id="q" type="text">
<p id="p">Say "yes"</p><input id="send" type="submit" value="Send"></body></html>"""
SELECTORS = [
    "a", "#buy", "nav > a:nth-of-type(2)", 'a:has-text("luggage")', 'button:has-text("Buy")', "text=Buy now", 'text="Bags"',
    'text="bags"', "text=luggage", 'role=button[name="Buy now"]', 'role=textbox[name="Quantity"]', "role=link",
    'role=button[name="Buy now"] >> nth=1', "a >> nth=5", 'a:has-text("Bags") >> nth=1', "nav:has-text('Bags')",
]  # fmt: skip


@pytest.mark.sample(6)
@pytest.mark.parametrize("selector", SELECTORS)
def test_a_selector_finds_the_same_as_in_playwright(browser_page: Page, selector: str) -> None:
    browser_page.set_content(PAGE)
    theirs = [element.get_attribute("id") for element in browser_page.query_selector_all(selector)]
    root = lxml.html.document_fromstring(PAGE)
    assert [element.get("id") for element in elements_for_selector(root, Names(root), selector)] == theirs


@pytest.mark.parametrize(
    "selector", ["", "a[", "//a", "a ~ a", "p:has(b)", "a" * 3000, "xpath=//a", ">> nth=1", "role="]
)
def test_unsupported_selectors_find_nothing(selector: str) -> None:
    root = lxml.html.document_fromstring(PAGE)
    assert elements_for_selector(root, Names(root), selector) == by_css(root, selector) == []
