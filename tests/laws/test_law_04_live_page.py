"""Law 4: the page itself is perturbed, nothing that a goal needs is destroyed, and what must be pressed can be hit."""

from collections.abc import Callable
from typing import Any

import pytest

from perturbations import MODES, mode
from runner.registry import site_names
from sites import kit
from stressweb.html.accessible_name import clean
from stressweb.plugins.perturbation import Stage
from tests.laws.crawl import Visited, crawl, of_a_kind, some_pages
from tests.laws.shown import Arm

pytestmark = pytest.mark.long

PAGES = 6
"""Pages of a site that are looked at, each of another kind, drawn by SEED."""
CHANGES = [name for name in MODES if mode(name).stage is Stage.PERCEPTION]
"""Modes that change what a page looks like."""
SHOWN = [*CHANGES, "remap_explicit"]
CONDITIONS = [
    *(f"{name}@{severity}" for name in CHANGES for severity in (1, 3)),
    # Behind an open dialog nothing can be hit, and nothing is meant to be.
    *(f"{name}@5" for name in MODES if name != "popup"),
    *(["chaos@5+noise@5"] if {"chaos", "noise"} <= {*MODES} else []),
]
FLOORS = {"button": 28, "a": 28, "input": 24, "select": 24, "textarea": 24}
type Arms = Callable[[str], Arm]

# Which nodes are ours is told by their numbers, as of a read that nothing has come after.
_OURS = """
  const kinds = new Map();
  const walker = document.createTreeWalker(document);
  for (let number = 0; walker.nextNode(); number += 1) if (ours[number]) kinds.set(walker.currentNode, ours[number]);
  const isOurs = (node) => node !== null && (kinds.get(node) === "added" || isOurs(node.parentNode));
  const siteText = (node) => node.nodeType === 3 ? node.data
    : [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes].filter((one) => kinds.get(one) !== "added").map(siteText).join("");
"""
HITS = f"""(ours) => {{
  {_OURS}
  const controls = "a[href], button, input:not([type=hidden]), select, textarea";
  return [...document.querySelectorAll(controls)].filter((one) => !isOurs(one)).map((element) => {{
    element.scrollIntoView({{block: "center", behavior: "instant"}});
    // What hides its overflow is scrolled by no hand.
    for (let one = element.parentElement; one !== document.documentElement; one = one.parentElement)
      if (getComputedStyle(one).overflowY === "hidden") one.scrollTop = 0;
    const box = element.getBoundingClientRect();
    const shown = box.width > 1 && box.height > 1 && getComputedStyle(element).visibility === "visible";
    const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const hit = at !== null && (element.contains(at) || at.contains(element) && at.localName === "label");
    return {{text: siteText(element), shown, hit, size: Math.min(box.width, box.height),
      tag: element.localName, overflow: document.documentElement.scrollWidth - innerWidth}};
  }});
}}"""
NODES = f"""(ours) => {{
  {_OURS}
  const added = [...kinds].filter(([node, kind]) => kind === "added" && node.nodeType === 1 && document.body.contains(node));
  // As somebody reads it: a block stands apart from the words before it.
  return {{theirs: siteText(document.body), ours: added.map(([node]) => ({{text: node.innerText, shown: node.checkVisibility({{visibilityProperty: true}})}}))}};
}}"""
HIDE = f"""(ours) => {{
  {_OURS}
  for (const [node, kind] of kinds) if (kind === "added" && node.nodeType === 1) node.style.setProperty("opacity", "0", "important");
}}"""


def pages(name: str, seed: int) -> list[Visited]:
    """Return some pages of a site, drawn by SEED."""
    return some_pages(kit.load(name, 0), PAGES, "law 4", seed)


def look(arm: Arm, page: Visited, script: str) -> Any:
    """Return what a script finds on a page that is told what of it is ours."""
    arm.show(page, drawn=True)
    return arm.page.evaluate(script, arm.seen().ours)


def reachable(clean_arm: Arm, arm: Arm, page: Visited) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return each control of a page, undisturbed and disturbed; each must be as reachable as it was."""
    before, after = look(clean_arm, page, HITS), look(arm, page, HITS)
    # In the same order, and called the same.
    assert [clean(one["text"]) for one in after] == [clean(one["text"]) for one in before], page.path
    assert before
    pairs = [*zip(before, after, strict=True)]
    for one, other in pairs:
        assert (other["shown"], other["hit"]) == (one["shown"], one["hit"]), f"{page.path}: {other}"
    return pairs


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", site_names())
@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_must_be_pressed_can_be_hit_at_its_centre(arm: Arms, name: str, condition: str, seed: int) -> None:
    for page in pages(name, seed):
        for before, after in reachable(arm("clean"), arm(condition), page):
            assert after["size"] >= min(before["size"], 16), f"{page.path}: {after}"


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", site_names())
@pytest.mark.parametrize("condition", [f"{name}@{severity}" for name in SHOWN for severity in (1, 3, 5)])
def test_document_tree_and_picture_agree_on_every_node_of_ours(arm: Arms, name: str, condition: str, seed: int) -> None:
    """What is ours is in all three or, where it is not seen, in the document alone: an agent may look at any of them."""
    if condition.startswith("chaos"):
        pytest.skip("chaos adds no node")
    shown, found = arm(condition), 0
    for page in pages(name, seed)[:3]:
        shown.show(page, drawn=True)
        read = shown.seen()
        nodes = shown.page.evaluate(NODES, read.ours)
        tree, document = clean(shown.page.locator("body").aria_snapshot()), clean(read.html)
        theirs = clean(nodes["theirs"])
        visible = {clean(one["text"]) for one in nodes["ours"] if one["shown"]} - {""}
        for text in visible:
            assert text in tree, f"{page.path}: {text}"
            assert text in document, f"{page.path}: {text}"
        hidden = {clean(one["text"]) for one in nodes["ours"] if not one["shown"]} - visible - {""}
        assert [text for text in hidden if text in tree and text not in theirs] == []
        if visible:
            picture = shown.page.screenshot(full_page=True)
            shown.page.evaluate(HIDE, read.ours)
            assert shown.page.screenshot(full_page=True) != picture, page.path
        found += len(visible)
    assert found


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("severity", range(1, 6))
@pytest.mark.parametrize("name", site_names())
def test_chaos_leaves_every_target_of_every_page_within_reach(arm: Arms, name: str, severity: int) -> None:
    """All pages that links lead to: each target is hit in its middle where it was, and large enough."""
    for page in crawl(kit.load(name, 0), of_a_kind=of_a_kind(name)):
        for before, after in reachable(arm("clean"), arm(f"chaos@{severity}"), page):
            if before["hit"]:
                assert after["size"] >= min(before["size"], FLOORS[after["tag"]]) - 1, f"{page.path}: {after}"
            assert after["overflow"] <= max(before["overflow"], 0) + 4, page.path


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", site_names())
@pytest.mark.parametrize("condition", [f"{name}@{severity}" for name in SHOWN for severity in (3, 5)])
def test_it_shows_in_the_picture(arm: Arms, name: str, condition: str, seed: int) -> None:
    pictures = []
    for label in ("clean", condition):
        arm(label).show(pages(name, seed)[0], drawn=True)
        arm(label).seen()
        pictures.append(arm(label).page.screenshot())
    assert pictures[0] != pictures[1]


REWRITE = "() => { const main = document.querySelector('main'); main.innerHTML = main.innerHTML; }"


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", site_names())
@pytest.mark.parametrize("condition", ["remap@5+noise@5" if "noise" in MODES else "remap@5"])
def test_a_node_that_is_drawn_again_is_disturbed_again(arm: Arms, name: str, condition: str, seed: int) -> None:
    """A page that writes its own markup back takes remapped controls and what is ours along, and its form stays."""
    stressed, page = arm(condition), pages(name, seed)[0]
    forms = []
    for one in (arm("clean"), stressed):
        one.show(page)
        one.seen()
        one.page.evaluate(REWRITE)
        forms.append(one.seen().form)
    assert forms[0] == forms[1]
    delivered = len([one for one in stressed.ledger if (one.mode, one.phase) == ("remap", "delivered")])
    url = stressed.page.url
    for _ in range(2):
        stressed.page.locator("main a:visible").first.click()
        stressed.page.evaluate(REWRITE)
    stressed.seen()
    assert stressed.page.url == url
    lines = [one for one in stressed.ledger if (one.mode, one.phase) == ("remap", "delivered")][delivered:]
    assert len(lines) == 2
    # It is the same control to the ledger, also after it was made anew.
    assert lines[0].element == lines[1].element
