"""A large report in a browser: each episode is read from its side file when opened; nothing else is fetched."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.small_reports import PIXEL, Recorded, recorded, source

pytestmark = pytest.mark.sample(2, "file")

type Show = Callable[..., Page]

SHEET = "h1 { color: rgb(1, 2, 3) }"
STYLED = '<!doctype html><html><head><link rel="stylesheet" href="/a.css"></head><body><h1>Host</h1></body></html>'


def episodes() -> list[Recorded]:
    """Return three episodes with the same picture and style sheet, and none in a chart."""
    return [recorded(task=f"shop/task-{n}", status="error", claim="none", html=STYLED, picture=PIXEL) for n in range(3)]


def side_file_requests(browser_messages: list[str]) -> list[str]:
    return [message for message in browser_messages if re.search(r"/report-[0-9a-f]{16}/", message)]


def test_an_episode_is_fetched_when_it_is_opened_with_what_it_shares(show: Show, browser_messages: list[str]) -> None:
    page = show(source(episodes(), sheets={"http://shop.test/a.css": SHEET}), room=0)
    assert side_file_requests(browser_messages) == []
    # The last episode refers to the picture and style sheet of the first.
    page.locator("#e3 .open").click()
    picture = page.locator("#e3 img")
    expect(picture).to_have_count(1)
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 1
    page.locator("#e3 .steps").get_by_role("button", name="Page", exact=True).first.click()
    heading = page.locator("#e3 iframe").content_frame.get_by_role("heading", name="Host")
    expect(heading).to_have_css("color", "rgb(1, 2, 3)")
    assert len(side_file_requests(browser_messages)) == 2
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .detail .outcome")).to_be_visible()
    assert len(side_file_requests(browser_messages)) == 2
    page.evaluate("location.hash = '#e2'")
    expect(page.locator("#e2 .detail .outcome")).to_be_visible()
    assert len(side_file_requests(browser_messages)) == 3


def test_a_missing_folder_is_named_and_works_when_it_is_back(
    show: Show, browser_messages: list[str], tmp_path: Path
) -> None:
    page = show(source(episodes()), room=0)
    (folder,) = tmp_path.glob("report-*")
    folder.rename(tmp_path / "elsewhere")
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .detail .warn")).to_contain_text(f"{folder.name}/")
    expect(page.locator("#e1 .detail .warn")).to_contain_text("cannot be read. Keep that folder beside the report")
    (tmp_path / "elsewhere").rename(folder)
    page.locator("#e1 .open").click()
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .detail .outcome")).to_be_visible()
    browser_messages[:] = [
        message for message in browser_messages if not message.startswith("console: Failed to load resource")
    ]


def test_no_element_of_the_document_loads_a_script(show: Show, browser_messages: list[str], tmp_path: Path) -> None:
    """Injected markup has no effect, though the report's own script may load files."""
    (tmp_path / "evil.js").write_text("window.hit = 1;")
    page = show(source(episodes()), room=0)
    path = tmp_path / "report.html"
    evil = '<script src="evil.js"></script><script>window.hit = 2</script><img src="x.png" onerror="window.hit = 3">'
    path.write_text(path.read_text(encoding="utf-8").replace("</main>", f"{evil}</main>"), encoding="utf-8")
    page.reload()
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .detail .outcome")).to_be_visible()
    assert page.evaluate("() => window.hit") is None
    refused = [message for message in browser_messages if message.startswith("console: ")]
    assert len(refused) >= 3
    assert all("Content Security Policy" in message for message in refused)
    # The refused requests are in the messages.
    browser_messages[:] = [
        message
        for message in browser_messages
        if message not in refused and not message.endswith(("/evil.js", "/x.png"))
    ]


def test_a_small_run_requests_nothing(show: Show, browser_messages: list[str]) -> None:
    page = show(source(episodes()), room=10_000_000)
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .detail .outcome")).to_be_visible()
    assert side_file_requests(browser_messages) == []


def test_an_episode_without_details_says_where_they_are(show: Show, browser_messages: list[str]) -> None:
    page = show(source(episodes()), room=0, detailed=[1])
    page.locator("#e2 .open").click()
    expect(page.locator("#e2 .detail")).to_contain_text("stressweb report --all")
    assert side_file_requests(browser_messages) == []
    page.locator("#e2 .open").click()
    expect(page.locator("#e2 .detail")).to_have_count(0)
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .detail .outcome")).to_be_visible()
    page.get_by_label("details").select_option("here")
    expect(page.locator("#list > tbody")).to_have_count(1)
