"""Plugged-in observation sources: read under a time limit; if one fails, the agent that wants it fails."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.async_api import Page as AsyncPage
from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as PlaywrightError

from scripts.waited import Observer, SourceReader
from stressweb.core.errors import InfrastructureError
from stressweb.plugins.observation_source import ObservationSource
from stressweb.runner.browser.settle import torn
from stressweb.runner.registry import SOURCES
from stressweb.sources import SHIPPED
from tests.support.isolated_plugins import isolate_plugins
from tests.support.machine_pace import frames_take
from tests.support.made_up_sources import FAILURES, Counts, Failing, Links, Raw, failing
from tests.support.waiting import deadline

pytestmark = pytest.mark.sample(2, "file")

PAGE = '<!DOCTYPE html><title>Notes</title><body><a href="http://x.test/a">One</a><a href="http://x.test/b">Two</a>'


@pytest.fixture(autouse=True)
def keeps_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine count as fast enough, even if it is busy."""
    frames_take(monkeypatch, 0.03)


class Charge:
    """Records the time charged to the agent."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.open = 0

    @contextmanager
    def __call__(self, seconds: float) -> Iterator[None]:
        self.seconds.append(seconds)
        self.open += 1
        try:
            yield
        finally:
            self.open -= 1


def reader(*kinds: type[ObservationSource], charge: Charge | None = None) -> Any:
    return SourceReader(kinds, charge or Charge(), 0.5)


def test_readings_are_stored_by_name_and_their_time_is_the_agents(show: Callable[[str], Page]) -> None:
    charge = Charge()
    reading = reader(Counts, Links, Raw, charge=charge)
    page = show(PAGE)
    links = [["One", "http://x.test/a"], ["Two", "http://x.test/b"]]
    assert reading.read(page, deadline()) == {"counts": {"before": 0, "raw": None}, "links": links, "raw": b"Notes"}
    assert reading.read(page, deadline())["counts"] == {"before": 1, "raw": None}, "one instance serves one episode"
    assert (charge.seconds, charge.open) == ([0.5] * 6, 0)
    assert reading.failure is None


@pytest.mark.sample(3)
@pytest.mark.parametrize("way", FAILURES)
def test_a_source_that_fails_is_named_with_its_traceback_and_the_page_goes_on(
    show: Callable[[str], Page], way: str, browser: Browser
) -> None:
    charge = Charge()
    # The first needs no browser, so it is in time even on a busy machine.
    reading = reader(Counts, failing(way), Raw, charge=charge)
    started = time.monotonic()
    read = reading.read(show(PAGE), deadline())
    assert list(read) == ["counts"], "no source is read after the failing one"
    assert str(reading.failure).startswith(f"observation source '{way}': {FAILURES[way]}")
    assert len(str(reading.failure).splitlines()) == 1
    assert reading.failure is not None
    assert f"in {way}" in reading.failure.traceback or way in ("mistypes", "floods", "sleeps")
    assert "Traceback (most recent call last)" in reading.failure.traceback
    assert (charge.open, time.monotonic() - started < 8) == (0, True)
    # The browser works for the next page, and its timers are no longer held up.
    context = browser.new_context()
    assert context.new_page().evaluate("new Promise((done) => setTimeout(() => done(7), 700))") == 7
    context.close()


def test_a_source_that_cannot_be_made_fails_like_one_that_cannot_read(show: Callable[[str], Page]) -> None:
    class Unmade(Links):
        name = "unmade"

        def __init__(self) -> None:
            raise OSError("no such file")

    reading = reader(Unmade)
    assert reading.read(show(PAGE), deadline()) == {}
    assert str(reading.failure) == "observation source 'unmade': OSError: no such file"


def test_a_failure_is_forgotten_with_the_page(show: Callable[[str], Page]) -> None:
    class Once(Counts):
        name = "once"

        async def read(self, page: AsyncPage) -> object:
            reading = await super().read(page)
            if reading["before"] == 0:
                raise LookupError("not yet")
            return reading

    reading = reader(Once)
    assert reading.read(show(PAGE), deadline()) == {}
    assert reading.failure is not None
    assert reading.read(show(PAGE), deadline())["once"]["before"] == 1
    assert reading.failure is None


def test_a_browser_that_died_is_infrastructure(show: Callable[[str], Page]) -> None:
    class Ends(Links):
        name = "ends"

        async def read(self, page: AsyncPage) -> object:
            await page.context.close()
            # The source replaces the browser's error by its own.
            raise LookupError("no links")

    reading = reader(Ends)
    with pytest.raises(InfrastructureError, match=r"observation source 'ends': the page closed or crashed"):
        reading.read(show(PAGE), deadline())
    assert reading.failure is None


@pytest.mark.parametrize("way", ["waits", "misses"])
def test_a_time_out_on_a_machine_that_is_too_slow_is_infrastructure(
    show: Callable[[str], Page], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames_take(monkeypatch, 3.0)
    reading = reader(failing(way))
    with pytest.raises(InfrastructureError, match=f"the machine is too slow: observation source '{way}' timed out"):
        reading.read(show(PAGE), deadline())
    assert reading.failure is None


def test_a_page_replaced_by_a_navigation_is_read_again_until_the_time_limit(show: Callable[[str], Page]) -> None:
    reading = reader(failing("reloads"))
    page = show(PAGE)
    with pytest.raises(PlaywrightError) as caught:
        reading.read(page, deadline())
    assert torn(caught.value)
    assert reading.failure is None
    assert reading.read(page, time.monotonic()) == {}
    assert str(reading.failure).startswith("observation source 'reloads': Error: ")


class Delayed(Links):
    """Needs a little time while another episode blocks the shared event loop."""

    name = "delayed"

    async def read(self, page: AsyncPage) -> Any:
        asyncio.get_running_loop().call_later(0.05, time.sleep, 0.8)
        await asyncio.sleep(0.2)
        return await page.title()


def test_a_source_is_not_late_because_of_others(show: Callable[[str], Page]) -> None:
    reading = reader(Delayed)
    assert reading.read(show(PAGE), deadline()) == {"delayed": "Notes"}
    assert reading.failure is None


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Callable[[Sequence[type[ObservationSource]]], None]:
    """Register sources under their names."""

    def _loaded(kinds: Sequence[type[ObservationSource]]) -> None:
        isolate_plugins(monkeypatch)
        for kind in kinds:
            SOURCES.add(kind.name, kind, "here")

    return _loaded


def test_an_observation_has_the_wanted_sources_beside_the_shipped(
    show: Callable[[str], Page], loaded: Callable[[Sequence[type[ObservationSource]]], None]
) -> None:
    loaded([Links, Raw])
    page = show(PAGE)
    observation = Observer(frozenset({"links", "boxes", *SHIPPED})).read(page)
    assert list(observation.sources) == ["links"]
    assert "One" in observation.html
    assert observation.boxes
    assert observation.tree
    assert observation.screenshots
    assert Observer().read(page).sources == {}


def test_a_source_derived_from_a_shipped_one_fills_no_field_of_ours(
    show: Callable[[str], Page], loaded: Callable[[Sequence[type[ObservationSource]]], None]
) -> None:
    from stressweb.sources.dom import Dom

    class Shout(Dom):
        """The document in capitals."""

        name = "shout"

        async def read(self, page: AsyncPage) -> str:
            return str(await super().read(page)).upper()

    loaded([Shout])
    page = show(PAGE)
    observation = Observer(frozenset({"shout"})).read(page)
    assert observation.html == Observer().read(page).html
    assert observation.sources["shout"] == observation.html.upper()


def test_every_way_to_fail_is_tried() -> None:
    ways = {name for name, method in vars(Failing).items() if callable(method) and name != "read"}
    assert ways == {*FAILURES, "reloads"}
