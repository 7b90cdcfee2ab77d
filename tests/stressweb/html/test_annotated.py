"""The annotated copy: the agent's document with notes on the browser's state of each element."""

import re
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from lxml import etree
from lxml.html import HtmlElement
from playwright.sync_api import Page

from stressweb.html.annotated import Annotated, States, html_for_agent, site_tree
from stressweb.html.annotated_form import digest
from stressweb.html.canonical import document
from stressweb.sources.part import COPY_JS
from tests.examples import examples
from tests.stressweb.html import copied_documents
from tests.support.annotating import DISTURB, RUNTIME, WAYS, Tab, read
from tests.support.documents import documents
from tests.support.program_page import Page as SitePage

pytestmark = pytest.mark.sample(6, "file")

# A script of the page applies each to one element.
CHANGES = (
    "hidden = !one.hidden", "style.display = 'none'", "style.display = 'block'", "style.visibility = 'hidden'",
    "style.visibility = 'visible'", "style.opacity = 0", "inert = !one.inert", "readOnly = true", "disabled = true", "open = true",
    "indeterminate = true", "checked = !one.checked", "selected = true", "value = 'a<b>\"&'", "popover = 'auto'",
    "style.contentVisibility = 'hidden'", "title = 'sw0-hidden=\"\"'",
)  # fmt: skip
CHANGE = f"""(done) => {{
  const changes = [{", ".join(f"(one) => {{ one.{change}; }}" for change in CHANGES)}];
  const all = document.querySelectorAll("body, body *");
  for (const [change, at] of done) changes[change](all[at % all.length]);
}}"""
# Read by a script of the page, for each element separately.
ORACLE = """() => Array.from(document.querySelectorAll("*"), (one) => {
  const above = [];
  for (let node = one; node; node = node.parentElement) above.push(node);
  return {
    tag: one.localName,
    hidden: !one.checkVisibility({ visibilityProperty: true }),
    inert: getComputedStyle(one).interactivity === "inert",
    disabled: one.matches(":disabled"),
    readonly: (one.localName === "input" || one.localName === "textarea") && one.readOnly,
    open: (one.localName === "details" || one.localName === "dialog") && one.open,
    modal: one.localName === "dialog" && one.matches(":modal"),
    mixed: one.type === "checkbox" && one.indeterminate,
  };
})"""


def elements(root: HtmlElement) -> list[HtmlElement]:
    return [*root.iter(etree.Element)]


def written(root: HtmlElement) -> str:
    return str(etree.tostring(root, encoding="unicode"))


def states_in_browser(page: Page) -> list[tuple[str, States]]:
    return [(states.pop("tag"), States(**states)) for states in page.evaluate(ORACLE)]


@examples(100)
@given(
    documents(),
    st.lists(st.tuples(st.integers(0, len(CHANGES) - 1), st.integers(0, 400)), max_size=12),
)
def test_it_holds_the_agents_document_and_the_browsers_states(
    tab: Tab, html: str, changes: list[tuple[int, int]]
) -> None:
    note(html)
    page, world = tab
    page.set_content(html)
    page.evaluate(CHANGE, changes)
    page_read = read(page, world)
    assert page_read.today == page_read.html == html_for_agent(page_read.annotated)
    copy = Annotated(page_read.annotated)
    assert written(copy.root) == written(document(page_read.html)) == written(site_tree(page_read.annotated))
    assert [(element.tag, copy.states[element]) for element in elements(copy.root)] == states_in_browser(page)


STATES = """<!DOCTYPE html><html><head><title>t</title><style>.h{display:none}.v{visibility:hidden}.s{visibility:visible}option.s{display:block}</style></head><body>
<p hidden>a<b>b</b></p><p class="h">c</p><p class="v">d<i class="s">e</i></p><details><summary>f</summary><p>g</p></details><details open><summary>h</summary><p>i</p></details>
<select><optgroup label="o"><option>1</option></optgroup></select><select size="3"><optgroup label="o" disabled><option>1</option></optgroup><option>2</option></select><datalist><option>x</option></datalist>
<input type="hidden"><fieldset disabled><legend><input></legend><input><button>b</button><fieldset><output></output><object></object></fieldset></fieldset><input readonly><textarea readonly></textarea>
<dialog>j</dialog><dialog open>k</dialog><input type="checkbox"><div inert>l<a href="/">m</a></div><p popover>n</p><noscript>o</noscript><svg><title>p</title><defs><path></path></defs></svg>
<ruby>q<rp>(</rp><rt>r</rt></ruby><map><area></map><table><colgroup><col></colgroup><tbody><tr><td></td></tr></tbody></table><iframe></iframe><video><source><track></video><audio></audio><div style="display:contents">s</div></body></html>"""
DRAW_OVER = "document.querySelector('p').animate([], 0), document.querySelector('ruby').animate({display: ['none', 'none']}, {duration: 1, fill: 'forwards'})"


def test_states_without_markup_are_those_of_the_browser(tab: Tab) -> None:
    page, world = tab
    page.set_content(STATES)
    page.evaluate("document.querySelector('[popover]').showPopover()")
    page.evaluate(f"() => {{ {DRAW_OVER}; document.querySelector('[type=checkbox]').indeterminate = true }}")
    copy = Annotated(read(page, world).annotated)
    browser_states = states_in_browser(page)
    assert [(element.tag, copy.states[element]) for element in elements(copy.root)] == browser_states
    # Each state occurs both ways, and the ruby is hidden by an animation, which the markup does not show.
    for name in States._fields:
        assert {getattr(states, name) for _, states in browser_states} == (
            {False} if name == "modal" else {False, True}
        ), name
    assert dict(browser_states)["ruby"].hidden


def test_a_modal_dialog_of_the_site_makes_all_else_inert(tab: Tab) -> None:
    page, world = tab
    page.set_content("<div inert><dialog>a <p>b</p><p inert>c</p></dialog>d</div><p>e</p>")
    page.evaluate("document.querySelector('dialog').showModal()")
    copy = Annotated(read(page, world).annotated)
    usable = [element.tag for element in elements(copy.root) if not copy.states[element].inert]
    assert usable == ["dialog", "p"]
    # Chromium's accessibility tree leaves out inert elements.
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    texts = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "StaticText"]
    assert texts == ["a", "b"]


@examples(80)
@given(documents(), st.lists(st.tuples(st.sampled_from(WAYS), st.integers(0, 200)), min_size=1, max_size=12))
def test_the_sites_tree_is_the_tree_before_our_changes(tab: Tab, html: str, done: list[tuple[str, int]]) -> None:
    note(html)
    page, world = tab
    page.set_content(html)
    page.evaluate(RUNTIME)
    before = Annotated(read(page, world, keyed=True).annotated)
    page.evaluate(DISTURB, done)
    page_read = read(page, world, keyed=True)
    assert page_read.today == page_read.html == html_for_agent(page_read.annotated)
    after = Annotated(page_read.annotated)
    assert written(after.root) == written(before.root) == written(site_tree(page_read.annotated))
    assert [after.states[element] for element in elements(after.root)] == [
        before.states[element] for element in elements(before.root)
    ]
    # A key is frozen on the first read of its element; if that already has our words, so does the key.
    if not {"rewrite", "dress"}.intersection(way for way, _ in done):
        assert [*after.keys.values()] == [*before.keys.values()]


@examples(32)
@given(documents(unseen=False))
def test_keys_are_on_the_controls_that_python_finds(tab: Tab, html: str) -> None:
    page, world = tab
    page.set_content(html)
    copy = Annotated(read(page, world, keyed=True).annotated)
    by_position = [
        (position, copy.keys[element]) for position, element in enumerate(elements(copy.root)) if element in copy.keys
    ]
    program = SitePage(html, "toy", "blank")
    keys = {control.element: control.key for control in program.controls}
    assert by_position == [
        (position, keys[element]) for position, element in enumerate(elements(program.root)) if element in keys
    ]


NOTED = f"""(given) => {{
  const page = new DOMParser().parseFromString(given.html, "text/html");
  const nodes = [];
  // Notes on raw text, as of scripts, are on its element, and fields have no text nodes.
  const ONE = "iframe noembed noframes noscript plaintext script style textarea title xmp".split(" ");
  for (let walker = page.createTreeWalker(page.documentElement); walker.nextNode(); ) nodes.push(walker.currentNode);
  const fit = nodes.filter((one, at) => given.which[at] &&
    (one.nodeType === 1 || (one.nodeType === 3 && !ONE.includes(one.parentNode.localName))));
  const notes = new Map(fit.map((one) => [one, [["kind", given.value], ["was-x", ""]]]));
  const copy = {COPY_JS};
  return [copy(page, {{}}).html, copy(page, {{ notes }}), copy(page, {{ each: true, notes }}), fit.length];
}}"""


@examples(160)
@given(
    copied_documents.documents(),
    st.lists(st.booleans(), min_size=60, max_size=60),
    st.sampled_from(["", 'a"--><b> &\u00a0', "sw0-x", "-- sw1-y='"]),
)
def test_notes_on_any_document_are_taken_out_again_exactly(
    tab: Tab, html: str, which: list[bool], note_text: str
) -> None:
    html += "<p sw0-kind=x SW1-Kind='a'>sw2-kind<!-- sw02- -->"
    today, quick, each, count = tab[1].evaluate(NOTED, {"html": html, "which": which, "value": note_text})
    assert today == quick["html"] == each["html"] == html_for_agent(quick["annotated"])
    assert quick["annotated"] == each["annotated"]
    # The prefix of notes does not occur in the page.
    taken = {int(match) for match in re.findall("(?i)sw(0|[1-9][0-9]*)-", today)}
    prefix = f"sw{next(number for number in range(9) if number not in taken)}-"
    assert quick["annotated"].startswith(f"<!--{prefix}notes-->")
    assert quick["annotated"].count(f"{prefix}was-x") == count


def test_equal_pages_have_equal_copies(tab: Tab) -> None:
    page, world = tab
    page.set_content(STATES)
    first = read(page, world).annotated
    page.set_content(STATES)
    assert read(page, world).annotated == first


INNER = """<div></div><iframe srcdoc='<p>in</p><p hidden>out</p><dialog>d</dialog>'></iframe><iframe inert srcdoc='<u>still</u>'></iframe>
<em>e</em>"""
DRAW_INNER = """() => {
  // Here it is no declarative shadow root.
  document.body.append(Object.assign(document.createElement("section"), { innerHTML: '<template shadowrootmode="open"><s>none</s></template>' }));
  document.querySelector("div").attachShadow({ mode: "open" }).innerHTML = "<b>one</b><fieldset disabled><input></fieldset><i hidden>h</i>";
}"""


def test_contents_of_roots_and_frames_are_noted_like_the_rest(tab: Tab) -> None:
    page, world = tab
    page.set_content(INNER)
    page.frames[-1].wait_for_load_state()
    page.evaluate(DRAW_INNER)
    page.evaluate(RUNTIME)
    before = read(page, world)
    page.evaluate(
        """() => {
          const [frame] = document.querySelectorAll("iframe");
          disturb.element(document.querySelector("div").shadowRoot);
          disturb.text(frame.contentDocument.querySelector("p"));
          disturb.wrap(frame.contentDocument.querySelector("p"));
        }"""
    )
    page_read = read(page, world)
    assert html_for_agent(page_read.annotated) == page_read.html
    assert page_read.html.count("ours") == 2
    copy, site = Annotated(page_read.annotated), Annotated(before.annotated)
    assert written(copy.root) == written(site.root)
    # The tree for graders has roots and frames, too.
    assert written(site_tree(page_read.annotated)) == written(site_tree(before.annotated)) == written(site.root)
    states = {(element.tag, element.text): copy.states[element] for element in elements(copy.root)}
    assert [*states.values()] == [
        *{(element.tag, element.text): site.states[element] for element in elements(site.root)}.values()
    ]
    assert states["input", None] == States(disabled=True)
    assert states["b", "one"] == states["p", "in"] == States()
    assert states["i", "h"] == states["p", "out"] == States(hidden=True)
    assert states["u", "still"] == States(inert=True)
    # A template that only looks like a shadow root is the page's own.
    assert states["s", "none"].hidden
    assert [template.get("shadowrootmode") for template in copy.root.iter("template")] == ["open", None, None, None]


def test_a_modal_dialog_makes_its_own_document_inert(tab: Tab) -> None:
    page, world = tab
    page.set_content(INNER)
    page.frames[-1].wait_for_load_state()
    page.evaluate("document.querySelector('iframe').contentDocument.querySelector('dialog').showModal()")
    copy = Annotated(read(page, world).annotated)
    inert = {
        element.text: copy.states[element].inert
        for element in elements(copy.root)
        if element.tag in ("p", "dialog", "em")
    }
    assert inert == {"in": True, "out": True, "d": False, "e": False}


def test_the_canonical_form_includes_roots_and_frames(tab: Tab) -> None:
    page, world = tab

    def form_now() -> str:
        page.set_content(INNER)
        page.frames[-1].wait_for_load_state()
        page.evaluate(DRAW_INNER)
        page.evaluate(RUNTIME)
        return digest(read(page, world).annotated)

    first = form_now()
    assert form_now() == first
    paragraph_in_frame = "document.querySelector('iframe').contentDocument.querySelector('p')"
    for change in ("document.querySelector('div').shadowRoot.querySelector('b').textContent = 'two'",
                   "document.querySelector('div').shadowRoot.querySelector('input').value = '2'",
                   "document.querySelector('div').shadowRoot.querySelector('fieldset').disabled = false",
                   f"{paragraph_in_frame}.textContent = 'in two'", f"{paragraph_in_frame}.hidden = true"):  # fmt: skip
        assert form_now() == first
        page.evaluate(change)
        assert digest(read(page, world).annotated) != first, change
    assert form_now() == first
    page.evaluate(f"disturb.element(document.querySelector('div').shadowRoot), disturb.wrap({paragraph_in_frame})")
    assert digest(read(page, world).annotated) == first


def test_a_page_without_a_runtime_is_the_sites(tab: Tab) -> None:
    page, world = tab
    page.set_content("<p>a</p>")
    assert read(page, world).annotated == read(page, world, event="").annotated
    assert "kind" not in read(page, world).annotated


@pytest.mark.parametrize("text", ["", "<p>a</p>", "<!--sw0-notes --><p>a</p>", " <!--sw0-notes-->"])
def test_other_texts_are_refused(text: str) -> None:
    for ask in (Annotated, html_for_agent):
        with pytest.raises(ValueError, match="this is no annotated copy"):
            ask(text)


def test_an_empty_document_is_read() -> None:
    copy: Any = Annotated("<!--sw0-notes-->")
    assert elements(copy.root)[0].tag == "html"
