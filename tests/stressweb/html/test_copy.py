"""The copy of a live document: the browser's own markup with the state of fields, without changing the page."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser

from scripts.waited import IsolatedWorld
from stressweb.html.canonical import document
from stressweb.sources.part import COPY_JS, INNER_JS
from tests.stressweb.html.copied_documents import documents

pytestmark = pytest.mark.sample(4, "file")


ORACLE = """(page) => {
  // The browser's own markup of an imported copy, into which the states of the fields are written.
  const root = Object.getOwnPropertyDescriptor(Document.prototype, "documentElement").get.call(page);
  const copy = document.implementation.createHTMLDocument("").importNode(root, true);
  const fields = "input, textarea, option";
  const find = Element.prototype.querySelectorAll;
  const lives = find.call(root, fields);
  find.call(copy, fields).forEach((mine, at) => {
    const live = lives[at];
    if (live.namespaceURI !== "http://www.w3.org/1999/xhtml") return;
    if (live.localName === "textarea") mine.textContent = live.value;
    else if (live.localName === "option") mine.toggleAttribute("selected", live.selected);
    else if (live.type === "checkbox" || live.type === "radio") mine.toggleAttribute("checked", live.checked);
    else if (live.value !== (live.getAttribute("value") ?? "")) mine.setAttribute("value", live.value);
  });
  const type = Object.getOwnPropertyDescriptor(Document.prototype, "doctype").get.call(page);
  return (type ? new XMLSerializer().serializeToString(type) : "") + copy.outerHTML;
}"""
COMPARE = f"""(given) => {{
  const [copy, oracle] = [{COPY_JS}, {ORACLE}];
  const page = new DOMParser().parseFromString(given.html, given.type);
  const fields = Array.from(Document.prototype.querySelectorAll.call(page, "input, textarea, option"));
  // Set by a script, so that what is shown differs from what the markup says.
  fields.filter((field, at) => given.states[at]).forEach((field) => {{
    if (field.localName === "option") field.selected = !field.selected;
    else if (["checkbox", "radio"].includes(field.type)) field.checked = !field.checked;
    else if (field.type !== "file") field.value = given.states[0] + "<&\\"\\n";
  }});
  return {{ quick: copy(page, {{}}).html, each: copy(page, {{ each: true }}).html, theirs: oracle(page).toWellFormed() }};
}}"""
SAME = f"""(html) => {{
  const page = new DOMParser().parseFromString(html, "text/html");
  const again = new DOMParser().parseFromString(({COPY_JS})(page, {{ each: true }}).html, "text/html");
  return page.isEqualNode(again);
}}"""


@pytest.fixture(scope="module")
def world(browser: Browser) -> Iterator[IsolatedWorld]:
    context = browser.new_context()
    yield IsolatedWorld(context.new_page())
    context.close()


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents(), st.lists(st.sampled_from(["", "a", "12"]), min_size=50, max_size=50))
def test_it_is_the_browsers_markup_with_the_states_of_fields(
    world: IsolatedWorld, html: str, states: list[str]
) -> None:
    """Both the `quick` copy, which leaves stateless parts to the browser, and the copy of `each` element."""
    copies = world.evaluate(COMPARE, {"html": html, "states": states, "type": "text/html"})
    assert copies["quick"] == copies["theirs"]
    assert copies["each"] == copies["theirs"]


LEAVES = st.sampled_from(
    ["text", "a &amp; b", "&lt;b&gt;", "&nbsp;", "<br>", '<img alt="x>y" src="data:,">', "<!-- said -->", "<input>",
     '<input type="checkbox" checked="">', "<textarea>a &lt; b</textarea>", "<script>1 < 2 && '<b>'</script>",
     "<style>a > b {}</style>", '<svg viewBox="0 0 1 1"><path d="M0 0"></path><foreignObject>x</foreignObject></svg>',
     "<math><mi>x</mi></math>", "<select><option selected=\"\">a</option><option>b</option></select>", "\U0001f600"]
)  # fmt: skip
TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda parts, around: around.replace("*", "".join(parts)),
        st.lists(inner, max_size=4),
        st.sampled_from(["<div>*</div>", "<section>*</section>", "<template>*</template>", "<ul><li>*</li></ul>",
                         "<table><tbody><tr><td>*</td></tr></tbody></table>", '<div class="a" title="&quot;">*</div>',
                         "<details open=\"\"><summary>s</summary>*</details>", "<x-y>*</x-y>"]),
    ),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TREES)
def test_parsed_again_it_is_the_same_document(world: IsolatedWorld, tree: str) -> None:
    assert world.evaluate(SAME, f"<!DOCTYPE html><html><head><title>t</title></head><body>{tree}</body></html>")


def test_xml_is_written_as_html(world: IsolatedWorld) -> None:
    html = (
        '<r xmlns:a="urn:a" a:b="1&amp;"><input/><a:c/><![CDATA[d<]]><?e f?><s xmlns="http://www.w3.org/2000/svg"/></r>'
    )
    copies = world.evaluate(COMPARE, {"html": html, "states": [""], "type": "application/xml"})
    assert copies["quick"] == copies["each"] == copies["theirs"]


def test_names_of_fields_hide_nothing(world: IsolatedWorld) -> None:
    """A field named `firstChild` shadows `form.firstChild` in any world, and an image `document.documentElement`."""
    names = (
        "firstChild nextSibling nodeType localName namespaceURI attributes getAttribute getAttributeNames shadowRoot"
    )
    names += " ownerDocument parentNode outerHTML tagName content documentElement doctype querySelectorAll contentType"
    fields = "".join(f'<input name="{name}">' for name in names.split())
    images = "".join(f'<img name="{name}">' for name in names.split())
    html = f'<!DOCTYPE html><html><head></head><body><form class="f"><b></b>{fields}</form>{images}<p>after</p></body></html>'
    copies = world.evaluate(COMPARE, {"html": html, "states": [""], "type": "text/html"})
    assert copies["quick"] == copies["each"] == html
    # With a state in the form both copies visit the elements around it.
    changed = world.evaluate(COMPARE, {"html": html, "states": ["v"], "type": "text/html"})
    assert changed["quick"] == changed["each"] == html.replace("firstChild", 'firstChild" value="v&lt;&amp;&quot;', 1)


def test_trees_that_no_parser_makes_are_written_as_the_browser_does(world: IsolatedWorld) -> None:
    copies = world.evaluate(
        f"""() => {{
          const page = document.implementation.createHTMLDocument("");
          const [area, line] = [page.createElement("textarea"), page.createElement("br")];
          area.append(page.createElement("b"), "c", page.createComment("d"));
          line.append("e");
          const other = page.createElementNS("urn:x", "x:Y");
          other.setAttributeNS("urn:z", "z:A", "1");
          other.setAttributeNS("http://www.w3.org/XML/1998/namespace", "q:lang", "2");
          const plain = page.createElement("p");
          plain.setAttributeNS(null, "Big", "3");
          plain.setAttributeNS("http://www.w3.org/1999/xlink", "w:href", "4");
          page.body.append(area, line, other, plain, page.createProcessingInstruction("g", "h"), "\\ud800");
          const copy = {COPY_JS};
          return [copy(page, {{}}).html, copy(page, {{ each: true }}).html, ({ORACLE})(page).toWellFormed()];
        }}"""
    )
    assert copies[0] == copies[1] == copies[2]
    assert ">c</textarea><br><x:Y" in copies[0]


def test_a_noscript_element_is_written_as_the_text_that_it_holds(browser: Browser) -> None:
    page = browser.new_context().new_page()
    html = "<html><head></head><body><noscript><p>a &amp; b</p></noscript></body></html>"
    page.set_content(html)
    world = IsolatedWorld(page)
    for options in ({}, {"each": True}):
        assert world.evaluate(f"(options) => ({COPY_JS})(document, options).html", options) == html
    page.context.close()


def test_elements_may_be_nested_deeper_than_calls(world: IsolatedWorld) -> None:
    depth = 20_000
    html = world.evaluate(
        f"""(depth) => {{
          const page = document.implementation.createHTMLDocument("");
          let inner = page.body;
          for (let at = 0; at < depth; at += 1) inner = inner.appendChild(page.createElement("i"));
          return ({COPY_JS})(page, {{ each: true }}).html;
        }}""",
        depth,
    )
    assert html.count("<i>") == html.count("</i>") == depth


ROOTED = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda parts, shadow, around: around.replace("^", "".join(shadow)).replace("*", "".join(parts)),
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3),
        st.sampled_from(["<div>*</div>", "<template>*</template>", "<details open=\"\"><summary>s</summary>*</details>",
                         '<div><template shadowrootmode="open">^<slot></slot></template>*</div>',
                         '<x-y><template shadowrootmode="open" shadowrootdelegatesfocus="" shadowrootclonable="">^</template>*</x-y>',
                         '<p><template shadowrootmode="open" shadowrootserializable="">^</template>*</p>']),
    ),
    max_leaves=20,
)  # fmt: skip
COPIED = f"""(html) => {{
  // In a document that is shown: there the parser of the browser makes roots.
  document.body.setHTMLUnsafe(html);
  const find = {INNER_JS};
  const shadowRoots = [...find(document).values()];
  const theirs = document.documentElement.getHTML({{ shadowRoots }});
  const copy = {COPY_JS};
  const inner = find(document);
  const [quick, each] = [copy(document, {{ inner }}).html, copy(document, {{ inner, each: true }}).html];
  return {{ quick, each, theirs: `<html>${{theirs}}</html>`, roots: shadowRoots.length, plain: copy(document, {{}}).html }};
}}"""


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROOTED)
def test_shadow_roots_are_written_as_the_browser_writes_them(world: IsolatedWorld, html: str) -> None:
    copies = world.evaluate(COPIED, html)
    assert copies["quick"] == copies["each"] == copies["theirs"]
    # Without a root, the copy is the same as one that does not look for roots.
    assert (copies["quick"] == copies["plain"]) is (copies["roots"] == 0)


DEEP = """<!DOCTYPE html><html><head></head><body><div><template shadowrootmode="open"><p>one</p><iframe srcdoc="<b>two</b>"></iframe></template>light</div>
<iframe srcdoc="<html lang=fr><body class=c><h1></h1><h1></h1><script>document.querySelectorAll('h1')[1].attachShadow({mode: 'open'}).innerHTML = '<input>'</script>"></iframe>
<iframe sandbox srcdoc="far"></iframe><iframe></iframe><span id="closed"></span></body></html>"""


def test_frames_are_written_behind_their_elements(browser: Browser) -> None:
    page = browser.new_context().new_page()
    page.set_content(DEEP)
    page.evaluate("document.querySelector('#closed').attachShadow({mode: 'closed'}).innerHTML = 'unseen'")
    page.frames[-1].wait_for_load_state()
    for frame in page.frames:
        frame.evaluate(
            "document.querySelectorAll('h1').forEach((one) => one.shadowRoot && (one.shadowRoot.firstChild.value = 'v'))"
        )
    world = IsolatedWorld(page)
    copies = [
        world.evaluate(f"(each) => ({COPY_JS})(document, {{ inner: ({INNER_JS})(document), each }}).html", each)
        for each in (False, True)
    ]
    two = (
        '<template framedocument="about:srcdoc"><frame-html><frame-head></frame-head><frame-body><b>two</b></frame-body>'
        "</frame-html></template>"
    )
    script = "document.querySelectorAll('h1')[1].attachShadow({mode: 'open'}).innerHTML = '<input>'"
    three = (
        '<template framedocument="about:srcdoc"><frame-html lang="fr"><frame-head></frame-head><frame-body class="c"><h1></h1><h1>'
        f'<template shadowrootmode="open"><input value="v"></template></h1><script>{script}</script></frame-body></frame-html></template>'
    )
    plain = page.content()
    expected = plain.replace(
        "<div>",
        '<div><template shadowrootmode="open"><p>one</p><iframe srcdoc="&lt;b&gt;two&lt;/b&gt;"></iframe>'
        f"{two}</template>",
    )
    # A frame of another origin, an empty frame and a closed root are left as they are.
    expected = expected.replace("</iframe>\n<iframe sandbox", f"</iframe>{three}\n<iframe sandbox")
    assert copies == [expected, expected]
    assert world.evaluate(f"() => ({COPY_JS})(document, {{}}).html") == plain
    page.context.close()


def test_an_ordinary_parser_finds_roots_and_frames_where_they_are(browser: Browser) -> None:
    page = browser.new_context().new_page()
    page.set_content(
        "<p>a<iframe srcdoc='<title>t</title><p>in</p><table><tr><td>cell</table>'></iframe>b</p>"
        "<div><template shadowrootmode='open'><p>root<slot></slot></template>light</div>"
    )
    page.frames[-1].wait_for_load_state()
    html = IsolatedWorld(page).evaluate(f"() => ({COPY_JS})(document, {{ inner: ({INNER_JS})(document) }}).html")
    frame = page.evaluate(
        "(html) => [...new DOMParser().parseFromString(html, 'text/html').querySelectorAll('template')]"
        ".map((one) => [one.previousElementSibling?.localName ?? null, one.content.textContent])",
        html,
    )
    assert frame == [["iframe", "tincell"], [None, "root"]]
    root = document(html)
    assert [template.xpath("string()") for template in root.iter("template")] == ["tincell", "root"]
    assert [node.tag for node in root.xpath("//p[1]/iframe/following-sibling::template/*")] == ["frame-html"]
    page.context.close()
