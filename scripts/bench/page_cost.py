"""The cost of a condition's script in a page: main thread time, loading time and memory."""

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
"""Maximum additional main thread time of a page compared with `clean`, in milliseconds, by condition."""
LARGE_BYTES = 5_000_000
_LARGE = "noise@3"
_MOST_TIMES_CLEAN = 2.0
_MANY = "noise@3+popup@3"
_MOST_GROWTH_KB = 4.0
"""Maximum memory growth per load in kB, so that a run of thousands of loads does not run out of memory."""
_SETTLED = 3
"""The first 1/_SETTLED of the loads are not measured, because caches fill."""
_DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_SEEDS = Seeds(0, 0, "sized/x")


class Arm:
    """A tab in which a page is loaded and read repeatedly under a condition."""

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
        # Use the thread's time, which excludes other processes.
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._recorder = Recorder(episode)
        self._recorder.attach(self._page, self._session)

    def load(self, path: str = "/") -> None:
        """Load a page and wait until it is rendered."""
        self._page.goto(urljoin(self._episode.start_url, path))
        self._page.evaluate(_DRAWN)

    def read(self) -> str:
        """Read the page as after an action, wait until resulting changes are rendered, and return the copy."""
        text = self._recorder.read(self._page, measured=False)
        self._page.evaluate(_DRAWN)
        page_read = json.loads(text or "{}")
        self._recorder.pass_on(page_read)
        return str(page_read["copy"])

    def main_thread_ms(self) -> float:
        """Return the time of the tab's main thread since the navigation; the browser resets it for each document."""
        return 1000 * self._metrics()["TaskDuration"]

    def memory_kb(self) -> float:
        """Return the memory of the tab's scripts and nodes in kB, after garbage collection."""
        self._session.send("HeapProfiler.collectGarbage")
        metrics = self._metrics()
        return metrics["JSHeapUsedSize"] / 1000 + metrics["Nodes"] * 0.2

    def close(self) -> None:
        """Close the tab and the episode."""
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
            open_arms.append(Arm(browser, world.open(site, condition, _SEEDS)))
            stack.callback(open_arms[-1].close)
        yield open_arms


def main_thread(browser: Browser, world: World, site: SizedSite, rounds: int) -> list[Figure]:
    """Measure the additional main thread time of a page under each condition compared with `clean`.

    It is measured from the request until the first read and its rendering. The conditions take turns, and the minimum
    of all rounds counts, because disturbances only add time.
    """
    labels = list(MAIN_THREAD_MS)
    with arms(browser, world, site, ["clean", *labels]) as (clean, *stressed):
        least = [float("inf")] * (1 + len(stressed))
        # Skip the first round, in which the browser compiles scripts.
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
    """Measure a large page under the mode that changes the most of it, compared with `clean`."""
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
    browser: Browser, world: World, site: SizedSite, loads: int, progress: Callable[[str], None]
) -> list[Figure]:
    """Measure the memory growth over the loads of an episode, in this process with the proxy, and in the page."""
    with arms(browser, world, site, [_MANY]) as (arm,):
        unmeasured = loads // _SETTLED
        for number in range(loads):
            if number == unmeasured:
                ours, pages = resident_kb(), arm.memory_kb()
            arm.load()
            arm.read()
            if number % 200 == 199:
                progress(f"{number + 1} loads")
        counted = loads - unmeasured
        growths_kb = [resident_kb() - ours, arm.memory_kb() - pages]
    return [
        Figure(f"memory growth per load, {whose}", max(0.0, growth_kb) / counted, "kB", _MOST_GROWTH_KB,
               f"{growth_kb / 1000:.1f} MB in {counted} loads of {len(site.page) / 1000:.0f} kB")
        for whose, growth_kb in zip(("proxy", "page"), growths_kb, strict=True)
    ]  # fmt: skip


def resident_kb() -> float:
    """Return the resident memory of this process in kB, after garbage collection."""
    gc.collect()
    # Only Linux reports the current memory; elsewhere, use the peak.
    status = Path("/proc/self/status")
    if not status.exists():
        import resource  # noqa: PLC0415 - not on every system

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return float(line.split()[1])


def _conditions(labels: Sequence[str]) -> list[Condition]:
    # Parse them one by one, because a list is returned in the program's order.
    return [condition for label in labels for condition in conditions(label)]
