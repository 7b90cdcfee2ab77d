"""The pages in a browser: filters, sorting, comparison of runs, and a run that continues while you watch."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from stressweb.log.store import FILE, Store
from stressweb.runner.view.app import open_app
from stressweb.runner.view.server import served
from tests.support.saved_runs import episode

pytestmark = pytest.mark.sample(3, "file")


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """Address at which the runs of the folder are served."""
    app, reports = open_app(folder)
    with served(app, 0) as url:
        yield url.rstrip("/")
    reports.close()


def test_the_end_waits_for_no_browser_that_keeps_a_connection_open(page: Page, folder: Path) -> None:
    app, reports = open_app(folder)
    before = set(threading.enumerate())
    with served(app, 0) as url:
        page.goto(url)
        expect(page.locator("#runs")).to_be_visible()
        started = set(threading.enumerate()) - before
        assert "view" in {thread.name for thread in started}
    assert [thread.name for thread in started if thread.is_alive()] == []
    reports.close()


def test_runs_are_filtered_sorted_and_compared(page: Page, address: str) -> None:
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(address)
    rows = page.locator("#runs > tbody > tr:visible")
    expect(rows).to_have_count(3)
    page.locator("[data-filter='text']").fill("SECOND")
    expect(rows).to_have_count(1)
    expect(page.locator("#shown")).to_have_text("1 of 3")
    page.get_by_role("button", name="Show all").click()
    page.locator("[data-filter='agents']").select_option("naive")
    expect(rows).to_have_count(2)
    page.locator("[data-filter='agents']").select_option("")
    page.get_by_role("button", name="errors", exact=True).click()
    page.get_by_role("button", name="errors", exact=True).click()
    expect(rows.first).to_contain_text("second")
    compare = page.get_by_role("button", name="Compare", exact=True)
    expect(compare).to_be_disabled()
    page.get_by_label("compare first").check()
    expect(compare).to_be_disabled()
    page.get_by_label("compare second").check()
    compare.click()
    expect(page.get_by_role("heading", name="Cells that differ")).to_be_visible()
    page.locator("#runs a").first.click()
    expect(page.locator(".detail .outcome")).to_be_visible()
    assert messages == []


def test_a_run_that_goes_on_is_followed(page: Page, address: str, folder: Path) -> None:
    page.goto(f"{address}/watch/second")
    done = page.locator("[data-figure='done']")
    expect(done).to_have_text("3")
    with Store.open(folder / "second" / FILE) as store:
        (last,) = [cell for cell in store.pending() if not store.has(cell)]
        store.save(episode(last, success=False))
    expect(done).to_have_text("4", timeout=20_000)
    expect(page.locator("[data-figure='failed']")).to_have_text("1")
    expect(page.locator("[data-figure='state']")).to_have_text("finished")


@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_scrolls_sideways(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for path in ("/", "/compare?a=first&b=second", "/watch/second", "/watch/none"):
        page.goto(f"{address}{path}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_another_page_reads_nothing(page: Page, address: str) -> None:
    """Attempts of a page of another origin: fetch, a script and a frame."""
    page.route("http://evil.test/", lambda route: route.fulfill(body="<h1>evil</h1>", content_type="text/html"))
    page.goto("http://evil.test/")
    fetched = page.evaluate("(url) => fetch(url).then(() => 'read', () => 'refused')", f"{address}/runs.json")
    assert fetched == "refused"
    blind = """(url) => fetch(url, { mode: "no-cors" }).then((answer) => answer.type, () => "refused")"""
    assert page.evaluate(blind, f"{address}/runs.json") in ("refused", "opaque")
    script = """(url) => new Promise((done) => {
        const script = document.createElement("script");
        script.onload = () => done("ran");
        script.onerror = () => done("refused");
        script.src = url;
        document.body.append(script);
    })"""
    assert page.evaluate(script, f"{address}/static/runs.js") == "refused"
    framed = """(url) => new Promise((done) => {
        const frame = document.createElement("iframe");
        frame.onload = done;
        frame.src = url;
        document.body.append(frame);
    })"""
    page.evaluate(framed, address)
    assert len(page.frames) == 2
    assert all("first" not in frame.content() for frame in page.frames[1:])
