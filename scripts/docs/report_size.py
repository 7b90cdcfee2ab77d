"""The size of reports, the time to write them and the time to open them, measured with synthetic episodes."""

import random
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, sync_playwright

from scripts.docs.markdown import table
from stressweb.core.browser_program import find_browser, launch_args
from stressweb.core.conditions import CLEAN
from stressweb.log.ledger import Entry
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.perturbations import MODES
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.checks import Grade
from stressweb.report.chosen import LARGE, MOST
from stressweb.report.pack import ROOM, Limits
from stressweb.runner.outcome.reporting import write
from stressweb.runner.registry import chosen_agents, conditions


class Run(NamedTuple):
    """The properties of a measured run."""

    tasks: int
    agents: str
    modes: str
    """Conditions in addition to clean."""
    pictures: bool = False
    single_file: bool = False

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return Plan(
            agents=tuple(chosen_agents(self.agents)),
            tasks=tuple(f"shop/task-{task}" for task in range(self.tasks)),
            conditions=(CLEAN, *conditions(self.modes)),
        )


_MODES = ",".join(MODES)
RUNS = (
    Run(10, "naive,resilient", "remap,failure,popup,noise"),
    Run(10, "naive,resilient", "remap,failure,popup,noise", pictures=True),
    Run(149, "resilient", _MODES),
    Run(149, "resilient", _MODES, single_file=True),
)
_LOOK = """window.opened = new Promise((done) => {
    const look = () => {
        const row = document.querySelector("#list > tbody[id] > tr");
        if (document.readyState !== "loading" && row?.getClientRects().length) done(performance.now());
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
})"""
OPENINGS = 5
"""Number of times that a report is opened; the slowest counts."""
STEPS = 12
PICTURE = 100_000
"""Size of a picture in bytes, as on the sites."""
ELEMENTS = 300
_WORDS = (
    "cart",
    "order",
    "price",
    "shop",
    "review",
    "delivery",
    "address",
    "lamp",
    "chair",
    "shirt",
    "linen",
    "copper",
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def report_size() -> dict[str, str]:
    """Write reports of runs of several sizes and return a table of their costs."""
    head = (
        "episodes", "pictures", "one file asked for", "recording", "report", "side files", "processor time", "opens in",
    )  # fmt: skip
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser().path, args=launch_args())
        measured = table(head, (_measured(run, browser) for run in RUNS))
        browser.close()
    pages, pictures = (f"{limit / 1e6:.0f} MB" for limit in Limits())
    most = (
        f"Episodes of more than {ROOM / 1e6:.0f} MB together go into side files. A single file, if you ask for one, has"
        f" at most {pages} of pages and {pictures} of pictures, those of false claims and failures first. A report of"
        f" more than {LARGE:,} episodes has {MOST:,} of them in detail."
    )
    opened = (
        f"Each episode has {STEPS} steps. A report has opened when its list can be read; the slowest of {OPENINGS}"
        " times counts."
    )
    return {"report-size": f"{most}\n\n{measured}\n\n{opened}"}


def _measured(run: Run, browser: Browser) -> tuple[object, ...]:
    with tempfile.TemporaryDirectory(prefix="stressweb-docs-") as folder:
        path, output = Path(folder) / "run" / FILE, Path(folder) / "report.html"
        _record(path, run)
        # Measure CPU time, which does not depend on other processes.
        start = time.process_time()
        written = write(path.parent, output, single_file=run.single_file)
        seconds = time.process_time() - start
        opened = max(_opened(browser, output) for _ in range(OPENINGS))
        return (
            f"{len(run.plan.cells()):,}",
            "yes" if run.pictures else "no",
            "yes" if run.single_file else "no",
            _mb(path.stat().st_size),
            _mb(output.stat().st_size),
            _mb(written.side_bytes) if written.folder else "none",
            f"{seconds:.0f} s",
            f"{opened:.1f} s",
        )


def _opened(browser: Browser, path: Path) -> float:
    """Return the seconds until the first row of a report's list is visible, by the browser's clock.

    The report is not in the browser's cache.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        page = context.new_page()
        page.add_init_script(_LOOK)
        page.goto(path.as_uri(), wait_until="domcontentloaded")
        return float(page.evaluate("window.opened")) / 1000
    finally:
        context.close()


def _mb(size: int) -> str:
    return f"{size / 1e6:.0f} MB"


def _record(path: Path, run: Run) -> None:
    plan = run.plan
    cells = plan.cells()
    chance = random.Random(len(cells))
    with Store.create(path, {"plan": plan.model_dump()}, cells) as store:
        for cell in cells:
            store.save(_episode(cell, chance, pictures=run.pictures))


def _episode(cell: Cell, chance: random.Random, *, pictures: bool) -> EpisodeRecord:
    words = [" ".join(chance.choices(_WORDS, k=3)) for _ in range(ELEMENTS)]
    steps = [
        StepRecord(
            # Random bytes instead of a picture: both do not compress, and only the size of the report is measured.
            page=Shown("http://shop.test/", _page(words, chance), chance.randbytes(PICTURE) if pictures else None),
            action=Action(kind="CLICK", selector="main > div:nth-of-type(3) > a") if n else None,
            outcome=Outcome(ok=True) if n else None,
            seconds=0.2,
        )
        for n in range(STEPS)
    ]
    success = cell.agent == "resilient" or cell.condition == "clean"
    ledger = [Entry(step=2, mode=cell.condition.partition("@")[0], phase="delivered", element="button 'Buy'")]
    grade = Grade({"saw it": True, "bought it": success}, {"bought more": False}, verdict=success)
    return EpisodeRecord(cell, "done", "done", "Done.", steps, ledger=ledger, grade=grade, seconds=2.0)


def _page(words: list[str], chance: random.Random) -> str:
    """Return a page with new marks, like every page."""
    marks = ["".join(chance.choices(_LETTERS, k=10)) for _ in words]
    links = (f'<a href="/p/{word[:4]}">{word}</a>' for word in words)
    body = "".join(f'<div class="{mark} card">{link}</div>' for mark, link in zip(marks, links, strict=True))
    return f"<!doctype html><html><head><title>Shop</title></head><body>{body}</body></html>"
