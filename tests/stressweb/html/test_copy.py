"""The copy of a live document: what the browser itself would write, with the state of fields, and nothing is changed."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser

from runner.observations.isolated_world import IsolatedWorld
from runner.observations.part import COPY_JS

pytestmark = pytest.mark.sample(4, "file")

PIECES = """<p> <b> </b> <i> </i> <table> <tr> <td> </td> </table> <caption> <svg> </svg> <math> <mi> <foreignObject> <desc> <template> </template> <select> </select>
<option> <option\tselected> <option\tvalue=1> <optgroup\tlabel=o> <datalist> <frameset> <frame> <noscript> </noscript> <textarea> </textarea> <plaintext> <a\thref=x> </a> <li>
<a\txlink:href=y\txml:lang=z\txmlns:q=r> <svg\txlink:href=y\txml:lang=z\txmlns=w\tviewbox=1> <pre>\n <!--x--> <!--a--!>b--> <![CDATA[x]]> <?pi\tq?> &amp; &nbsp; \xa0 < > " ' & text \x00
<title> </title> <style>a>b&c</style> <script>"<b>&"</script> <xmp>a&b<</xmp> <iframe> </iframe> <noembed>& </noembed> <noframes>< </noframes> <body\tclass=a> <html\tlang=x> <image> <br/> </p>
<col> <svg/> <x:y\ta:b=c> <keygen> <bgsound> <basefont> <input\ttype=hidden\tvalue=h> <input\tvalue=a> <input\ttype=checkbox\tchecked=checked> <input\ttype=radio\tname=firstChild\tchecked>
<input\tname=localName> <input\ttype=range> <input\ttype=file> <form> <form\tname=body> </form> <button> </button> <textarea\tname=attributes>\na&b</textarea> <div\ttitle="<a\xa0&quot;>"> </div>
<!DOCTYPE\thtml> <!DOCTYPE\thtml\tPUBLIC\t"-//W3C//DTD\tHTML\t4.01//EN"\t"http://www.w3.org/TR/html4/strict.dtd"> <custom-element\tis=q\tA=B> <details\topen> <dialog\topen> 😀""".split()  # noqa: SIM905

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
  return {{ quick: copy(page, {{}}).html, deep: copy(page, {{ deep: true }}).html, theirs: oracle(page).toWellFormed() }};
}}"""
SAME = f"""(html) => {{
  const page = new DOMParser().parseFromString(html, "text/html");
  const again = new DOMParser().parseFromString(({COPY_JS})(page, {{ deep: true }}).html, "text/html");
  return page.isEqualNode(again);
}}"""


@pytest.fixture(scope="module")
def world(browser: Browser) -> Iterator[IsolatedWorld]:
    context = browser.new_context()
    yield IsolatedWorld(context.new_page())
    context.close()


@st.composite
def documents(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.sampled_from(PIECES), max_size=40))
    return "".join(piece.replace("\t", " ") + draw(st.sampled_from(["", " ", "x"])) for piece in pieces)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents(), st.lists(st.sampled_from(["", "a", "12"]), min_size=50, max_size=50))
def test_it_is_the_browsers_markup_with_the_states_of_fields(
    world: IsolatedWorld, html: str, states: list[str]
) -> None:
    """Whether the browser writes what has no state (`quick`) or every element is gone through (`deep`)."""
    found = world.evaluate(COMPARE, {"html": html, "states": states, "type": "text/html"})
    assert found["quick"] == found["theirs"]
    assert found["deep"] == found["theirs"]


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


def test_what_is_no_html_is_written_as_html(world: IsolatedWorld) -> None:
    html = (
        '<r xmlns:a="urn:a" a:b="1&amp;"><input/><a:c/><![CDATA[d<]]><?e f?><s xmlns="http://www.w3.org/2000/svg"/></r>'
    )
    found = world.evaluate(COMPARE, {"html": html, "states": [""], "type": "application/xml"})
    assert found["quick"] == found["deep"] == found["theirs"]


def test_names_of_fields_hide_nothing(world: IsolatedWorld) -> None:
    """`form.firstChild` is a field of that name, in any world; so is `document.documentElement` a picture."""
    names = (
        "firstChild nextSibling nodeType localName namespaceURI attributes getAttribute getAttributeNames shadowRoot"
    )
    names += " ownerDocument parentNode outerHTML tagName content documentElement doctype querySelectorAll contentType"
    fields = "".join(f'<input name="{name}">' for name in names.split())
    images = "".join(f'<img name="{name}">' for name in names.split())
    html = f'<!DOCTYPE html><html><head></head><body><form class="f"><b></b>{fields}</form>{images}<p>after</p></body></html>'
    found = world.evaluate(COMPARE, {"html": html, "states": [""], "type": "text/html"})
    assert found["quick"] == found["deep"] == html
    # With a state in the form the elements around it are gone through in either way.
    changed = world.evaluate(COMPARE, {"html": html, "states": ["v"], "type": "text/html"})
    assert changed["quick"] == changed["deep"] == html.replace("firstChild", 'firstChild" value="v&lt;&amp;&quot;', 1)


def test_what_no_parser_makes_is_written_as_the_browser_does(world: IsolatedWorld) -> None:
    found = world.evaluate(
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
          return [copy(page, {{}}).html, copy(page, {{ deep: true }}).html, ({ORACLE})(page).toWellFormed()];
        }}"""
    )
    assert found[0] == found[1] == found[2]
    assert ">c</textarea><br><x:Y" in found[0]


def test_a_noscript_element_is_written_as_the_text_that_it_holds(browser: Browser) -> None:
    page = browser.new_context().new_page()
    html = "<html><head></head><body><noscript><p>a &amp; b</p></noscript></body></html>"
    page.set_content(html)
    world = IsolatedWorld(page)
    for options in ({}, {"deep": True}):
        assert world.evaluate(f"(options) => ({COPY_JS})(document, options).html", options) == html
    page.context.close()


def test_elements_may_be_nested_deeper_than_calls(world: IsolatedWorld) -> None:
    depth = 20_000
    html = world.evaluate(
        f"""(depth) => {{
          const page = document.implementation.createHTMLDocument("");
          let inner = page.body;
          for (let at = 0; at < depth; at += 1) inner = inner.appendChild(page.createElement("i"));
          return ({COPY_JS})(page, {{ deep: true }}).html;
        }}""",
        depth,
    )
    assert html.count("<i>") == html.count("</i>") == depth


DEEP = """<!DOCTYPE html><html><head></head><body><div><template shadowrootmode="open"><p>one</p><iframe srcdoc="<b>two</b>"></iframe></template></div>
<iframe srcdoc="<h1></h1><h1></h1><script>document.querySelectorAll('h1')[1].attachShadow({mode: 'open'}).innerHTML = '<input>'</script>"></iframe>
<iframe sandbox srcdoc="far"></iframe><span id="closed"></span></body></html>"""


def test_open_roots_and_frames_of_the_origin_can_be_copied_too(browser: Browser) -> None:
    """The recording does not hold them yet."""
    page = browser.new_context().new_page()
    page.set_content(DEEP)
    page.evaluate("document.querySelector('#closed').attachShadow({mode: 'closed'}).innerHTML = 'unseen'")
    page.frames[-1].wait_for_load_state()
    for frame in page.frames:
        frame.evaluate(
            "document.querySelectorAll('h1').forEach((one) => one.shadowRoot && (one.shadowRoot.firstChild.value = 'v'))"
        )
    found: dict[str, Any] = IsolatedWorld(page).evaluate(f"() => ({COPY_JS})(document, {{ deep: true }})")
    parts = [(part["kind"], part["of"], part["html"]) for part in found["parts"]]
    assert found["html"] == page.content()
    frame = "<html><head></head><body><h1></h1><h1></h1><script>document.querySelectorAll('h1')[1].attachShadow({mode: 'open'}).innerHTML = '<input>'</script></body></html>"
    assert parts == [
        ("shadow", -1, '<p>one</p><iframe srcdoc="&lt;b&gt;two&lt;/b&gt;"></iframe>'),
        ("frame", -1, frame),
        ("frame", 0, "<html><head></head><body><b>two</b></body></html>"),
        ("shadow", 1, '<input value="v">'),
    ]
    # By number in its copy: html, head, body, div; in the frame the second heading, in the root the frame after the paragraph.
    assert [part["at"] for part in found["parts"]] == [3, 4, 1, 4]
    assert found["unreached"] == 1
    assert "unseen" not in json.dumps(found)
    page.context.close()
