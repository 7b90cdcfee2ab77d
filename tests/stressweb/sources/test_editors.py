"""The tree includes the contents of editors."""

import pytest
from playwright.sync_api import Page

from scripts.waited import snapshot
from stressweb.perception.tree_view import TreeView
from stressweb.plugins.agent import Observation

EDITOR = "<div role=textbox contenteditable aria-label='{}'>{}</div>"
FRAME = "<iframe srcdoc=\"<div role=textbox contenteditable aria-label='C'>Far away</div>\"></iframe>"


def editor_text(page: Page, name: str) -> str:
    view = TreeView(Observation(url="http://shop.test/", html="", tree=snapshot(page)))
    (editor,) = view.find(("textbox",), name)
    return view.value(editor)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("", ""),
        ("Hello you", "Hello you"),
        ('A: "b" - [c]', 'A: "b" - [c]'),
        ("One<div>two</div>", "One two"),
        ("<p>One <b>two</b></p><ul><li>three</li></ul>", "One two three"),
    ],
)
def test_an_editor_has_its_text(browser_page: Page, inner: str, expected: str) -> None:
    others = "<input aria-label=A value=a><textarea aria-label='B: b'></textarea>"
    browser_page.set_content(others + EDITOR.format("It: all", inner) + EDITOR.format("Last", "End") + FRAME)
    browser_page.frame_locator("iframe").get_by_text("Far away").wait_for()
    contents = [editor_text(browser_page, name) for name in ("A", "B: b", "It: all", "Last", "C")]
    assert contents == ["a", "", expected, "End", "Far away"]
