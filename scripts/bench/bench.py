"""`make bench`: what the harness costs, as ratios of two things measured in turns on the same machine."""

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
    """One world and one site, on which everything but the episodes and the workers is measured."""

    def __init__(self, world: World, site: BaselineSite, rounds: int) -> None:
        """Take what stays open for the whole measurement."""
        self._world, self._site, self._rounds = world, site, rounds

    def passing(self) -> Figure:
        """Measure what the proxy takes for a page under the slowest of all modes, against the same in clean."""
        site = SizedSite(page_of(PAGE_BYTES, largest(self._site)))
        cell = Cell(agent="naive", task=SAMPLE[0], condition=CLEAN.label, world=0)
        labels = ["sham", *(f"{mode}@3" for mode in MODES)]
        with ExitStack() as stack:
            ways = []
            for condition in (CLEAN, *(condition for label in labels for condition in conditions(label))):
                episode = self._world.open(site, condition, cell.seeds, cell.mark_key)
                stack.callback(episode.close)
                ways.append(partial(fetched, episode))
            sizes = [len(way()) for way in ways]
            # What differs between two fetches must be the script alone.
            if sizes[0] != len(site.page) or min(sizes[1:]) <= sizes[0]:
                raise InfrastructureError("the page that is measured is not served as it should be")
            # More rounds than elsewhere, because one takes milliseconds and a single pause of the machine would count.
            plain, *ours = in_turns(10 * self._rounds, *ways)
        slowest, label = max(zip(ours, labels, strict=True))
        detail = f"{1000 * slowest:.1f} ms against {1000 * plain:.1f} ms, {len(site.page) / 1000:.0f} kB"
        return Figure(f"a page through the proxy, {label} / clean", slowest / plain, "x", 1.2, detail)

    def reset(self, site: SiteWorld) -> Figure:
        """Measure a fresh copy of a site, its ports included, from opening to closing."""
        cell = Cell(agent="naive", task=SAMPLE[0], condition=CLEAN.label, world=0)
        opened = partial(self._world.open, site, CLEAN, cell.seeds, cell.mark_key)
        # The first one is left out: it pays for what is loaded once.
        opened().close()
        (seconds,) = in_turns(20 * self._rounds, lambda: opened().close())
        return Figure("resetting a site", 1000 * seconds, "ms", 10.0, f"template of {len(site.template) / 1000:.0f} kB")


def largest(site: BaselineSite) -> str:
    """Return the largest document that the start page links to."""
    start = lxml.html.document_fromstring(site.get("/"))
    paths = dict.fromkeys(path for link in start.iter("a") if (path := link.get("href") or "").startswith("/"))
    return max((site.get(path) for path in [*paths][:_LINKS]), key=len)


def throughput(folder: Path, browser: Path, tasks: Sequence[str], workers: int) -> tuple[Figure, float]:
    """Run the tasks with both agents in clean; return episodes per minute, start-up left out, and all seconds."""
    ends: list[float] = []
    begun = time.perf_counter()
    cells = record(folder, browser, "naive,resilient", tasks, workers, lambda: ends.append(time.perf_counter()))
    # The first result of each worker still holds its start-up.
    rate = 60 * (len(ends) - workers) / (ends[-1] - ends[workers - 1])
    name = f"episodes per minute, {workers} worker{'s' if workers > 1 else ''}"
    return Figure(name, rate, "/min", None, f"{len(cells)} episodes"), time.perf_counter() - begun


def regrading(folder: Path, running: float, rounds: int) -> Figure:
    """Measure grading a run again from its file, sites and checkpoints loaded anew, against running it."""

    def again() -> None:
        with Store.open(folder / FILE) as store:
            regraded = regrade(store, Library())
        # A re-grading that finds other grades did other work than the one that is to be measured.
        if problems := [*regraded.changed, *regraded.altered]:
            raise InfrastructureError(f"grading again changed {', '.join(problems)}")

    (seconds,) = in_turns(rounds, again)
    return Figure("re-grading a run / running it", seconds / running, "x", 0.02, f"{seconds:.2f} s, {running:.1f} s")


def measure(rounds: int, tasks: Sequence[str], tell: Callable[[str], None]) -> list[Figure]:
    """Measure the harness besides episodes, telling what is under way; raises InfrastructureError if a run fails."""
    browser = find_browser().path
    site = Library().world("shop", 0)
    with ExitStack() as stack, tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        world, bare = World(), BaselineSite(site)
        stack.callback(world.close)
        stack.callback(bare.close)
        bench = Bench(world, bare, rounds)
        tell("a page through the proxy")
        figures = [bench.passing(), bench.reset(site)]
        tell("runs with 1 and 2 workers")
        single, running = throughput(folder / "one", browser, tasks, 1)
        double, _ = throughput(folder / "two", browser, tasks, 2)
        return [*figures, regrading(folder / "one", running, rounds), single, double]


def measure_pages(rounds: int, loads: int, tell: Callable[[str], None]) -> list[Figure]:
    """Measure what pages take in the browser under each condition, and what the proxy holds."""
    with ExitStack() as stack:
        chromium = launched(stack.enter_context(sync_playwright()))
        stack.callback(chromium.close)
        world, bare = World(), BaselineSite(Library().world("shop", 0))
        stack.callback(world.close)
        stack.callback(bare.close)
        html = largest(bare)
        site = SizedSite(page_of(PAGE_BYTES, html))
        tell("connections and slow flows")
        figures = [connections(world, site), slow_flow(world, site, rounds)]
        tell("main thread of a page")
        figures += main_thread(chromium, world, site, 4 * rounds)
        tell("a large page")
        figures += large_page(chromium, world, SizedSite(page_of(LARGE_BYTES, html)), max(2, rounds // 2))
        tell(f"{loads} loads")
        return [*figures, *many_loads(chromium, world, site, loads, tell)]


def table(figures: Sequence[Figure]) -> Table:
    """Return the figures with target and verdict as a rich table."""
    rich_table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("measure", "value", "target", "", "from"):
        rich_table.add_column(heading, justify="right" if heading in ("value", "target") else "left")
    for figure in figures:
        target = "–" if figure.target is None else f"≤ {figure.target:g}"
        verdict = "" if figure.target is None else "[green]pass[/]" if figure.met else "[red]miss[/]"
        rich_table.add_row(figure.name, value(figure), target, verdict, figure.detail)
    return rich_table


def parts_table(parts: Sequence[Part]) -> Table:
    """Return where the time of an episode goes as a rich table."""
    rich_table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    rich_table.add_column("where the time of an episode goes")
    for heading in ("ms", "share", "with pictures", "share", "bare script"):
        rich_table.add_column(heading, justify="right")
    for row in parts_rows(parts):
        rich_table.add_row(*row)
    return rich_table


def parts_rows(parts: Sequence[Part]) -> list[list[str]]:
    """Return the parts as cells: milliseconds and share of an episode, the same with pictures, and the bare script."""
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
    """Return the value of a figure with its unit, with as many digits as mean something."""
    digits = 3 if figure.value < 0.1 else 2 if figure.value < 10 else 0
    return f"{figure.value:.{digits}f} {figure.unit}"


def to_json(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Return the figures for programs."""
    return [{**figure._asdict(), "met": figure.met} for figure in figures]


PARTS = ("episodes", "harness", "in-flight", "pages", "serve", "store")
"""What is measured: episodes against bare scripts, the rest of the harness against doing without it, many episodes at a
time, what pages take, the start of `serve` and the episodes of `host`, and a large run."""


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

    def tell(text: str) -> None:
        console.print(text, style="dim")

    figures, parts = list[Figure](), list[Part]()
    if "episodes" in (what or PARTS):
        tell("episodes against a bare script")
        figures, parts, _ = measure_sample(rounds)
    if "harness" in (what or PARTS):
        figures += measure(rounds, task_ids()[:limit], tell)
    if "in-flight" in (what or PARTS):
        tell("many episodes at a time")
        figures += measure_in_flight()
    if "pages" in (what or PARTS):
        figures += measure_pages(rounds, loads, tell)
        tell("clicks on a long page")
        figures += measure_long_page(rounds)
        tell("the observer of other people's agents")
        figures.append(measure_observing(rounds))
    if "serve" in (what or PARTS):
        tell("the start of serve, and episodes of host")
        figures += [measure_serve(rounds), measure_host(rounds)]
    if "store" in (what or PARTS):
        figures += measure_store(episodes, tell)
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
