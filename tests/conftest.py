"""Shared fixtures: one browser and one world for the whole run, both closed even if tests fail."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from scripts import blocking, bundle
from stressweb.core.browser_program import find_browser, launch_args
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support import proxied
from tests.support.isolated_plugins import isolate_plugins
from tests.support.toy import Toy

pytest_plugins = [
    "tests.examples",
    "tests.sampling",
    "tests.sharding",
    "tests.resuming",
    "tests.quick",
    "tests.portable_ids",
    "tests.seconds_by_file",
]


def pytest_configure() -> None:
    """Bundle the scripts of the page as they are now, before any test asks for one."""
    bundle.renew()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the longest files first: a file stays on one worker, so a late long file would delay the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser that `make stress` uses, already running."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(find_browser().path), args=launch_args())
        blocking.use(chromium)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    """Sites and proxy of this process: mitmproxy allows one master per process."""
    episode_world = World()
    yield episode_world
    episode_world.close()


@pytest.fixture(scope="module")
def chosen_params(request: pytest.FixtureRequest) -> set[Any]:
    """All parameter values of the selected tests of this file, so fixtures can prepare only those."""
    tests = (test for test in request.session.items if test.path == request.path and isinstance(test, pytest.Function))
    return {param for test in tests if hasattr(test, "callspec") for param in test.callspec.params.values()}


@pytest.fixture
def isolated_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty plug-in registries for this test, without entry points."""
    isolate_plugins(monkeypatch)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


@pytest.fixture
def toy() -> Toy:
    """A site of one page, small enough to read."""
    return Toy()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[[EpisodeWorld], Page]]:
    """Open the first page of an episode in a fresh context."""
    contexts = []

    def open_page(episode: EpisodeWorld, before: Callable[[Page], object] = lambda page: None) -> Page:
        context = browser.new_context(proxy=proxied.settings(episode), viewport={"width": 1280, "height": 800})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        # On a busy machine the first page is slow.
        page.set_default_navigation_timeout(20_000)
        before(page)
        page.goto(episode.start_url)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[Page]:
    """An empty page without a proxy."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()
