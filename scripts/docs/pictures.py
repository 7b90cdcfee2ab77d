"""Pictures of a page of each site, and of pages of two sites in each mode, after an action that makes the mode
visible."""

import base64
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from scripts.docs.markdown import table
from scripts.docs.markers import ROOT
from scripts.waited import Observer, Recorder, admitted, launched, opened, settle
from stressweb.core.conditions import DEFAULT_SEVERITY, parse
from stressweb.core.draws import Seeds
from stressweb.core.task_id import site_of
from stressweb.core.words import paragraphs
from stressweb.perturbations import MODES, mode
from stressweb.plugins.site_world import now_of
from stressweb.runner.world.world import EpisodeWorld, World
from stressweb.sites import kit

FOLDER = "pictures"
SEARCH_TEXT = "green lamp"
"""Text for the search field."""
LARGEST = 200_000
"""Maximum size of a picture in bytes."""
_SEEDS = 200
_SCALE = 0.625
# The browser scales the picture, so that no image library is needed.
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


class Example(NamedTuple):
    """A page of a site that one of its goals leads to, and a control on the page."""

    task: str
    path: str
    """Template of the path over the goal's parameters."""
    role: Literal["button", "link"]
    label: str
    """Label key of the control to press."""

    @property
    def site(self) -> str:
        """Name of the site."""
        return site_of(self.task)


EXAMPLES = (
    Example("shop/two-of-a-named-product", "c/{product.category_id}", "button", "add_to_cart"),
    Example("calendar/month-view", "", "link", "next_month"),
)


def _first(site: str) -> Example:
    """Return the first page of a site; its control is not pressed."""
    return Example(kit.tasks(site)[0].id, "", "link", "search")


class Visit(NamedTuple):
    """A page of a site, open under a condition."""

    page: Page
    world: EpisodeWorld
    example: Example
    labels: Mapping[str, str]
    """The wordings of the site, by label key."""

    def press(self) -> None:
        """Click once on the example's control."""
        control = self.page.locator("main").get_by_role(self.example.role, name=self.button, exact=True)
        control.first.click()
        settle(self.page, self.world)

    @property
    def button(self) -> str:
        """The wording of the control."""
        return self.labels[self.example.label]

    def enter(self) -> str:
        """Enter a search text and return the field's value after that."""
        field = self.page.locator("[type=search]").first
        field.fill(SEARCH_TEXT)
        return field.input_value()

    def delivered(self, mode: str) -> int:
        """Return the number of deliveries of the mode in the ledger."""
        return sum(entry.mode == mode and entry.phase == "delivered" for entry in self.world.perturber.entries)


def _nothing(visit: Visit) -> bool:
    return True


def _selected(visit: Visit) -> bool:
    """Click once; return whether the click only selected the control."""
    visit.press()
    return visit.delivered("remap") == 1


def _swallowed(visit: Visit) -> bool:
    """Enter a search text and click once; return whether neither took effect."""
    if visit.enter():
        return False
    visit.press()
    return visit.delivered("failure") == 2


def _interrupted(visit: Visit) -> bool:
    """Click once; return whether a dialog is shown instead of the click's effect."""
    if not visit.page.locator("dialog[open]").count():
        visit.press()
    return visit.page.locator("dialog[open]").is_visible()


def _moved(visit: Visit) -> bool:
    """Return whether any element differs from the clean page in position, size or angle."""
    return visit.delivered("chaos") > 0


def _misleading(visit: Visit) -> bool:
    """Return whether buttons are visible that the clean page does not have."""
    known = set(visit.labels.values())
    return sum(name not in known for name in visit.page.evaluate(_SEEN_BUTTONS_JS)) >= 2


SCENES: Mapping[str, tuple[str, Callable[[Visit], bool]]] = {
    "clean": ("as the site serves it", _nothing),
    "remap": ('after one click on "{button}", which only selected it', _selected),
    "remap_explicit": ("the same controls are remapped, and the page says so from the start", _nothing),
    "failure": (
        'after "{sought}" was entered into the search field and "{button}" was clicked: neither took effect',
        _swallowed,
    ),
    "popup": ("a dialog interrupts the action; after the right answer the action goes through", _interrupted),
    "chaos": ("sizes, angles and positions change; everything can still be read and pressed", _moved),
    "noise": (
        "buttons that do nothing example between the site's own; most of the noise is visible only in the document",
        _misleading,
    ),
}
"""For each condition: the caption, and a function that prepares the page and returns whether the mode is visible.

Other modes are shown on the page as it is served.
"""


def gallery() -> str:
    """Make all pictures and return the table that shows them, with a row for each condition."""
    drawn = pictures(ROOT / "docs" / FOLDER)
    rows = [
        [f"**{name}**: {caption}<br>![{site}, {name}]({FOLDER}/{site}-{name}.png)" for site, caption in of.items()]
        for name, of in drawn.items()
    ]
    return table([example.site for example in EXAMPLES], rows)


def sites() -> str:
    """Return a table with a picture of each site, two in a row."""
    cells = [f"**{site}**<br>![{site}, clean]({FOLDER}/{site}-clean.png)" for site in kit.names()]
    rows = [cells[start : start + 2] for start in range(0, len(cells), 2)]
    # All rows of a table need the same number of cells.
    return table(["", ""], [[*row, *[""] * (2 - len(row))] for row in rows])


def pictures(folder: Path) -> dict[str, dict[str, str]]:
    """Make all pictures in `folder`; return their captions by condition and site."""
    folder.mkdir(parents=True, exist_ok=True)
    world = World()
    try:
        with sync_playwright() as playwright:
            browser = launched(playwright)
            captions = {
                name: {example.site: _drawn(world, browser, example, name, folder) for example in EXAMPLES}
                for name in ("clean", *MODES)
            }
            for site in {*kit.names()} - {example.site for example in EXAMPLES}:
                _drawn(world, browser, _first(site), "clean", folder)
            browser.close()
            return captions
    finally:
        world.close()


def _drawn(world: World, browser: Browser, example: Example, name: str, folder: Path) -> str:
    """Make the picture of a condition with the first stress seed with which the mode is visible; return its caption."""
    caption, shows = SCENES.get(name) or (paragraphs(mode(name))[0].rstrip("."), _nothing)
    # Try seeds in order, so that the picture changes only if the draws do.
    for stress in range(_SEEDS):
        with _visit(world, browser, example, name, stress) as visit:
            if shows(visit):
                # Finish animations, so that each run makes the same picture.
                png = visit.page.screenshot(animations="disabled")
                text = caption.format(sought=SEARCH_TEXT, button=visit.button)
                small = _shrunk(browser, png)
                if len(small) > LARGEST:
                    raise SystemExit(f"docs: the picture of {name} has {len(small)} bytes, at most {LARGEST} may be")
                (folder / f"{example.site}-{name}.png").write_bytes(small)
                return text if name == "clean" else f"{text} (severity {DEFAULT_SEVERITY}, stress seed {stress})"
    raise SystemExit(f"docs: {name} is not visible on the {example.site} with any of {_SEEDS} stress seeds")


@contextmanager
def _visit(world: World, browser: Browser, example: Example, name: str, stress: int) -> Iterator[Visit]:
    site = kit.load(example.site, 0)
    goal = next(task for task in kit.tasks(example.site) if task.id == example.task).goal(site)
    (condition,) = parse(name, MODES)
    # Use a fixed key, because marks are part of the page, and the page must be the same every time.
    episode = world.open(site, condition, Seeds(0, stress, example.task))
    try:
        with opened(browser, episode.port, now_of(site)) as context:
            page = context.new_page()
            url = episode.start_url + example.path.format_map(goal.params)
            with admitted(context.new_cdp_session(page), url, episode.credential):
                page.goto(url)
            settle(page, episode)
            # Changes of the page are counted only after a read.
            Observer(recorder=Recorder(episode)).read(page, [])
            yield Visit(page, episode, example, site.labels)
    finally:
        episode.close()


def _shrunk(browser: Browser, data: bytes) -> bytes:
    page = browser.new_page()
    small = page.evaluate(_SHRINK_JS, [base64.b64encode(data).decode(), _SCALE])
    page.close()
    return base64.b64decode(small)
