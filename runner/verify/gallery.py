"""Pictures of sites from recorded episodes: several worlds, and every mode at every severity."""

from collections.abc import Sequence
from pathlib import Path

from stressweb.core.conditions import CLEAN
from stressweb.core.words import paragraphs
from stressweb.log.recording import EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.perturbations import MODES
from stressweb.report.gallery import ModeRow, Picture, SiteShown
from stressweb.runner.api.start import Experiment, Listener, Place
from stressweb.runner.api.start import play as carried_out
from stressweb.runner.registry import MODES as ALL_MODES
from stressweb.runner.registry import Library

SEVERITIES = range(1, 6)
_MIN_STEPS = 8
"""Minimum number of actions of the pictured task, because a shorter task meets few modes."""


def play(sites: Sequence[str], worlds: int, place: Place, library: Library, listener: Listener) -> tuple[Path, Path]:
    """Run the gallery's episodes; return the folders of the runs of modes and of worlds."""
    tasks = tuple(task_of(site, library) for site in sites)
    modes = Experiment(
        name="gallery",
        agents=("resilient",),
        tasks=tasks,
        conditions=tuple(f"{name}@{severity}" for name in MODES for severity in SEVERITIES),
    )
    # An agent that does nothing suffices, because only the first page of each world is pictured.
    first_pages = Experiment(
        name="worlds", agents=("null",), tasks=tasks, conditions=("clean",), seed=tuple(range(worlds))
    )

    def folder_of(experiment: Experiment, must_fail: tuple[str, ...] = ()) -> Path:
        listener.must_fail(must_fail)
        return carried_out(experiment, place, listener, library).folder

    return folder_of(modes), folder_of(first_pages, first_pages.agents)


def task_of(site: str, library: Library) -> str:
    """Return the pictured task of a site: the first that is long enough, or the longest."""
    tasks = library.tasks(site)
    steps = {task: len(library.goal(task, 0).ways[0]) for task in tasks}
    return next((task for task in tasks if steps[task] >= _MIN_STEPS), max(steps, key=lambda task: steps[task]))


def pictured(sites: Sequence[str], modes: Path, worlds: Path, library: Library) -> list[SiteShown]:
    """Return the sites with their pictures."""
    with Store.read(modes / FILE) as mode_store, Store.read(worlds / FILE) as world_store:
        disturbed = {(cell.site, cell.condition): cell for cell in mode_store.finished()}
        clean = [cell for cell in world_store.finished() if cell.condition == CLEAN.label]
        return [
            SiteShown(
                name=site,
                goal=library.goal(task_of(site, library), 0).text,
                worlds=tuple(
                    Picture(picture, "")
                    for cell in clean
                    if cell.site == site
                    for picture in _first_screenshot(world_store.load(cell))
                ),
                modes=tuple(
                    ModeRow(
                        name,
                        paragraphs(ALL_MODES.get(name))[0],
                        tuple(
                            (
                                label,
                                _first_delivery_picture(mode_store.load(cell))
                                if (cell := disturbed.get((site, label)))
                                else None,
                            )
                            for label in (f"{name}@{severity}" for severity in SEVERITIES)
                        ),
                    )
                    for name in MODES
                ),
            )
            for site in sites
        ]


def _first_screenshot(record: EpisodeRecord) -> list[bytes]:
    return [step.page.screenshot for step in record.steps[:1] if step.page.screenshot]


def _first_delivery_picture(record: EpisodeRecord) -> Picture | None:
    """Return the picture right after the mode's first delivery, with the element."""
    for entry in record.ledger:
        if entry.phase == "delivered" and entry.step < len(record.steps):
            picture = record.steps[entry.step].page.screenshot
            step = f"action {entry.step}" if entry.step else "the first page"
            # For a change of a whole page, the entry has no element, or the path.
            element = f": {entry.element}" if entry.element and not entry.element.startswith("/") else ""
            return Picture(picture, step + element) if picture else None
    return None
