"""Roles and accessible names are those of the browser's own accessibility tree, on pages of every site."""

from collections.abc import Callable, Iterator
from typing import Any

import lxml.html
import pytest
from playwright.sync_api import CDPSession, Page

from scripts.waited import Loading, settle
from stressweb.core import draws
from stressweb.core.draws import Seeds
from stressweb.html.accessible_name import Names, clean, role
from stressweb.runner.registry import site_names
from stressweb.runner.world.world import EpisodeWorld, World
from stressweb.sites import kit
from tests.sampling import sample_seed
from tests.support.crawl import crawl
from tests.support.plans import condition

CONTROLS = "a, area, button, input, select, textarea, summary, h1, h2, h3, h4, h5, h6, [role]"
NUMBER = f"""() => {{
  document.querySelectorAll("{CONTROLS}").forEach((one, n) => one.setAttribute("data-n", n));
  for (const one of document.body.querySelectorAll("*"))
    if (getComputedStyle(one).display !== "contents" && !one.checkVisibility()) one.setAttribute("data-out", "");
}}"""
"""Numbers the compared elements, and marks those that are not rendered, such as the content of a closed `details`; an
element with `display: contents` has no box, but its content is rendered. Names use neither attribute."""
KNOWN = {"Date": "textbox", "InputTime": "textbox", "DateTime": "textbox", "DisclosureTriangle": "button"}
"""Chromium's roles that ARIA does not have, with the roles of Playwright's tree: date and time fields, and the
summary of details."""
OF_NO_ROLE = ("", "generic", "none", "GenericContainer", "LayoutTableCell")
PAGES = 4

type Visit = Callable[[EpisodeWorld], Page]
type Read = dict[str, tuple[str, str]]


def theirs(cdp: CDPSession) -> Read:
    """Return role and name of each numbered element in Chromium's accessibility tree."""
    numbers = {}
    for node in every(cdp.send("DOM.getDocument", {"depth": -1})["root"]):
        names_and_values = node.get("attributes", [])
        attributes = dict(zip(names_and_values[::2], names_and_values[1::2], strict=True))
        if "data-n" in attributes:
            numbers[node["backendNodeId"]] = attributes["data-n"]
    by_number: Read = {}
    for node in cdp.send("Accessibility.getFullAXTree")["nodes"]:
        number = numbers.get(node.get("backendDOMNodeId"))
        if number is not None and not node["ignored"]:
            ax_role = node["role"]["value"]
            by_number[number] = KNOWN.get(ax_role, ax_role), clean(node.get("name", {}).get("value", ""))
    return {number: role_and_name for number, role_and_name in by_number.items() if role_and_name[0] not in OF_NO_ROLE}


def every(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("children", ()):
        yield from every(child)


def ours(html: str) -> Read:
    """Return role and name of each numbered element as stressweb reads them from the HTML."""
    root: lxml.html.HtmlElement = lxml.html.document_fromstring(html)
    names = Names(root, lambda element: element.get("data-out") is not None)
    visible = [element for element in root.xpath("//*[@data-n]") if not out(element)]
    return {element.get("data-n"): (role(element), names.name(element)) for element in visible if role(element)}


def out(element: lxml.html.HtmlElement) -> bool:
    chain = [element, *element.iterancestors()]
    return any(ancestor.get("data-out") is not None or ancestor.get("aria-hidden") == "true" for ancestor in chain)


def differences(page: Page, cdp: CDPSession) -> list[str]:
    """Return a line for each element whose role or name differs between the browser and stressweb."""
    page.evaluate(NUMBER)
    html = page.content()
    read, browser_read = ours(html), theirs(cdp)
    assert len(browser_read) > 5
    assert {"link", "heading"} <= {ax_role for ax_role, _ in browser_read.values()}
    return [
        f"{page.url} {number}: the browser {browser_read.get(number)}, we {read.get(number)}"
        for number in sorted(read.keys() | browser_read.keys(), key=int)
        if read.get(number) != browser_read.get(number)
    ]


def compared(world: World, visit: Visit, name: str, label: str, world_seed: int, most: int, kind: int = 2) -> list[str]:
    site = kit.load(name, world_seed)
    episode = world.open(site, condition(label), Seeds(world_seed, 0, f"{name}/x"))
    page = visit(episode)
    cdp = page.context.new_cdp_session(page)
    loading = Loading(page.context.new_cdp_session(page))
    paths = sorted(
        (page_visited.path for page_visited in crawl(site, per_kind=kind)),
        key=lambda path: draws.unit("names", name, path),
    )
    mismatches = []
    for path in paths[:most]:
        page.goto(episode.start_url.rstrip("/") + path)
        settle(page, episode, loading=loading)
        mismatches += differences(page, cdp)
    assert episode.faults() == []
    episode.close()
    return mismatches


@pytest.mark.sample(1)
@pytest.mark.parametrize("label", ["clean", "noise@5", "remap_explicit@3"])
@pytest.mark.parametrize("name", site_names())
def test_a_page_is_read_as_the_browser_reads_it(world: World, visit: Visit, name: str, label: str) -> None:
    """Names and roles on a sample of pages of one world, both drawn by SEED."""
    drawn = draws.pick(range(20), "names", sample_seed(), name)
    assert compared(world, visit, name, label, drawn, PAGES) == []


@pytest.mark.audit
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("world_seed", [0, 1, 2])
@pytest.mark.parametrize("label", ["clean", "noise@5", "chaos@5"])
@pytest.mark.parametrize("name", site_names())
def test_every_kind_of_page_is_read_as_the_browser_reads_it(
    world: World, visit: Visit, name: str, label: str, world_seed: int
) -> None:
    assert compared(world, visit, name, label, world_seed, 150, 8) == []


FORMS = """<!doctype html><title>Forms</title><h1>All <small>kinds</small></h1><h2 aria-label="Said">Seen</h2>
<a href=/a>Plain</a> <a>No link</a> <a href=/b><img alt="Picture" src=data:,></a> <a href=/c aria-label="Label">Text</a>
<a href=/d title="Title only"></a> <a href=/e>Half <span aria-hidden=true>unheard</span> heard</a>
<a href=/f>One<br>two</a> <a href=/g><div>Block</div><div>block</div></a> <a href=/h role=button>As a button</a>
<button>Press</button> <button title="Tip">Press too</button> <button aria-labelledby="x y">Not this</button>
<i id=x>By</i> <i id=y>others</i> <button><img alt="" src=data:,>With a picture</button>
<input type=submit> <input type=submit value=Send> <input type=reset> <input type=button value=Do>
<label for=q>For it</label> <input id=q> <label>Around <input type=checkbox></label> <input type=radio aria-label=Round>
<input placeholder="Only placeholder"> <input title="Only title"> <input type=search aria-label=Seek>
<input type=number aria-label=Count> <input type=email aria-label=Mail> <input type=password aria-label=Secret>
<input type=tel aria-label=Phone> <input type=url aria-label=Address> <input type=date aria-label=Day>
<input type=time aria-label=Hour> <input type=range aria-label=Slide> <textarea aria-label=Note>text</textarea>
<label for=s>Size</label> <select id=s><option>Small<option>Large</select> <select multiple aria-label=Many></select>
<label for=t1>First</label><label for=t1>second</label><input id=t1>
<details><summary>More</summary>Inside</details>
<h3 hidden>Not there</h3><a href=/j style=display:none>Nor this</a><h4>Spaced&nbsp; out&#8203;ward</h4>"""


def test_every_kind_of_control_is_read_as_the_browser_reads_it(browser_page: Page) -> None:
    browser_page.set_content(FORMS)
    assert differences(browser_page, browser_page.context.new_cdp_session(browser_page)) == []
