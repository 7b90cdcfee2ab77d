"""The same page of the shop in pictures: clean, and in each mode after what makes the mode show."""

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from perturbations import MODES
from runner.browser import find_browser, launch_args
from runner.episode import opened
from runner.settle import settle
from runner.worker import now_of
from runner.world import EpisodeWorld, World
from scripts.docs.markers import ROOT
from scripts.docs.parts import table
from sites.kit import world as kit
from stressweb.conditions import DEFAULT_SEVERITY, parse
from stressweb.keyed import Seeds
from stressweb.tasks import Goal

TASK = "shop/two-of-a-named-product"
FOLDER = "docs/pictures"
LARGEST = 150_000
"""Bytes that a picture may have."""
_SEEDS = 200
_SCALE = 0.625
# The browser draws the picture smaller: no library for pictures is needed.
_SHRINK_JS = """async ([data, scale]) => {
  const picture = new Image();
  picture.src = `data:image/png;base64,${data}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * scale;
  canvas.height = picture.height * scale;
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png").split(",")[1];
}"""
_SEEN_BUTTONS_JS = """() => Array.from(document.querySelectorAll("main button")).filter((button) => {
  const box = button.getBoundingClientRect();
  return box.width > 0 && box.top > 0 && box.bottom < innerHeight;
}).map((button) => button.innerText)"""


class Visit(NamedTuple):
    """A category of the shop, open under a condition."""

    page: Page
    world: EpisodeWorld
    goal: Goal
    labels: frozenset[str]
    """Every wording of the shop."""

    def press(self) -> None:
        """Click once on the first button that puts a product into the cart."""
        self.page.locator("[itemtype$=Product]").get_by_role("button", name=self.goal.ways[0][-1].target).first.click()
        settle(self.page, self.world)

    def enter(self, value: str) -> str:
        """Enter what to search for and return what the field holds then."""
        field = self.page.locator("[type=search]").first
        field.fill(value)
        return field.input_value()

    def delivered(self, mode: str) -> int:
        """Return how many gestures the mode has met, by the ledger."""
        return sum(entry.mode == mode and entry.phase == "delivered" for entry in self.world.ledger())


def _nothing(visit: Visit) -> bool:
    return True


def _selected(visit: Visit) -> bool:
    """Click once; whether the click only selected."""
    visit.press()
    return visit.delivered("remap") == 1


def _swallowed(visit: Visit) -> bool:
    """Enter a quantity and click once; whether neither took effect."""
    if visit.enter(visit.goal.product.name):
        return False
    visit.press()
    return visit.delivered("failure") == 2


def _misleading(visit: Visit) -> bool:
    """Whether buttons can be seen that the clean page does not have."""
    return sum(name not in visit.labels for name in visit.page.evaluate(_SEEN_BUTTONS_JS)) >= 2


SCENES: dict[str, tuple[str, Callable[[Visit], bool]]] = {
    "clean": ("as the shop serves it", _nothing),
    "remap": ('after one click on "{button}", which only selected it', _selected),
    "remap_explicit": ("the same controls are remapped, and the page says so from its load", _nothing),
    "failure": (
        'after "{product.name}" was entered into the search field and "{button}" was clicked: neither took effect',
        _swallowed,
    ),
    "noise": (
        "buttons that do nothing stand between the shop's own; most of the noise shows in the document alone",
        _misleading,
    ),
}
"""What each picture shows, and what is done for it; it says whether the mode shows with these draws."""


def gallery() -> str:
    """Draw every picture and return the table that shows them, two in a row."""
    cells = [f"**{name}**: {what}<br>![{name}]({FOLDER}/{name}.png)" for name, what in pictures(ROOT / FOLDER).items()]
    cells += [""] * (len(cells) % 2)
    return table(("", ""), zip(cells[::2], cells[1::2], strict=True))


def pictures(folder: Path) -> dict[str, str]:
    """Draw every picture into `folder` and return what each one shows, by the name of its condition."""
    folder.mkdir(parents=True, exist_ok=True)
    world = World()
    try:
        with sync_playwright() as playwright:
            found = find_browser()
            browser = playwright.chromium.launch(executable_path=found.path, args=launch_args())
            said = {name: _drawn(world, browser, name, folder) for name in ("clean", *MODES)}
            browser.close()
            return said
    finally:
        world.close()


def _drawn(world: World, browser: Browser, name: str, folder: Path) -> str:
    """Draw the picture of a condition with the first stress seed with which the mode shows."""
    caption, shows = SCENES[name]
    for stress in range(_SEEDS):
        with _visit(world, browser, name, stress) as visit:
            if shows(visit):
                data = visit.page.screenshot(animations="disabled")
                said = caption.format(product=visit.goal.product, button=visit.goal.ways[0][-1].target)
                small = _shrunk(browser, data)
                if len(small) > LARGEST:
                    raise SystemExit(f"docs: the picture of {name} has {len(small)} bytes, at most {LARGEST} may be")
                (folder / f"{name}.png").write_bytes(small)
                return said if name == "clean" else f"{said} (severity {DEFAULT_SEVERITY}, stress seed {stress})"
    raise SystemExit(f"docs: {name} shows with none of {_SEEDS} stress seeds")


@contextmanager
def _visit(world: World, browser: Browser, name: str, stress: int) -> Iterator[Visit]:
    site = kit.load("shop", 0)
    goal = next(task for task in kit.tasks("shop") if task.id == TASK).goal(site)
    (condition,) = parse(name, MODES)
    episode = world.open(site, condition, Seeds(0, stress, TASK), b"pictures of docs")
    try:
        with opened(browser, episode.port, now_of(site)) as context:
            page = context.new_page()
            page.goto(f"{episode.start_url}c/{goal.product.category_id}")
            settle(page, episode)
            yield Visit(page, episode, goal, frozenset(site.labels.values()))
    finally:
        episode.close()


def _shrunk(browser: Browser, data: bytes) -> bytes:
    page = browser.new_page()
    small = page.evaluate(_SHRINK_JS, [base64.b64encode(data).decode(), _SCALE])
    page.close()
    return base64.b64decode(small)
