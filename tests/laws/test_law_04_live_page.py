"""Law 4: the page itself is perturbed, nothing that a goal needs is destroyed, and what must be pressed can be hit."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from perturbations import MODES, mode
from runner.browser.loading import Loading
from runner.browser.settle import settle
from runner.registry import site_names
from runner.world.world import EpisodeWorld, World
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.html.accessible_name import clean
from stressweb.html.marks import Kind, Marks
from stressweb.plugins.perturbation import Stage
from tests.laws.crawl import crawl, of_a_kind, some_pages
from tests.laws.playing import Player

pytestmark = pytest.mark.long

KEY = b"k" * 16
PAGES = 6
"""Pages of a site that are looked at, each of another kind, drawn by SEED."""
TREE = "tree of the last"
CHANGES = [name for name in MODES if mode(name).stage is Stage.PERCEPTION]
"""Modes that change what a page looks like."""
CONDITIONS = [
    *(f"{name}@{severity}" for name in CHANGES for severity in (1, 3)),
    # Behind an open dialog nothing can be hit, and nothing is meant to be.
    *(f"{name}@5" for name in MODES if name != "popup"),
    "chaos@5+noise@5",
]
type Visit = Callable[[EpisodeWorld], Page]

HITS = """() => Array.from(document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea"))
  .map((element) => {
    element.scrollIntoView({block: "center", behavior: "instant"});
    // What hides its overflow is scrolled by no hand.
    for (let one = element.parentElement; one !== document.documentElement; one = one.parentElement)
      if (getComputedStyle(one).overflowY === "hidden") one.scrollTop = 0;
    const box = element.getBoundingClientRect();
    const shown = box.width > 1 && box.height > 1 && getComputedStyle(element).visibility === "visible";
    const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const hit = at !== null && (element.contains(at) || at.contains(element) && at.localName === "label");
    return {classes: element.className, text: element.textContent, shown, hit, size: Math.min(box.width, box.height),
      tag: element.localName, overflow: document.documentElement.scrollWidth - innerWidth};
  })"""
FLOORS = {"button": 28, "a": 28, "input": 24, "select": 24, "textarea": 24}
NODES = """() => Array.from(document.body.querySelectorAll("*:not(noscript, script)"), (element) => ({classes: element.className.toString(),
  text: element.textContent, shown: element.getClientRects().length > 0}))"""


@pytest.fixture
def pages(play: Player, world: World, visit: Visit, seed: int) -> Callable[[str, str, str], dict[str, Any]]:
    """Return what a script finds on some pages of a site under a condition, and the tree of the last."""

    def look(name: str, condition: str, script: str) -> dict[str, Any]:
        site = play.library.world(name, 0)
        episode = world.open(site, parse(condition, MODES)[0], Seeds(0, 0, f"{name}/x"), KEY)
        page = visit(episode)
        loading = Loading(page.context.new_cdp_session(page))
        found = {}
        for path in (one.path for one in some_pages(site, PAGES, "law 4", seed)):
            page.goto(episode.start_url.rstrip("/") + path)
            settle(page, episode, loading=loading)
            found[path] = page.evaluate(script)
        tree = page.locator("body").aria_snapshot()
        assert episode.faults() == []
        episode.close()
        return {**found, TREE: tree}

    return look


def site_controls(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    reader = Marks(KEY).reader(one["classes"] for one in found)
    return [one for one in found if reader.kind(one["classes"]) in (None, Kind.ORIGINAL)]


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", site_names())
@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_must_be_pressed_can_be_hit_at_its_centre(
    pages: Callable[[str, str, str], dict[str, Any]], name: str, condition: str
) -> None:
    clean_pages, stressed_pages = pages(name, "clean", HITS), pages(name, condition, HITS)
    for path in clean_pages.keys() - {TREE}:
        clean_ones, stressed_ones = clean_pages[path], site_controls(stressed_pages[path])
        assert clean_ones
        assert [clean(one["text"]) for one in clean_ones] == [clean(one["text"]) for one in stressed_ones]
        for before, after in zip(clean_ones, stressed_ones, strict=True):
            assert (after["shown"], after["hit"]) == (before["shown"], before["hit"]), f"{path}: {after}"
            assert after["size"] >= min(before["size"], 16), f"{path}: {after}"


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", site_names())
@pytest.mark.parametrize("condition", ["noise@1", "noise@3", "noise@5", "remap_explicit@3"])
def test_document_tree_and_picture_agree_on_every_node_of_ours(
    pages: Callable[[str, str, str], dict[str, Any]], name: str, condition: str
) -> None:
    found = pages(name, condition, NODES)
    *_, nodes = (nodes for path, nodes in found.items() if path != TREE)
    reader = Marks(KEY).reader(one["classes"] for one in nodes)
    ours = [one for one in nodes if reader.kind(one["classes"]) is Kind.ADDED]
    theirs = " ".join(clean(one["text"]) for one in nodes if reader.kind(one["classes"]) is Kind.ORIGINAL)
    shown = {clean(one["text"]) for one in ours if one["shown"]}
    assert ours
    tree = clean(found[TREE])
    for one in ours:
        text = clean(one["text"])
        if text in shown:
            assert text in tree
        elif text and text not in theirs:
            assert text not in tree


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("severity", range(1, 6))
@pytest.mark.parametrize("name", site_names())
def test_chaos_leaves_every_target_of_every_page_within_reach(
    world: World, visit: Visit, play: Player, name: str, severity: int
) -> None:
    """All pages that links lead to: each target is hit in its middle where it was, and large enough."""
    site = play.library.world(name, 0)
    paths = [page.path for page in crawl(site, of_a_kind=of_a_kind(name))]
    found = []
    for condition in ("clean", f"chaos@{severity}"):
        episode = world.open(site, parse(condition, MODES)[0], Seeds(0, severity, f"{name}/x"), KEY)
        page = visit(episode)
        loading = Loading(page.context.new_cdp_session(page))
        found.append({})
        for path in paths:
            page.goto(episode.start_url.rstrip("/") + path)
            settle(page, episode, loading=loading)
            found[-1][path] = page.evaluate(HITS)
        assert episode.faults() == []
        episode.close()
    for path in paths:
        for before, after in zip(found[0][path], found[1][path], strict=True):
            assert (after["shown"], after["hit"]) == (before["shown"], before["hit"]), f"{path}: {after}"
            if before["hit"]:
                assert after["size"] >= min(before["size"], FLOORS[after["tag"]]) - 1, f"{path}: {after}"
            assert after["overflow"] <= max(before["overflow"], 0) + 4, path


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", site_names())
@pytest.mark.parametrize("condition", [f"{name}@{severity}" for name in CHANGES for severity in (3, 5)])
def test_it_shows_in_the_picture(world: World, visit: Visit, play: Player, name: str, condition: str) -> None:
    pictures = []
    for one in ("clean", condition):
        site = play.library.world(name, 0)
        episode = world.open(site, parse(one, MODES)[0], Seeds(0, 0, f"{name}/x"), KEY)
        pictures.append(visit(episode).screenshot())
        episode.close()
    assert pictures[0] != pictures[1]


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", site_names())
def test_a_rerendered_node_keeps_its_mark(world: World, visit: Visit, play: Player, name: str) -> None:
    """A page that copies or rewrites its own nodes takes remapped controls, decoys and styles along."""
    site = play.library.world(name, 0)
    episode = world.open(site, parse("remap@5+noise@5", MODES)[0], Seeds(0, 0, f"{name}/x"), KEY)
    page = visit(episode)
    page.evaluate("() => { const main = document.querySelector('main'); main.innerHTML = main.innerHTML; }")
    shown = page.evaluate(NODES)
    reader = Marks(KEY).reader(one["classes"] for one in shown)
    assert all(reader.kind(one["classes"]) is not None for one in shown if one["text"].strip())
    page.locator("main a:visible").first.click()
    assert page.url == episode.start_url
    assert any(entry.phase == "delivered" and entry.mode == "remap" for entry in episode.ledger())
    episode.close()
