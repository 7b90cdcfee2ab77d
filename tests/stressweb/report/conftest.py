"""A browser that tells on a report which fails, asks for anything, or lets a recorded page do something."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from stressweb.report.page import Source, report

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
    assert [one for one in said if one != f"request: {own}" and not one.startswith("request: data:")] == []


@pytest.fixture
def show(quiet_page: Page, tmp_path: Path) -> Callable[..., Page]:
    """Write a report and open it from disk, its charts drawn."""

    def _show(made: Source, fragment: str = "") -> Page:
        path = tmp_path / "report.html"
        path.write_text(report(made), encoding="utf-8")
        quiet_page.goto(path.as_uri() + fragment)
        quiet_page.wait_for_function(
            "[...document.querySelectorAll('[data-chart]')].every((place) => place.querySelector('.main-svg'))"
        )
        return quiet_page

    return _show
