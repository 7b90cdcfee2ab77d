"""A key is frozen at the first read; our nodes change no key; and the cost of a read is linear in the page."""

from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from playwright.sync_api import Page

from tests.examples import examples
from tests.support.documents import documents
from tests.support.keyed import MAKER

pytestmark = pytest.mark.sample(12, "file")

LIST = '<ul><li><button>Add</button></li><li><button>Add</button></li></ul><p id="p">Text</p>'


def after(tab: Page, html: str, *steps: str) -> list[list[str]]:
    """Return the keys of the controls of a page, first and after each of the steps."""
    tab.set_content(html)
    return tab.evaluate(  # type: ignore[no-any-return]
        f"""() => {{
          const kinds = new WeakMap();
          const keys = ({MAKER})((node) => kinds.get(node), {{ site: "toy", hosts: [] }});
          const read = () => keys.controls([document], "/").map((entry) => entry.key.replace("toy / ", ""));
          const [$, all] = [(selector) => document.querySelector(selector), (selector) => document.querySelectorAll(selector)];
          return [() => null, {",".join(f"() => {{ {step} }}" for step in steps)}].map((step) => (step(), read()));
        }}"""
    )


def test_a_key_stays_whatever_becomes_of_its_element(tab: Page) -> None:
    first, *later = after(
        tab,
        LIST,
        '$("button").textContent = "Added"',
        '$("button").setAttribute("aria-label", "Other")',
        '$("button").setAttribute("role", "link")',
        '$("button").before("Words")',
        '$("#p").before(document.createElement("button"))',
        '$("ul").append($("li"))',
    )
    assert first == ["button Add  #1", "button Add  #2"]
    assert later[:4] == [first] * 4
    assert later[4] == [*first, "button   #1"]
    assert later[5] == ["button Add  #2", "button Add  #1", "button   #1"]


def test_a_copy_gets_a_key_of_its_own(tab: Page) -> None:
    first, behind, front = after(
        tab, LIST, '$("ul").append($("li").cloneNode(true))', '$("ul").prepend($("li").cloneNode(true))'
    )
    assert behind == [*first, "button Add  #3"]
    assert front == ["button Add  #4", *behind]


def test_a_control_that_is_drawn_again_has_the_key_that_it_had(tab: Page) -> None:
    """Attempts are counted by key: redrawing a page must not reset the count."""
    first, all_anew, one_anew = after(
        tab, LIST, '$("ul").innerHTML = $("ul").innerHTML', 'all("li")[1].replaceWith(all("li")[1].cloneNode(true))'
    )
    assert first == all_anew == one_anew


def test_a_control_that_takes_an_old_name_gets_no_key_that_is_in_use(tab: Page) -> None:
    first, renamed = after(
        tab,
        LIST,
        '$("button").textContent = "Added"; $("ul").append($("li").cloneNode(true)); all("button")[2].textContent = "Add"',
    )
    assert renamed == [*first, "button Add  #3"]


def test_what_is_no_control_just_now_keeps_its_key(tab: Page) -> None:
    html = '<a href="/x">Go</a>'
    first, gone, back = after(
        tab,
        html,
        '$("a").removeAttribute("href"); $("a").insertAdjacentHTML("afterend", \'<a href="/x">Go</a>\')',
        '$("a").href = "/y"',
    )
    assert first == ["link Go /x #1"]
    assert gone == ["link Go /x #2"]
    assert back == ["link Go /x #1", "link Go /x #2"]


def test_keys_of_elements_are_frozen_too(tab: Page) -> None:
    tab.set_content("<p>One</p><p>One</p>")
    keys = tab.evaluate(
        f"""() => {{
          const keys = ({MAKER})(() => undefined, {{ site: "toy", hosts: [] }});
          const read = () => keys.nodes([document]).map((entry) => entry.key);
          const [first, p] = [read(), document.querySelector("p")];
          p.textContent = "Two";
          p.after(p.cloneNode(true), document.createElement("hr"));
          return [first, read()];
        }}"""
    )
    assert keys == [["p One  1", "p One  2"], ["p One  1", "p Two  1", "hr   1", "p One  2"]]


def test_controls_in_shadow_roots_have_keys_of_their_own(tab: Page) -> None:
    """In open and closed roots: the caller passes the roots, in document order."""
    tab.set_content("<form action='/f'><button>Add</button><div></div><div></div></form>")
    keys = tab.evaluate(
        f"""() => {{
          const keys = ({MAKER})(() => undefined, {{ site: "toy", hosts: [] }});
          const roots = [...document.querySelectorAll("div")].map((host, n) => host.attachShadow({{ mode: n ? "open" : "closed" }}));
          for (const root of roots) root.innerHTML = '<b id="n">In</b><button>Add</button><input aria-labelledby="n"><label for="l">L</label><input id="l">';
          const all = [document, ...roots];
          return [keys.controls(all, "/").map((entry) => entry.key), keys.nodes(all).map((entry) => entry.key)];
        }}"""
    )
    names = ["button Add", "textbox In", "textbox L"]
    assert keys[0] == ["toy / button Add /f #1", *(f"toy / {name}  #{n}" for n in (1, 2) for name in names)]
    assert [key for key in keys[1] if key.startswith("button")] == ["button Add  1", "button Add  2", "button Add  3"]


DISTURBED = f"""([html, seed]) => {{
  const kinds = new WeakMap();
  const newKeys = () => ({MAKER})((node) => kinds.get(node), {{ site: "toy", hosts: [] }});
  const root = new DOMParser().parseFromString(html, "text/html");
  const [before, anew] = [newKeys(), newKeys()];
  const read = (keys) => [keys.controls([root], "/"), keys.nodes([root])].map((all) => all.map((entry) => entry.key));
  const first = read(before);
  let state = seed;
  const chance = () => ((state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) >> 8) % 3 === 0;
  const ours = (tag, kind, html) => {{
    const element = root.createElement(tag);
    element.innerHTML = html ?? "";
    kinds.set(element, kind);
    return element;
  }};
  let changes = 0;
  const does = (act) => chance() && (act(), (changes += 1));
  for (const element of [...root.body.querySelectorAll("*")]) {{
    if (element.closest("svg, select, table, textarea") || element.localName === "input") continue;
    // Our nodes contain everything by which the site's own could be found.
    const decoy = '<label for="one">Lamp</label><b id="one">Chair</b><button id="two">Add</button><input id="three">';
    const text = [...element.childNodes].find((node) => node.nodeType === 3 && node.data.length > 1 && !kinds.has(node));
    does(() => element.prepend(ours("b", "added", decoy)));
    does(() => element.append(ours("label", "added", decoy)));
    does(() => {{ const twin = element.cloneNode(true); kinds.set(twin, "added"); element.before(twin); }});
    does(() => {{ const holder = ours("form", "wrapper"); holder.append(...element.childNodes); element.append(holder); }});
    does(() => {{ const holder = ours("label", "wrapper"); element.after(holder); holder.append(element); }});
    if (text) does(() => {{ const rest = text.splitText(1); rest.before(ours("i", "added", "Rope")); }});
    if (text) does(() => {{ const node = root.createTextNode("Rope"); kinds.set(node, "added"); text.before(node); }});
    if (text) does(() => {{ text.data = [...text.data].join("\\u200b"); }});
  }}
  return [first, read(before), read(anew), changes];
}}"""


@examples(240)
@given(html=documents(unseen=False), seed=st.integers(0, 2**31 - 1))
def test_what_is_ours_changes_no_key(tab: Page, html: str, seed: int) -> None:
    """Neither of elements that were read before, nor of elements first read among our nodes."""
    note(html)
    first, seen_before, anew, _ = tab.evaluate(DISTURBED, [html, seed])
    assert seen_before == first
    assert anew == first


def test_the_changes_of_that_test_are_many(tab: Page) -> None:
    html = "<body>" + LIST * 20
    assert tab.evaluate(DISTURBED, [html, 7])[3] > 200


@pytest.mark.parametrize(
    "overrides",
    [
        "Element.prototype.getAttribute = () => 'x';",
        "Element.prototype.querySelectorAll = Document.prototype.querySelectorAll = () => [];",
        "for (const name of ['firstChild', 'nextSibling', 'parentNode', 'nodeType']) Object.defineProperty(Node.prototype, name, { get: () => null });",
        "Object.defineProperty(Element.prototype, 'localName', { get: () => 'b' });",
    ],
)
def test_a_page_cannot_replace_what_keys_are_made_with(own_tab: Page, overrides: str) -> None:
    own_tab.set_content(LIST)
    script = f"() => {{ const keys = ({MAKER})(() => undefined, {{ site: 'toy', hosts: [] }}); {overrides} return keys.controls([document], '/').map((entry) => entry.key); }}"
    assert own_tab.evaluate(script) == ["toy / button Add  #1", "toy / button Add  #2"]


def test_names_of_fields_hide_no_property_of_a_form(tab: Page) -> None:
    fields = "".join(
        f'<input name="{name}">' for name in ("firstChild", "parentNode", "localName", "nodeType", "getAttribute")
    )
    html = f'<img name="body"><img name="getElementById"><form action="/f" title="Form">{fields}</form>'
    (keys,) = after(tab, html)
    assert keys == ["button Form /f #1".replace(" /f", " "), *(f"textbox  /f #{n}" for n in range(1, 6))]


# Shapes that grow in the number of elements: their texts stay as long, and so do keys.
SHAPES = {
    "wide": '(n) => `<div><button>Add</button><a href="/x">Go</a><p>Text</p></div>`.repeat(n)',
    "deep": """(n) => { let inner = document.body; for (let i = 0; i < n; i += 1) {
        inner.insertAdjacentHTML('beforeend', '<a href="/x">Go</a><header aria-label="x"></header><div></div>'); inner = inner.lastChild; } }""",
    "forms": """(n) => { let inner = document.body; for (let i = 0; i < n; i += 1) {
        inner.append(document.createElement('form'), document.createElement('input')); inner = inner.firstChild; } }""",
    "labels": """(n) => { let inner = document.body; for (let i = 0; i < n; i += 1) {
        inner.append(document.createElement('label')); inner = inner.lastChild; } inner.append(document.createElement('input')); }""",
    "names": """(n) => { let inner = document.body; for (let i = 0; i < n; i += 1) {
        inner.insertAdjacentHTML('beforeend', '<b role="button"></b>'); inner = inner.lastChild; } inner.append('Text'); }""",
    "labels of one field": '(n) => "<input id=i>" + `<label for="i"></label>`.repeat(n)',
    "ids": '(n) => { let html = ""; for (let i = 0; i < n; i += 1) html += `<b id="b${i}">x</b><button aria-labelledby="b${i}"></button>`; return html; }',
    "one name": '(n) => "<p id=p>" + "<b></b>".repeat(n) + "</p>" + `<button aria-labelledby="p"></button>`.repeat(n)',
    "ours": """(n) => { for (let i = 0; i < n; i += 1) { const [added, wrapper] = [document.createElement('b'), document.createElement('i')];
        kinds.set(added, 'added'); kinds.set(wrapper, 'wrapper'); added.id = 'i'; added.innerHTML = '<button>x</button>';
        wrapper.innerHTML = `<a href="/x" aria-labelledby="i">Go</a>`; document.body.append(added, wrapper); } }""",
    "wrapped": """(n) => { let inner = document.body; for (let i = 0; i < n; i += 1) { const wrapper = document.createElement('b');
        kinds.set(wrapper, 'wrapper'); inner.append(wrapper); wrapper.innerHTML = `<a href="/x">Go</a>`; inner = wrapper; } }""",
}  # fmt: skip
COUNTED = f"""([shape, size]) => {{
  document.body.innerHTML = "";
  const kinds = new WeakMap();
  const written = eval(shape)(size);
  if (written) document.body.innerHTML = written;
  let steps = 0;
  const counts = (type, name) => {{
    const whole = Object.getOwnPropertyDescriptor(type.prototype, name);
    const counted = (act) => function (...args) {{ steps += 1; return act.apply(this, args); }};
    const part = whole.get ? "get" : "value";
    Object.defineProperty(type.prototype, name, {{ ...whole, [part]: counted(whole[part]) }});
    return () => Object.defineProperty(type.prototype, name, whole);
  }};
  const undo = ["firstChild", "nextSibling", "parentNode", "nodeType"].map((name) => counts(Node, name));
  undo.push(counts(Element, "getAttribute"), counts(Element, "localName"), counts(CharacterData, "data"));
  const keys = ({MAKER})((node) => ((steps += 1), kinds.get(node)), {{ site: "toy", hosts: [] }});
  const read = () => (keys.controls([document], "/"), keys.nodes([document]), steps);
  const reads = [read(), read()];
  undo.forEach((restore) => restore());
  return [reads[0], reads[1] - reads[0]];
}}"""


@pytest.mark.parametrize("shape", SHAPES)
def test_no_part_of_it_grows_faster_than_the_page(tab: Page, shape: str) -> None:
    """Counts DOM calls instead of time: a page that is twice as large takes at most twice as many."""
    code: Any = SHAPES[shape].replace("\n", " ")
    small, large = (tab.evaluate(COUNTED, [code, size]) for size in (300, 600))
    assert small[0] > 300
    assert large[0] / small[0] < 2.2, (small, large)
    assert large[1] / small[1] < 2.2, (small, large)


SPOILT = f"""() => {{
  const make = () => ({MAKER})(() => undefined, {{ site: "toy", hosts: ["toy.test"] }});
  const read = (keys) => [...keys.controls([document], "/a/1?b"), ...keys.nodes([document])].map((entry) => entry.key);
  const [first, second] = [make(), make()];
  const before = read(first);
  const saved = [];
  const iterator = Object.getPrototypeOf([][Symbol.iterator]());
  for (const owner of [String.prototype, RegExp.prototype, Array.prototype, iterator]) {{
    for (const name of Reflect.ownKeys(owner)) {{
      const whole = Object.getOwnPropertyDescriptor(owner, name);
      if (name !== "constructor" && whole.configurable) saved.push([owner, name, whole]);
    }}
  }}
  const {{ defineProperty }} = Object;
  const spoil = (owner, name, whole) => {{
    if (whole.get) defineProperty(owner, name, {{ ...whole, get: () => "spoilt" }});
    else if (typeof whole.value === "function") defineProperty(owner, name, {{ ...whole, value: () => "spoilt" }});
  }};
  for (let i = 0; i < saved.length; i += 1) {{
    // No destructuring: it would call the spoilt iterator.
    const method = saved[i];
    spoil(method[0], method[1], method[2]);
  }}
  let controls, nodes, spoilt;
  try {{
    spoilt = "x".trim();
    controls = second.controls([document], "/a/1?b");
    nodes = second.nodes([document]);
  }} finally {{
    for (let i = 0; i < saved.length; i += 1) defineProperty(saved[i][0], saved[i][1], saved[i][2]);
  }}
  return [before, [...controls, ...nodes].map((entry) => entry.key), spoilt];
}}"""
PLAIN = """<h1> An \u200bold   <b>lamp</b> </h1><form action=" /do?x "><label for=a>Name\n <i>of it</i></label><input id=a>
  <input type=SUBMIT value=" Save  it "><button aria-labelledby="b none c">x</button></form><em id=b>Two</em><i id=c>three</i>
  <a href=" http://toy.test/p/7 ">\ufeff See http://toy.test/x</a><div role=" Button x">\U0001d49c word that goes on for
  a long time, until nobody listens</div><p>\U0001d49c Another text that is longer than a key, and goes on and on</p>"""


def test_a_page_with_other_methods_on_texts_patterns_and_lists_has_the_same_keys(own_tab: Page) -> None:
    own_tab.set_content(PLAIN)
    before, spoilt, trimmed = own_tab.evaluate(SPOILT)
    assert trimmed == "spoilt"
    assert spoilt == before
    assert "toy /a/* link See /x /p/7 #1" in before
    assert any("Name of it" in key for key in before)
