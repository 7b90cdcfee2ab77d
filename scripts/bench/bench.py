"""`make bench`: the costs of the harness, as ratios of two ways measured in turns on the same machine."""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click
import lxml.html
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.table import Table

from scripts.bench.baseline import BaselineSite
from scripts.bench.episodes import SAMPLE, measure_sample
from scripts.bench.figure import Figure
from scripts.bench.holding import connections, slow_flow
from scripts.bench.host_open import measure_host
from scripts.bench.in_flight import measure_in_flight
from scripts.bench.long_page import measure_long_page
from scripts.bench.observing import measure_observing
from scripts.bench.page_cost import LARGE_BYTES, large_page, main_thread, many_loads
from scripts.bench.parts import Part
from scripts.bench.recorded import record
from scripts.bench.serve_start import measure_serve
from scripts.bench.sized_page import SizedSite, fetched, page_of
from scripts.bench.store import measure_store
from scripts.bench.turns import in_turns
from scripts.waited import launched
from stressweb.core.browser_program import find_browser
from stressweb.core.conditions import CLEAN
from stressweb.core.errors import InfrastructureError
from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store
from stressweb.perturbations import MODES
from stressweb.plugins.site_world import SiteWorld
from stressweb.runner.commands.cli import DONE, FINDING, guarded
from stressweb.runner.commands.options import as_json, option
from stressweb.runner.outcome.regrading import regrade
from stressweb.runner.registry import Library, conditions, task_ids
from stressweb.runner.world.world import World

PAGE_BYTES = 60_000
_LINKS = 20


class Bench:
    """A world and a site for all measurements except those of episodes and workers."""

    def __init__(self, world: World, site: BaselineSite, rounds: int) -> None:
        """Take the world and the site, which stay open for the whole measurement."""
        self._world, self._site, self._rounds = world, site, rounds

    def passing(self) -> Figure:
        """Measure the time of a page through the proxy under the slowest mode, compared with clean."""
        site = SizedSite(page_of(PAGE_BYTES, largest(self._site)))
        cell = Cell(agent="naive", task=SAMPLE[0], condition=CLEAN.label, world=0)
        labels = ["sham", *(f"{mode}@3" for mode in MODES)]
        with ExitStack() as stack:
            ways = []
            for condition in (CLEAN, *(condition for label in labels for condition in conditions(label))):
                episode = self._world.open(site, condition, cell.seeds)
                stack.callback(episode.close)
                ways.append(partial(fetched, episode))
            sizes = [len(way()) for way in ways]
            # Only the script may make a difference between the fetches.
            if sizes[0] != len(site.page) or min(sizes[1:]) <= sizes[0]:
                raise InfrastructureError("the page that is measured is not served as it should be")
            # Use more rounds than elsewhere, because a round takes milliseconds, and one pause of the machine would
            # matter.
            plain, *ours = in_turns(10 * self._rounds, *ways)
        slowest, label = max(zip(ours, labels, strict=True))
        detail = f"{1000 * slowest:.1f} ms against {1000 * plain:.1f} ms, {len(site.page) / 1000:.0f} kB"
        return Figure(f"a page through the proxy, {label} / clean", slowest / plain, "x", 1.2, detail)

    def reset(self, site: SiteWorld) -> Figure:
        """Measure opening and closing a fresh copy of a site, including its ports."""
        cell = Cell(agent="naive", task=SAMPLE[0], condition=CLEAN.label, world=0)
        opened = partial(self._world.open, site, CLEAN, cell.seeds)
        # Skip the first one, which loads modules and data.
        opened().close()
        (seconds,) = in_turns(20 * self._rounds, lambda: opened().close())
        return Figure("resetting a site", 1000 * seconds, "ms", 10.0, f"template of {len(site.template) / 1000:.0f} kB")


def largest(site: BaselineSite) -> str:
    """Return the largest document that the start page links to."""
    start = lxml.html.document_fromstring(site.get("/"))
    paths = dict.fromkeys(path for link in start.iter("a") if (path := link.get("href") or "").startswith("/"))
    return max((site.get(path) for path in [*paths][:_LINKS]), key=len)


def throughput(folder: Path, browser: Path, tasks: Sequence[str], workers: int) -> tuple[Figure, float]:
    """Run the tasks with both agents in clean; return episodes per minute without start-up, and the total seconds."""
    ends: list[float] = []
    start = time.perf_counter()
    cells = record(folder, browser, "naive,resilient", tasks, workers, lambda: ends.append(time.perf_counter()))
    # The time of each worker's first episode includes its start-up.
    rate = 60 * (len(ends) - workers) / (ends[-1] - ends[workers - 1])
    name = f"episodes per minute, {workers} worker{'s' if workers > 1 else ''}"
    return Figure(name, rate, "/min", None, f"{len(cells)} episodes"), time.perf_counter() - start


def regrading(folder: Path, running: float, rounds: int) -> Figure:
    """Measure grading a run again from its file, with sites and checkpoints loaded again, compared with running it."""

    def again() -> None:
        with Store.open(folder / FILE) as store:
            regraded = regrade(store, Library())
        # With different grades, the measured work would not be comparable.
        if problems := [*regraded.changed, *regraded.altered]:
            raise InfrastructureError(f"grading again changed {', '.join(problems)}")

    (seconds,) = in_turns(rounds, again)
    return Figure("re-grading a run / running it", seconds / running, "x", 0.02, f"{seconds:.2f} s, {running:.1f} s")


def measure(rounds: int, tasks: Sequence[str], progress: Callable[[str], None]) -> list[Figure]:
    """Measure the harness apart from single episodes, reporting progress; raises InfrastructureError if a run fails."""
    browser = find_browser().path
    site = Library().world("shop", 0)
    with ExitStack() as stack, tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        world, bare = World(), BaselineSite(site)
        stack.callback(world.close)
        stack.callback(bare.close)
        bench = Bench(world, bare, rounds)
        progress("a page through the proxy")
        figures = [bench.passing(), bench.reset(site)]
        progress("runs with 1 and 2 workers")
        single, running = throughput(folder / "one", browser, tasks, 1)
        double, _ = throughput(folder / "two", browser, tasks, 2)
        return [*figures, regrading(folder / "one", running, rounds), single, double]


def measure_pages(rounds: int, loads: int, progress: Callable[[str], None]) -> list[Figure]:
    """Measure pages in the browser under each condition, and the proxy's connections and slow flows."""
    with ExitStack() as stack:
        chromium = launched(stack.enter_context(sync_playwright()))
        stack.callback(chromium.close)
        world, bare = World(), BaselineSite(Library().world("shop", 0))
        stack.callback(world.close)
        stack.callback(bare.close)
        html = largest(bare)
        site = SizedSite(page_of(PAGE_BYTES, html))
        progress("connections and slow flows")
        figures = [connections(world, site), slow_flow(world, site, rounds)]
        progress("main thread of a page")
        figures += main_thread(chromium, world, site, 4 * rounds)
        progress("a large page")
        figures += large_page(chromium, world, SizedSite(page_of(LARGE_BYTES, html)), max(2, rounds // 2))
        progress(f"{loads} loads")
        return [*figures, *many_loads(chromium, world, site, loads, progress)]


def table(figures: Sequence[Figure]) -> Table:
    """Return the figures with targets and verdicts as a rich table."""
    rich_table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("measure", "value", "target", "", "from"):
        rich_table.add_column(heading, justify="right" if heading in ("value", "target") else "left")
    for figure in figures:
        target = "–" if figure.target is None else f"≤ {figure.target:g}"
        verdict = "" if figure.target is None else "[green]pass[/]" if figure.met else "[red]miss[/]"
        rich_table.add_row(figure.name, value(figure), target, verdict, figure.detail)
    return rich_table


def parts_table(parts: Sequence[Part]) -> Table:
    """Return the time of each part of an episode as a rich table."""
    rich_table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    rich_table.add_column("where the time of an episode goes")
    for heading in ("ms", "share", "with pictures", "share", "bare script"):
        rich_table.add_column(heading, justify="right")
    for row in parts_rows(parts):
        rich_table.add_row(*row)
    return rich_table


def parts_rows(parts: Sequence[Part]) -> list[list[str]]:
    """Return rows of cells: milliseconds and share of each part, the same with pictures, and for the bare script."""
    whole = parts[-1]
    return [
        [
            part.name,
            f"{part.plain:.0f}", f"{part.plain / whole.plain:.0%}",
            f"{part.pictured:.0f}", f"{part.pictured / whole.pictured:.0%}",
            f"{part.bare:.0f}" if part.bare else "–",
        ]
        for part in parts
    ]  # fmt: skip


def value(figure: Figure) -> str:
    """Return the value of a figure with its unit, with significant digits only."""
    digits = 3 if figure.value < 0.1 else 2 if figure.value < 10 else 0
    return f"{figure.value:.{digits}f} {figure.unit}"


def to_json(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Return the figures for JSON output."""
    return [{**figure._asdict(), "met": figure.met} for figure in figures]


PARTS = ("episodes", "harness", "in-flight", "pages", "serve", "store")
"""Groups of measurements: episodes compared with bare scripts, the rest of the harness, many concurrent episodes,
pages, the start of `serve` and episodes of `host`, and a large run."""


@click.command()
@click.argument("what", nargs=-1, type=click.Choice(PARTS))
@option("--rounds", type=click.IntRange(min=1), default=5, help="How often each of two ways is run, in turns.")
@option("--limit", type=click.IntRange(min=1), default=None, help="Number of tasks in the runs with 1 and 2 workers.")
@option("--loads", type=click.IntRange(min=30), default=2000, help="Loads of a page that memory is measured over.")
@option("--episodes", type=click.IntRange(min=10), default=3000, help="Episodes of the made-up run.")
@as_json
def bench(what: tuple[str, ...], rounds: int, limit: int | None, loads: int, episodes: int, as_json: bool) -> int:
    """Measure the harness, many episodes at a time, pages, servers, and a large run; exit 1 if a target is missed."""
    console = Console(stderr=True)

    def progress(text: str) -> None:
        console.print(text, style="dim")

    figures, parts = list[Figure](), list[Part]()
    if "episodes" in (what or PARTS):
        progress("episodes against a bare script")
        sample = measure_sample(rounds)
        figures, parts = sample.figures, sample.parts
    if "harness" in (what or PARTS):
        figures += measure(rounds, task_ids()[:limit], progress)
    if "in-flight" in (what or PARTS):
        progress("many episodes at a time")
        figures += measure_in_flight()
    if "pages" in (what or PARTS):
        figures += measure_pages(rounds, loads, progress)
        progress("clicks on a long page")
        figures += measure_long_page(rounds)
        progress("the observer of other people's agents")
        figures.append(measure_observing(rounds))
    if "serve" in (what or PARTS):
        progress("the start of serve, and episodes of host")
        figures += [measure_serve(rounds), measure_host(rounds)]
    if "store" in (what or PARTS):
        figures += measure_store(episodes, progress)
    if as_json:
        click.echo(json.dumps({"figures": to_json(figures), "parts": [part._asdict() for part in parts]}, indent=2))
    else:
        Console().print(table(figures))
        if parts:
            Console().print("", parts_table(parts), sep="\n")
    return DONE if all(figure.met for figure in figures) else FINDING


def main() -> None:
    """Run the measurement and exit with its status."""
    sys.exit(guarded(partial(bench.main, standalone_mode=False, prog_name="bench")))
