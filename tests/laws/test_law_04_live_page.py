"""Law 4: the page itself is perturbed, nothing that a goal needs is destroyed, and every target can be hit."""

from collections.abc import Callable
from typing import Any

import pytest

from stressweb.html.accessible_name import clean
from stressweb.perturbations import MODES, mode
from stressweb.plugins.perturbation import Stage
from stressweb.runner.registry import site_names
from stressweb.sites import kit
from tests.support.arm import Arm
from tests.support.crawl import Visited, crawl, pages_per_kind, some_pages

pytestmark = pytest.mark.long

PAGES = 6
"""Pages of a site under test, each of another kind, drawn by SEED."""
CHANGES = [name for name in MODES if mode(name).stage is Stage.PERCEPTION]
"""Modes that change what a page looks like."""
SHOWN = [*CHANGES, "remap_explicit"]
CONDITIONS = [
    *(f"{name}@{severity}" for name in CHANGES for severity in (1, 3)),
    # Nothing behind an open dialog can be hit, by design.
    *(f"{name}@5" for name in MODES if name != "popup"),
    *(["chaos@5+noise@5"] if {"chaos", "noise"} <= {*MODES} else []),
]
FLOORS = {"button": 28, "a": 28, "input": 24, "select": 24, "textarea": 24}
type Arms = Callable[[str], Arm]

# The numbers of our nodes, as of the last read.
_OURS = """
  const kinds = new Map();
  const walker = document.createTreeWalker(document);
  for (let number = 0; walker.nextNode(); number += 1) if (ours[number]) kinds.set(walker.currentNode, ours[number]);
  const isOurs = (node) => node !== null && (kinds.get(node) === "added" || isOurs(node.parentNode));
  const siteText = (node) => node.nodeType === 3 ? node.data
    : [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes].filter((child) => kinds.get(child) !== "added").map(siteText).join("");
"""
HITS = f"""(ours) => {{
  {_OURS}
  const controls = "a[href], button, input:not([type=hidden]), select, textarea";
  return [...document.querySelectorAll(controls)].filter((control) => !isOurs(control)).map((element) => {{
    element.scrollIntoView({{block: "center", behavior: "instant"}});
    // A user cannot scroll an element that hides its overflow.
    for (let holder = element.parentElement; holder !== document.documentElement; holder = holder.parentElement)
      if (getComputedStyle(holder).overflowY === "hidden") holder.scrollTop = 0;
    const box = element.getBoundingClientRect();
    const shown = box.width > 1 && box.height > 1 && getComputedStyle(element).visibility === "visible";
    const topmost = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const hit = topmost !== null && (element.contains(topmost) || topmost.contains(element) && topmost.localName === "label");
    return {{text: siteText(element), shown, hit, size: Math.min(box.width, box.height),
      tag: element.localName, overflow: document.documentElement.scrollWidth - innerWidth}};
  }});
}}"""
NODES = f"""(ours) => {{
  {_OURS}
  const added = [...kinds].filter(([node, kind]) => kind === "added" && node.nodeType === 1 && document.body.contains(node));
  // innerText, as a reader sees it: a block is separate from the words before it.
  return {{theirs: siteText(document.body), ours: added.map(([node]) => ({{text: node.innerText, shown: node.checkVisibility({{visibilityProperty: true}})}}))}};
}}"""
HIDE = f"""(ours) => {{
  {_OURS}
  for (const [node, kind] of kinds) if (kind === "added" && node.nodeType === 1) node.style.setProperty("opacity", "0", "important");
}}"""


def pages(name: str, seed: int) -> list[Visited]:
    """Return a sample of a site's pages, drawn by SEED."""
    return some_pages(kit.load(name, 0), PAGES, "law 4", seed)


def look(arm: Arm, page: Visited, script: str) -> Any:
    """Run a script on a page with the numbers of our nodes, and return its result."""
    arm.show(page, drawn=True)
    return arm.page.evaluate(script, arm.seen().ours)


def reachable(clean_arm: Arm, arm: Arm, page: Visited) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return each control of a page, clean and stressed; fails if one became more or less reachable."""
    before, after = look(clean_arm, page, HITS), look(arm, page, HITS)
    # In the same order and with the same names.
    assert [clean(control["text"]) for control in after] == [clean(control["text"]) for control in before], page.path
    assert before
    pairs = [*zip(before, after, strict=True)]
    for clean_control, control in pairs:
        assert (control["shown"], control["hit"]) == (clean_control["shown"], clean_control["hit"]), (
            f"{page.path}: {control}"
        )
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
    """Our visible nodes are in all three, hidden ones in the document alone: an agent may use any of them."""
    if condition.startswith("chaos"):
        pytest.skip("chaos adds no node")
    stressed, visible_count = arm(condition), 0
    for page in pages(name, seed)[:3]:
        stressed.show(page, drawn=True)
        read = stressed.seen()
        nodes = stressed.page.evaluate(NODES, read.ours)
        tree, document = clean(stressed.page.locator("body").aria_snapshot()), clean(read.html)
        theirs = clean(nodes["theirs"])
        visible = {clean(node["text"]) for node in nodes["ours"] if node["shown"]} - {""}
        for text in visible:
            assert text in tree, f"{page.path}: {text}"
            assert text in document, f"{page.path}: {text}"
        hidden = {clean(node["text"]) for node in nodes["ours"] if not node["shown"]} - visible - {""}
        assert [text for text in hidden if text in tree and text not in theirs] == []
        if visible:
            picture = stressed.page.screenshot(full_page=True)
            stressed.page.evaluate(HIDE, read.ours)
            assert stressed.page.screenshot(full_page=True) != picture, page.path
        visible_count += len(visible)
    assert visible_count


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("severity", range(1, 6))
@pytest.mark.parametrize("name", site_names())
def test_chaos_leaves_every_target_of_every_page_within_reach(arm: Arms, name: str, severity: int) -> None:
    """On all linked pages: each target that could be hit at its centre still can, and is large enough."""
    for page in crawl(kit.load(name, 0), per_kind=pages_per_kind(name)):
        for before, after in reachable(arm("clean"), arm(f"chaos@{severity}"), page):
            if before["hit"]:
                assert after["size"] >= min(before["size"], FLOORS[after["tag"]]) - 1, f"{page.path}: {after}"
            assert after["overflow"] <= max(before["overflow"], 0) + 4, page.path


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", site_names())
@pytest.mark.parametrize("condition", [f"{name}@{severity}" for name in SHOWN for severity in (3, 5)])
def test_it_shows_in_the_screenshot(arm: Arms, name: str, condition: str, seed: int) -> None:
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
    """A page that rewrites its own markup keeps remapped controls, our nodes and its canonical form."""
    stressed, page = arm(condition), pages(name, seed)[0]
    forms = []
    for tab_arm in (arm("clean"), stressed):
        tab_arm.show(page)
        tab_arm.seen()
        tab_arm.page.evaluate(REWRITE)
        forms.append(tab_arm.seen().form)
    assert forms[0] == forms[1]
    delivered = len([entry for entry in stressed.ledger if (entry.mode, entry.phase) == ("remap", "delivered")])
    url = stressed.page.url
    for _ in range(2):
        stressed.page.locator("main a:visible").first.click()
        stressed.page.evaluate(REWRITE)
    stressed.seen()
    assert stressed.page.url == url
    lines = [entry for entry in stressed.ledger if (entry.mode, entry.phase) == ("remap", "delivered")][delivered:]
    assert len(lines) == 2
    # The ledger takes the new node for the same control.
    assert lines[0].element == lines[1].element
