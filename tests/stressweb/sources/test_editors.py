"""What editors hold is a part of the tree."""

import pytest
from playwright.sync_api import Page

from scripts.waited import snapshot
from stressweb.perception.tree_view import TreeView
from stressweb.plugins.agent import Observation

EDITOR = "<div role=textbox contenteditable aria-label='{}'>{}</div>"
FRAME = "<iframe srcdoc=\"<div role=textbox contenteditable aria-label='C'>Far away</div>\"></iframe>"


def held(page: Page, name: str) -> str:
    view = TreeView(Observation(url="http://shop.test/", html="", tree=snapshot(page)))
    (found,) = view.find(("textbox",), name)
    return view.value(found)


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ("", ""),
        ("Hello you", "Hello you"),
        ('A: "b" - [c]', 'A: "b" - [c]'),
        ("One<div>two</div>", "One two"),
        ("<p>One <b>two</b></p><ul><li>three</li></ul>", "One two three"),
    ],
)
def test_an_editor_says_what_it_holds(browser_page: Page, inner: str, said: str) -> None:
    others = "<input aria-label=A value=a><textarea aria-label='B: b'></textarea>"
    browser_page.set_content(others + EDITOR.format("It: all", inner) + EDITOR.format("Last", "End") + FRAME)
    browser_page.frame_locator("iframe").get_by_text("Far away").wait_for()
    found = [held(browser_page, name) for name in ("A", "B: b", "It: all", "Last", "C")]
    assert found == ["a", "", said, "End", "Far away"]
