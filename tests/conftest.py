"""What many tests share: one browser and one world for the whole run, both ended also when tests fail."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from runner.browser.install import find_browser, launch_args
from runner.world.world import EpisodeWorld, World
from stressweb.core import draws
from tests import proxied
from tests.toy import Toy

pytest_plugins = ["tests.examples", "tests.sharding", "tests.resuming"]


def sample_seed() -> int:
    """Return what keys the samples: `make test SEED=7` draws other ones."""
    given = os.environ.get("STRESSWEB_SEED") or "0"
    if not given.isdecimal():
        pytest.exit(f"SEED is {given!r}; it takes a whole number from 0", returncode=2)
    return int(given)


def pytest_report_header() -> str:
    """Say which sample this is."""
    return f"samples are keyed by SEED={sample_seed()}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked `sample(n)`, draw n cases for `make test`; the others are for `make audit` alone."""
    sampled: dict[str, dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        # Its examples are a sample too: the audit draws more of them.
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.sampled)
        mark = item.get_closest_marker("sample")
        if mark and not item.get_closest_marker("audit"):
            sampled[item.nodeid.partition("[")[0]][item.nodeid].append(item)
            item.add_marker(pytest.mark.sampled)
    for test, cases in sampled.items():
        order = sorted(cases, key=lambda case: draws.unit("sample", sample_seed(), case))
        mark = cases[order[0]][0].get_closest_marker("sample")
        assert mark is not None, test
        for case in order[mark.args[0] :]:
            for item in cases[case]:
                item.add_marker(pytest.mark.audit)
    # A file stays on one worker, and the longest must not be begun last.
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser that `make stress` uses, warm."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=str(find_browser().path), args=launch_args())
        yield found
        found.close()


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    """Sites and proxy of this process: mitmproxy bears one master to a process."""
    made = World()
    yield made
    made.close()


@pytest.fixture
def toy() -> Toy:
    """A site of one page, small enough to read."""
    return Toy()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[[EpisodeWorld], Page]]:
    """Open the first page of an episode in a fresh context."""
    contexts = []

    def open_page(episode: EpisodeWorld) -> Page:
        context = browser.new_context(proxy=proxied.settings(episode), viewport={"width": 1280, "height": 800})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        # A machine that is busy with other things too takes its time with the first page.
        page.set_default_navigation_timeout(20_000)
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
