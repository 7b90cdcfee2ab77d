"""A browser that fails a test if a report raises, requests anything, or lets a recorded page act."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from stressweb.report.pack import Side
from stressweb.report.page import in_order, report
from stressweb.report.side_files import SideFile, folder_name
from stressweb.report.source import Source

# Charts are slow on a busy machine.
expect.set_options(timeout=20_000)


@pytest.fixture
def browser_messages() -> list[str]:
    """Messages and requests of the browser; a test removes those it expects, and the list must end empty."""
    return []


@pytest.fixture
def quiet_page(browser: Browser, browser_messages: list[str]) -> Iterator[Page]:
    """A page that must not raise, log, request anything or show a dialog."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.on("console", lambda message: browser_messages.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: browser_messages.append(f"error: {error}"))
    page.on("dialog", lambda dialog: browser_messages.append(f"dialog: {dialog.message}"))
    page.on("dialog", lambda dialog: dialog.dismiss())
    context.on("request", lambda request: browser_messages.append(f"request: {request.url[:200]}"))
    context.on("page", lambda popup: browser_messages.append(f"opened: {popup.url}"))
    yield page
    own = page.url.partition("#")[0]
    context.close()
    # A report may save blobs of its own and read the side files beside it.
    expected = f"request: {own}", "request: data:", "request: blob:null/", f"request: {own.removesuffix('.html')}-"
    assert [message for message in browser_messages if not message.startswith(expected)] == []


@pytest.fixture
def show(quiet_page: Page, tmp_path: Path) -> Callable[..., Page]:
    """Write a report, open it from disk and wait for its charts. `room` allows side files beyond this size; `detailed`
    limits the episodes with details."""

    def _show(
        run_source: Source, fragment: str = "", room: int | None = None, detailed: Sequence[int] | None = None
    ) -> Page:
        path = tmp_path / "report.html"
        side_files: list[SideFile] = []
        held = None if detailed is None else [entry for entry in in_order(run_source.graded) if entry[0] in detailed]
        side = None if room is None else Side("report", side_files.append, room)
        path.write_text(report(run_source, side=side, detailed=held), encoding="utf-8")
        if side_files:
            folder = tmp_path / folder_name("report", [file.name for file in side_files])
            folder.mkdir()
            for file in side_files:
                (folder / file.name).write_text(file.text, encoding="utf-8")
        quiet_page.goto(path.as_uri() + fragment)
        for place in quiet_page.locator("[data-chart]").all():
            # A long list takes plotly many seconds on a busy machine.
            expect(place.locator(".main-svg").first).to_be_attached(timeout=60_000)
        return quiet_page

    return _show
