"""Observation sources for tests: some work, and some fail in every way that a source can."""

import inspect
import sys
import time
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from stressweb.core.errors import InfrastructureError
from stressweb.plugins.observation_source import ObservationSource


class Links(ObservationSource):
    """The text and the target of every link."""

    name = "links"

    async def read(self, page: Page) -> Any:
        return await page.locator("a").evaluate_all("(links) => links.map((one) => [one.textContent, one.href])")

    def render(self, value: Any) -> str:
        return "\n".join(f"{text}: {href}" for text, href in value)


class Counts(Links):
    """The number of pages read before."""

    name = "counts"

    def __init__(self) -> None:
        self._before = -1

    async def read(self, page: Page) -> Any:
        self._before += 1
        return {"before": self._before, "raw": None}


class Raw(Links):
    """The title in bytes."""

    name = "raw"

    async def read(self, page: Page) -> Any:
        return (await page.title()).encode()


class Failing(Links):
    """Fails in the way of its name."""

    async def read(self, page: Page) -> Any:
        outcome = getattr(self, self.name)(page)
        return await outcome if inspect.isawaitable(outcome) else outcome

    def raises(self, page: Page) -> None:
        raise LookupError("no such part")

    def leaves(self, page: Page) -> None:
        sys.exit(3)

    def poses(self, page: Page) -> None:
        raise InfrastructureError("it was not me")

    def mistypes(self, page: Page) -> Any:
        return {"rows": (1, 2)}

    def floods(self, page: Page) -> Any:
        return "x" * 5_000_000

    async def misses(self, page: Page) -> Any:
        return await page.locator("#not-there").inner_text(timeout=50)

    async def waits(self, page: Page) -> Any:
        return await page.evaluate("() => new Promise(() => {})")

    async def insists(self, page: Page) -> Any:
        while True:
            try:
                return await page.evaluate("() => new Promise(() => {})")
            except Exception:
                continue

    async def clings(self, page: Page) -> Any:
        for _ in range(3):
            try:
                await page.evaluate("() => new Promise((done) => setTimeout(done, 2000))")
            except BaseException:
                continue

    async def blocks(self, page: Page) -> Any:
        return await page.evaluate("() => { while (true) {} }")

    def sleeps(self, page: Page) -> Any:
        time.sleep(0.7)
        return "late"

    async def reloads(self, page: Page) -> Any:
        await page.evaluate("() => { location.reload() }")
        raise PlaywrightError("Execution context was destroyed, most likely because of a navigation")


FAILURES = {
    "raises": "LookupError: no such part",
    "leaves": "SystemExit: 3",
    "poses": "InfrastructureError: it was not me",
    "mistypes": "TypeError: the value changes in JSON; use lists instead of tuples, and texts as keys",
    "floods": "ValueError: 50000",
    "misses": "TimeoutError: Locator.inner_text: Timeout 50ms exceeded.",
    "waits": "took more than its 0.5 seconds for one page",
    "clings": "took more than its 0.5 seconds for one page",
    "insists": "took more than its 0.5 seconds for one page",
    "blocks": "took more than its 0.5 seconds for one page",
    "sleeps": "took more than its 0.5 seconds for one page",
}
"""The message of each way to fail, with a limit of half a second."""


def failing(way: str) -> type[ObservationSource]:
    """Return a source that fails in one way."""
    return type(way.title(), (Failing,), {"name": way, "__doc__": "Fails."})
