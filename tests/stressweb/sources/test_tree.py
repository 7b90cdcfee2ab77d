"""The tree of a read equals Playwright's, to the byte."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from scripts.waited import Observer, Recorder, snapshot
from stressweb.perturbations import MODES
from stressweb.plugins.agent import Observation
from stressweb.runner.registry import site_names
from stressweb.sites import kit
from stressweb.sources.aria import BUNDLE, tree_js
from tests.sampling import sample_seed
from tests.support.arm import Arm
from tests.support.crawl import some_pages

PAGES = {
    "names": "<h1>Shop: 'a' - \"b\"</h1><p id=l>Label</p><button aria-labelledby=l>x</button><img alt=Cat><img>"
    "<a href=/x>Go <b>on</b></a><a href='data:text/plain,abc'>Data</a><button title=Tip></button>",
    "fields": "<label>Name <input value=Ann></label><input placeholder=Hint><input type=checkbox checked><textarea>a\nb"
    "</textarea><select><option>One<option selected>Two</select><select multiple><option>A</select><input disabled>"
    "<input type=radio><input type=range aria-label=R><input type=file aria-label=F><input required aria-invalid=true>",
    "seen and not": "<p hidden>No</p><p style='display:none'>No</p><p style='visibility:hidden'>No<b "
    "style='visibility:visible'>yes</b></p><p aria-hidden=true>No</p><details><summary>More</summary>In</details>"
    "<div style='display:contents'>Yes</div><p inert>Inert</p><p style='width:0;height:0;overflow:hidden'>Nil</p>",
    "drawn by styles": "<style>p::before{content:'> '}p::after{content:attr(class)/'alt'}b::before{content:'B';"
    "display:block}q{color:red}</style><p class=k>Text <b>bold</b></p><q>Quote</q>",
    "generic": "<div role=generic>Alone</div><span role=generic>In line</span> <span role=generic aria-label=N>a<i>b"
    "</i></span><div role=generic><button>One</button></div>",
    "tables": "<table><caption>T<tr><th>A<th>B<tr><td>1<td><a href=#>2</a></table><ul><li>x<ul><li>y</ul></ul>"
    "<div role=tablist><div role=tab aria-selected=true>Tab</div></div><div role=treeitem aria-level=3 "
    "aria-expanded=true>Leaf</div><div aria-owns=o>Owner</div><p id=o>Owned</p>",
    "roots": "<div><template shadowrootmode=open><h2>In <slot></slot></h2><slot name=n>None</slot></template>light"
    "<b>lost</b></div>",
    "an editor": "<div role=textbox contenteditable aria-label=E>Held</div><div role=textbox aria-label=P></div>",
    "a frame": "<h1>Out</h1><iframe srcdoc='<h2>In</h2><div role=textbox contenteditable>Far</div>'></iframe>",
    "clobbered": "<form><input name=children><input name=attributes></form>",
}
REFUSED = {
    "half a character": "document.querySelector('h1').textContent = 'a \\ud800 b'",
    "two bodies": "document.querySelector('h1').append(document.createElement('body'))",
    "no body": "document.body.replaceWith(document.createElement('frameset'))",
}


def written(page: Page) -> dict[str, object] | None:
    """Return the tree in a read, None if it is left to Playwright."""
    notes: dict[str, object] | None = json.loads(Recorder().read(page, measured=False, tree=True))["tree"]
    return notes


def seen(page: Page) -> str:
    """Return the tree of an observation."""
    observation: Observation = Observer(frozenset({"tree"})).read(page)
    return observation.tree


@pytest.mark.sample(5)
@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_it_equals_playwrights_tree(browser_page: Page, html: str) -> None:
    browser_page.set_content(f"<body>{html}</body>")
    assert seen(browser_page) == snapshot(browser_page) != ""
    assert written(browser_page) is not None


@pytest.mark.sample(1)
@pytest.mark.parametrize("condition", ["clean", *(f"{name}@3" for name in MODES)])
@pytest.mark.parametrize("name", site_names())
def test_it_equals_playwrights_tree_on_pages_of_our_sites(browser: Browser, name: str, condition: str) -> None:
    with Arm(condition).opened(browser) as arm:
        for page in some_pages(kit.load(name, 0), 4, "tree", sample_seed()):
            arm(page)
            notes = written(arm.page)
            assert notes is not None
            assert snapshot(arm.page, notes) == snapshot(arm.page), page.path


@pytest.mark.parametrize("script", REFUSED.values(), ids=REFUSED)
def test_unsupported_documents_are_left_to_playwright(browser_page: Page, script: str) -> None:
    browser_page.set_content("<body><h1>One</h1></body>")
    assert written(browser_page) is not None
    browser_page.evaluate(script)
    assert written(browser_page) is None


@pytest.mark.parametrize("name", ["computeBox(", "src/roleUtils.ts", "__commonJS"])
def test_a_changed_playwright_reads_the_tree_itself(browser_page: Page, tmp_path: Path, name: str) -> None:
    bundle = BUNDLE.read_text("utf-8")
    assert name in bundle
    changed_bundle = tmp_path / "bundle.js"
    changed_bundle.write_text(bundle.replace(name, name.replace("o", "oo")), "utf-8")
    browser_page.set_content("<body><h1>One</h1></body>")
    trees = [browser_page.evaluate(f"() => ({tree_js(path)})([document])") for path in (BUNDLE, changed_bundle)]
    assert trees == [{"text": '- heading "One" [level=1]', "edited": False}, None]
