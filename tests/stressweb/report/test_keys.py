"""Stepping through an open episode by keyboard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.small_reports import recorded, source

pytestmark = pytest.mark.sample(6, "file")

type Show = Callable[..., Page]


@pytest.fixture
def opened(show: Show) -> Page:
    """A report whose first episode is open; without charts it opens faster."""
    page = show(source([recorded(status="error", claim="none", task=f"shop/{n}") for n in range(2)]))
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .steps > li")).to_have_count(4)
    return page


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id"))


def press(page: Page, keys: str) -> list[str]:
    """Press keys one after the other and return the focused element's id after each."""
    focused_ids = []
    for key in keys.split():
        page.keyboard.press(key)
        focused_ids.append(focused(page))
    return focused_ids


def test_j_and_k_step_and_stop_at_the_ends(opened: Page) -> None:
    assert press(opened, "j j j j j") == ["e1-0", "e1-1", "e1-2", "e1-3", "e1-3"]
    assert press(opened, "k k k k") == ["e1-2", "e1-1", "e1-0", "e1-0"]
    expect(opened.locator("#e1-0")).to_have_css("outline-style", "solid")
    expect(opened.locator("#e1-0")).to_be_in_viewport()


def test_arrows_step_only_where_a_step_has_the_focus(opened: Page) -> None:
    assert press(opened, "ArrowDown j ArrowDown ArrowUp")[1:] == ["e1-0", "e1-1", "e1-0"]
    opened.locator("#e1-0 .page").first.focus()
    before = focused(opened)
    assert press(opened, "ArrowDown") == [before]
    assert press(opened, "j") == ["e1-1"]


def test_one_step_is_in_the_order_of_tab(opened: Page) -> None:
    press(opened, "j j j")
    assert opened.locator(".steps > li[tabindex='0']").evaluate_all("(all) => all.map((one) => one.id)") == ["e1-2"]


@pytest.mark.parametrize("key", ["Enter", "o"])
def test_a_key_opens_the_page_of_a_step_and_closes_it(opened: Page, key: str) -> None:
    press(opened, "j j j")
    opened.keyboard.press(key)
    expect(opened.locator("#e1-2 iframe")).to_have_count(1)
    assert focused(opened) == "e1-2"
    opened.keyboard.press(key)
    expect(opened.locator("#e1-2 iframe")).to_have_count(0)


def test_a_step_without_a_page_of_its_own_leads_to_the_one_that_has_it(opened: Page) -> None:
    press(opened, "j j")
    assert press(opened, "o") == ["e1-0"]
    expect(opened.locator("#e1-0 iframe")).to_have_count(1)
    # Pressed again, it stays open.
    press(opened, "j")
    assert press(opened, "o") == ["e1-0"]
    expect(opened.locator("#e1-0 iframe")).to_have_count(1)


def test_enter_on_a_button_presses_the_button_alone(opened: Page) -> None:
    opened.locator("#e1-0 .page", has_text="Source").focus()
    opened.keyboard.press("Enter")
    expect(opened.locator("#e1-0 .source")).to_have_count(1)
    expect(opened.locator("#e1-0 iframe")).to_have_count(0)


def test_no_key_steps_while_a_field_has_the_focus_or_with_a_modifier(opened: Page) -> None:
    field = opened.locator("[data-filter='text']")
    field.focus()
    for key in "jko":
        opened.keyboard.press(key)
    expect(field).to_have_value("jko")
    expect(field).to_be_focused()
    field.fill("")
    opened.locator("[data-filter='task']").focus()
    opened.keyboard.press("j")
    expect(opened.locator("[data-filter='task']")).to_be_focused()
    opened.locator("#e1-1").focus()
    assert press(opened, "Control+j Alt+k Meta+o") == ["e1-1"] * 3
    expect(opened.locator("iframe")).to_have_count(0)


def test_without_an_open_episode_keys_do_nothing(show: Show) -> None:
    page = show(source([recorded(status="error", claim="none")]))
    assert press(page, "j k o Enter") == ["", "", "", ""]


def test_keys_step_through_the_visible_episode_and_are_explained(opened: Page) -> None:
    opened.set_viewport_size({"width": 1280, "height": 300})
    opened.locator("#e2 .open").click()
    expect(opened.locator("#e2 .steps > li")).to_have_count(4)
    opened.locator("#e2 .steps").evaluate("(steps) => steps.scrollIntoView()")
    assert press(opened, "j") == ["e2-0"]
    expect(opened.locator("#e2 .keys")).to_contain_text("j k next and previous step")


def test_a_link_to_a_step_puts_the_focus_there(show: Show) -> None:
    page = show(source([recorded(status="error", claim="none")]), "#e1-2")
    expect(page.locator("#e1-2")).to_be_focused()
    assert press(page, "ArrowUp") == ["e1-1"]
