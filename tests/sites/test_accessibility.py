"""What axe finds wrong with a site's pages, in every theme: nothing.

axe-core is no package of Python: `npm install --prefix DIR axe-core@4`, and STRESSWEB_AXE names its axe.min.js.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page

from perturbations import MODES
from runner.world.world import EpisodeWorld, World
from sites import kit
from sites.kit import theme
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from tests.sites.crawling import PERSONAS, SITES, sign_in, visitor
from tests.sites.test_in_browser import paths

type Visit = Callable[[EpisodeWorld], Page]

AXE = os.environ.get("STRESSWEB_AXE", "")
WIDTHS = (1280, 390)


@pytest.mark.audit
@pytest.mark.skipif(not AXE, reason="needs axe-core: STRESSWEB_AXE names its axe.min.js")
@pytest.mark.parametrize("at", range(len(theme.THEMES)), ids=theme.THEMES)
@pytest.mark.parametrize("name", SITES)
def test_axe_finds_nothing(world: World, visit: Visit, name: str, at: int) -> None:
    # A seed for each theme: layouts and wordings come round with them.
    made = kit.load(name, at)
    made.look = replace(made.look, theme=theme.THEMES[at])
    (clean,) = parse("clean", MODES)
    episode = world.open(made, clean, Seeds(at, 0, f"{name}/x"), b"k" * 16)
    page = visit(episode)
    found = []
    page.goto(f"http://{made.host}/")
    for step in sign_in(made, PERSONAS.get(name, "")):
        role = {"open": "link", "press": "button"}.get(step.verb)
        if role is None:
            page.locator("main").get_by_label(step.target, exact=True).fill(step.value or "")
        else:
            page.locator("body").get_by_role(role, name=step.target, exact=True).last.click()  # type: ignore[arg-type]
    for path in (*paths(visitor(name, at, PERSONAS.get(name, ""))), "/no/such/page"):
        page.goto(f"http://{made.host}{path}")
        page.evaluate(Path(AXE).read_text("utf-8"))
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            told = page.evaluate("axe.run(document)")["violations"]
            found += [(path, width, one["id"], one["nodes"][0]["html"]) for one in told]
    assert found == []
    episode.close()
