"""Roles and accessible names are those of the browser's own accessibility tree, on pages of every site."""

from collections.abc import Callable, Iterator
from typing import Any

import lxml.html
import pytest
from playwright.sync_api import CDPSession, Page

from runner.registry import site_names
from runner.world.world import EpisodeWorld, World
from scripts.waited import Loading, settle
from sites import kit
from stressweb.core import draws
from stressweb.core.draws import Seeds
from stressweb.html.accessible_name import Names, clean, role
from tests.laws.crawl import crawl
from tests.plans import condition
from tests.sampling import sample_seed

CONTROLS = "a, area, button, input, select, textarea, summary, h1, h2, h3, h4, h5, h6, [role]"
NUMBER = f"""() => {{
  document.querySelectorAll("{CONTROLS}").forEach((one, n) => one.setAttribute("data-n", n));
  for (const one of document.body.querySelectorAll("*")) if (!one.getClientRects().length) one.setAttribute("data-out", "");
}}"""
"""Gives what is compared a number, and notes what has no box: neither is read by any name."""
KNOWN = {"Date": "textbox", "InputTime": "textbox", "DateTime": "textbox", "DisclosureTriangle": "button"}
"""Roles of Chromium that ARIA does not have, and what we call them instead, as Playwright's own tree does: fields for
days and times, and the summary of details."""
OF_NO_ROLE = ("", "generic", "none", "GenericContainer", "LayoutTableCell")
PAGES = 4

type Visit = Callable[[EpisodeWorld], Page]
type Read = dict[str, tuple[str, str]]


def theirs(cdp: CDPSession) -> Read:
    """Return role and name of each numbered element as Chromium computes them; what it leaves out is not there."""
    numbers = {}
    for node in every(cdp.send("DOM.getDocument", {"depth": -1})["root"]):
        said = node.get("attributes", [])
        attributes = dict(zip(said[::2], said[1::2], strict=True))
        if "data-n" in attributes:
            numbers[node["backendNodeId"]] = attributes["data-n"]
    found: Read = {}
    for node in cdp.send("Accessibility.getFullAXTree")["nodes"]:
        number = numbers.get(node.get("backendDOMNodeId"))
        if number is not None and not node["ignored"]:
            what = node["role"]["value"]
            found[number] = KNOWN.get(what, what), clean(node.get("name", {}).get("value", ""))
    return {number: one for number, one in found.items() if one[0] not in OF_NO_ROLE}


def every(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("children", ()):
        yield from every(child)


def ours(html: str) -> Read:
    """Return the same as stressweb reads it in the recorded page."""
    root = lxml.html.document_fromstring(html)
    names = Names(root, lambda element: element.get("data-out") is not None)
    shown = [one for one in root.xpath("//*[@data-n]") if not out(one)]
    return {one.get("data-n"): (role(one), names.name(one)) for one in shown if role(one)}


def out(element: lxml.html.HtmlElement) -> bool:
    around = [element, *element.iterancestors()]
    return any(one.get("data-out") is not None or one.get("aria-hidden") == "true" for one in around)


def differences(page: Page, cdp: CDPSession) -> list[str]:
    """Say of each element what the browser and we call it, where it is not the same."""
    page.evaluate(NUMBER)
    html = page.content()
    read, told = ours(html), theirs(cdp)
    assert len(told) > 5
    assert {"link", "heading"} <= {what for what, _ in told.values()}
    return [
        f"{page.url} {number}: the browser {told.get(number)}, we {read.get(number)}"
        for number in sorted(read.keys() | told.keys(), key=int)
        if read.get(number) != told.get(number)
    ]


def compared(world: World, visit: Visit, name: str, label: str, world_seed: int, most: int, kind: int = 2) -> list[str]:
    site = kit.load(name, world_seed)
    episode = world.open(site, condition(label), Seeds(world_seed, 0, f"{name}/x"), b"k" * 16)
    page = visit(episode)
    cdp = page.context.new_cdp_session(page)
    loading = Loading(page.context.new_cdp_session(page))
    paths = sorted((one.path for one in crawl(site, per_kind=kind)), key=lambda path: draws.unit("names", name, path))
    found = []
    for path in paths[:most]:
        page.goto(episode.start_url.rstrip("/") + path)
        settle(page, episode, loading=loading)
        found += differences(page, cdp)
    assert episode.faults() == []
    episode.close()
    return found


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
