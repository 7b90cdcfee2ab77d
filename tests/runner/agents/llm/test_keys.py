"""Names of keys as models write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page

from stressweb.runner.agents.llm.keys import KEY_NAMES, NAMES, key_name

WRITTEN = {
    "Esc": "Escape", "ESC": "Escape", "escape": "Escape", "Return": "Enter", "ENTER": "Enter", "\n": "Enter",
    "Del": "Delete", "DELETE": "Delete", "BackSpace": "Backspace", "bksp": "Backspace", "Ins": "Insert",
    "PgDn": "PageDown", "PgUp": "PageUp", "Page Down": "PageDown", "page_up": "PageUp", "Page_Down": "PageDown",
    "pagedown": "PageDown", "Prior": "PageUp", "Next": "PageDown", "Down": "ArrowDown", "up": "ArrowUp",
    "Left Arrow": "ArrowLeft", "arrow right": "ArrowRight", "DownArrow": "ArrowDown", "ARROW_UP": "ArrowUp", "↓": "ArrowDown",
    "space": "Space", "Spacebar": "Space", "tab": "Tab", "f5": "F5", "home": "Home", "<Enter>": "Enter", "{ENTER}": "Enter",
    "ctrl+a": "Control+a", "Ctrl+A": "Control+a", "CTRL + A": "Control+a", "ctrl-a": "Control+a", "Ctrl A": "Control+a",
    "Cmd+a": "ControlOrMeta+a", "command+C": "ControlOrMeta+c", "⌘+v": "ControlOrMeta+v", "Cmd": "ControlOrMeta",
    "Super+l": "Meta+l", "Win": "Meta", "option+x": "Alt+x", "ctrl+shift+T": "Control+Shift+T", "shift+tab": "Shift+Tab",
    "Ctrl+Enter": "Control+Enter", "ctrl+return": "Control+Enter", "ctrl++": "Control++", "ctrl+plus": "Control++",
    "ctrl+-": "Control+-", "alt+left": "Alt+ArrowLeft",
}  # fmt: skip
RIGHT = (*NAMES, "a", "A", "+", "-", " ", "Control+A", "Shift+Tab", "KeyA", "Control+Shift+ArrowLeft", "Meta+a")


@pytest.mark.parametrize(("written", "name"), WRITTEN.items())
def test_a_key_that_a_model_writes_has_the_name_of_the_browser(written: str, name: str) -> None:
    assert key_name(written) == name
    assert key_name(name) == name


@pytest.mark.parametrize("name", RIGHT)
def test_a_name_of_the_browser_stays_as_it_is(name: str) -> None:
    assert key_name(name) == name


@pytest.mark.parametrize(
    "text", ["", "Foo", "é", "F13", "a+b", "Enter+a", "hello", "ctrl+", "+a", "ctrl+foo", "press enter"]
)
def test_unknown_keys_are_none(text: str) -> None:
    assert key_name(text) is None


@given(st.text(max_size=30))
def test_any_text_is_a_key_or_none_and_a_name_stays(text: str) -> None:
    name = key_name(text)
    assert name is None or key_name(name) == name


def test_the_browser_has_every_key_that_is_listed(page: Page) -> None:
    for name in {*KEY_NAMES, *(chr(code) for code in range(32, 127))}:
        page.keyboard.press(name)
