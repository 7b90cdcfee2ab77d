"""A browser that tells on a report which fails, asks for anything, or lets a recorded page do something."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from stressweb.report.pack import Side
from stressweb.report.page import in_order, report
from stressweb.report.side_files import SideFile, folder_name
from stressweb.report.source import Source

# Charts take their time on a busy machine.
expect.set_options(timeout=20_000)


@pytest.fixture
def said() -> list[str]:
    """What the browser says of a page; what is left in the list at the end must be nothing."""
    return []


@pytest.fixture
def quiet_page(browser: Browser, said: list[str]) -> Iterator[Page]:
    """A page that must neither fail, nor complain, nor ask for anything, nor show a dialog."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.on("console", lambda message: said.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    context.on("request", lambda request: said.append(f"request: {request.url[:200]}"))
    context.on("page", lambda other: said.append(f"opened: {other.url}"))
    yield page
    own = page.url.partition("#")[0]
    context.close()
    # What a report saves is a blob of its own; its side files lie beside it.
    expected = f"request: {own}", "request: data:", "request: blob:null/", f"request: {own.removesuffix('.html')}-"
    assert [one for one in said if not one.startswith(expected)] == []


@pytest.fixture
def show(quiet_page: Page, tmp_path: Path) -> Callable[..., Page]:
    """Write a report and open it from disk, its charts drawn; with `room` its episodes may go into side files, `detailed` ones
    alone if these are given."""

    def _show(made: Source, fragment: str = "", room: int | None = None, detailed: Sequence[int] | None = None) -> Page:
        path = tmp_path / "report.html"
        kept: list[SideFile] = []
        held = None if detailed is None else [one for one in in_order(made.graded) if one[0] in detailed]
        side = None if room is None else Side("report", kept.append, room)
        path.write_text(report(made, side=side, detailed=held), encoding="utf-8")
        if kept:
            folder = tmp_path / folder_name("report", [file.name for file in kept])
            folder.mkdir()
            for file in kept:
                (folder / file.name).write_text(file.text, encoding="utf-8")
        quiet_page.goto(path.as_uri() + fragment)
        for place in quiet_page.locator("[data-chart]").all():
            # A long list takes plotly many seconds on a busy machine.
            expect(place.locator(".main-svg").first).to_be_attached(timeout=60_000)
        return quiet_page

    return _show
