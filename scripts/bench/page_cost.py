"""What the script of a condition takes of a page: time of its main thread, of its loads and of memory."""

import gc
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urljoin

from playwright.sync_api import Browser, CDPSession, ProxySettings

from scripts.bench.figure import Figure
from scripts.bench.sized_page import SizedSite
from scripts.waited import Recorder
from stressweb.core.conditions import Condition
from stressweb.core.draws import Seeds
from stressweb.perturbations import PROXY_USER
from stressweb.runner.registry import conditions
from stressweb.runner.world.world import EpisodeWorld, World

MAIN_THREAD_MS = {"sham": 3.0, "noise@3": 15.0, "chaos@3": 30.0, "popup@3": 3.0}
"""Conditions, and how much more of the main thread than `clean` a page may take under each, in milliseconds."""
LARGE_BYTES = 5_000_000
_LARGE = "noise@3"
_MOST_TIMES_CLEAN = 2.0
_MANY = "noise@3+popup@3"
_MOST_GROWTH_KB = 4.0
"""Memory that a load may leave behind, in kB: a run of thousands of loads must not run out of it."""
_SETTLED = 3
"""One in so many loads of a measurement of memory is left out at its beginning: caches fill then."""
_DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_SEEDS = Seeds(0, 0, "sized/x")


class Arm:
    """A condition under which one page is loaded and read again and again, in a tab of its own."""

    def __init__(self, browser: Browser, episode: EpisodeWorld) -> None:
        """Open the tab; `close` ends it and the episode."""
        self._episode = episode
        proxy = ProxySettings(
            server=f"http://127.0.0.1:{episode.port}", username=PROXY_USER, password=episode.credential
        )
        self._context = browser.new_context(proxy=proxy, viewport={"width": 1280, "height": 800})
        self._page = self._context.new_page()
        self._page.set_default_navigation_timeout(120_000)
        self._page.set_default_timeout(120_000)
        self._session: CDPSession = self._context.new_cdp_session(self._page)
        # In time of the thread, in which nothing counts that other processes of the machine take.
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._recorder = Recorder(episode)
        self._recorder.attach(self._page, self._session)

    def load(self, path: str = "/") -> None:
        """Load a page and wait until it is drawn."""
        self._page.goto(urljoin(self._episode.start_url, path))
        self._page.evaluate(_DRAWN)

    def read(self) -> str:
        """Read the page as it is read after an action, wait until what this changes is drawn, and return the copy."""
        text = self._recorder.read(self._page, measured=False)
        self._page.evaluate(_DRAWN)
        page_read = json.loads(text or "{}")
        self._recorder.report(page_read)
        return str(page_read["copy"])

    def main_thread_ms(self) -> float:
        """Return what the tab's main thread has worked since the navigation: the browser counts each document anew."""
        return 1000 * self._metrics()["TaskDuration"]

    def memory_kb(self) -> float:
        """Return the memory of the tab's scripts and nodes, after everything that is not needed has gone."""
        self._session.send("HeapProfiler.collectGarbage")
        metrics = self._metrics()
        return metrics["JSHeapUsedSize"] / 1000 + metrics["Nodes"] * 0.2

    def close(self) -> None:
        """End the tab and the episode."""
        self._context.close()
        self._episode.close()

    def _metrics(self) -> dict[str, float]:
        answer = self._session.send("Performance.getMetrics")
        return {metric["name"]: metric["value"] for metric in answer["metrics"]}


@contextmanager
def arms(browser: Browser, world: World, site: SizedSite, labels: Sequence[str]) -> Iterator[list[Arm]]:
    """Open a tab for each condition."""
    with ExitStack() as stack:
        open_arms = []
        for condition in _conditions(labels):
            open_arms.append(Arm(browser, world.open(site, condition, _SEEDS, b"m" * 16)))
            stack.callback(open_arms[-1].close)
        yield open_arms


def main_thread(browser: Browser, world: World, site: SizedSite, rounds: int) -> list[Figure]:
    """Measure what a page takes of its main thread under each condition and not in `clean`.

    That is all from the request on until it has been read for the first time, and is drawn as the read has left it. The
    conditions take turns, and the least of all rounds counts: whatever else happens only adds to it.
    """
    labels = list(MAIN_THREAD_MS)
    with arms(browser, world, site, ["clean", *labels]) as (clean, *stressed):
        least = [float("inf")] * (1 + len(stressed))
        # The first round is left out: the browser compiles what it keeps for later ones.
        for number in range(1 + rounds):
            for index, arm in enumerate((clean, *stressed)):
                arm.load()
                arm.read()
                if number:
                    least[index] = min(least[index], arm.main_thread_ms())
    plain, *others = least
    size = f"{len(site.page) / 1000:.0f} kB"
    return [
        Figure(f"main thread of a page, {label} more than clean", stressed_ms - plain, "ms", MAIN_THREAD_MS[label],
               f"{stressed_ms:.1f} ms against {plain:.1f} ms, {size}")
        for label, stressed_ms in zip(labels, others, strict=True)
    ]  # fmt: skip


def large_page(browser: Browser, world: World, site: SizedSite, rounds: int) -> list[Figure]:
    """Measure a large page under the mode that changes most of it against the same in `clean`."""
    least = [[float("inf")] * 2, [float("inf")] * 2]
    with arms(browser, world, site, [_LARGE, "clean"]) as pair:
        for _ in range(rounds):
            for index, arm in enumerate(pair):
                deeds: tuple[Callable[[], object], ...] = arm.load, arm.read
                for step, act in enumerate(deeds):
                    start = time.perf_counter()
                    act()
                    least[step][index] = min(least[step][index], time.perf_counter() - start)
    size = f"{len(site.page) / 1e6:.1f} MB"
    return [
        Figure(f"{deed} a large page, {_LARGE} / clean", ours / plain, "x", _MOST_TIMES_CLEAN,
               f"{ours:.2f} s against {plain:.2f} s, {size}")
        for deed, (ours, plain) in zip(("loading", "reading"), least, strict=True)
    ]  # fmt: skip


def many_loads(
    browser: Browser, world: World, site: SizedSite, loads: int, tell: Callable[[str], None]
) -> list[Figure]:
    """Measure what loads of one episode leave behind in this process, which the proxy is a part of, and in the page."""
    with arms(browser, world, site, [_MANY]) as (arm,):
        begun = loads // _SETTLED
        for number in range(loads):
            if number == begun:
                ours, pages = resident_kb(), arm.memory_kb()
            arm.load()
            arm.read()
            if number % 200 == 199:
                tell(f"{number + 1} loads")
        counted = loads - begun
        left = [resident_kb() - ours, arm.memory_kb() - pages]
    return [
        Figure(f"memory that a load leaves behind, {whose}", max(0.0, growth_kb) / counted, "kB", _MOST_GROWTH_KB,
               f"{growth_kb / 1000:.1f} MB in {counted} loads of {len(site.page) / 1000:.0f} kB")
        for whose, growth_kb in zip(("proxy", "page"), left, strict=True)
    ]  # fmt: skip


def resident_kb() -> float:
    """Return the memory of this process, without what it has given up."""
    gc.collect()
    # Only Linux tells how much a process has now; elsewhere the most that it ever had must do.
    status = Path("/proc/self/status")
    if not status.exists():
        import resource  # noqa: PLC0415 - not on every system

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return float(line.split()[1])


def _conditions(labels: Sequence[str]) -> list[Condition]:
    # One by one: of a list they come in the order of the program.
    return [condition for label in labels for condition in conditions(label)]
