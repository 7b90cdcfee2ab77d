"""Reading pages as annotated copies, with a runtime that reports the nodes of ours."""

from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page

import stressweb.html
from scripts.waited import IsolatedWorld
from stressweb.perturbations.page.parts import key_maker
from stressweb.sources.part import COPY_JS, INNER_JS

type Tab = tuple[Page, IsolatedWorld]

NOTES_JS = Path(stressweb.html.__file__).with_name("notes.js").read_text("utf-8")
EVENT = "secret"
READ = f"""(given) => {{
  const copy = {COPY_JS};
  const find = () => ({INNER_JS})(document);
  // Before the page is announced to be read, as it is read today.
  const today = copy(document, {{ inner: find() }}).html;
  const {{ inner, kindOf, of }} = ({NOTES_JS})(document, find, given.event);
  const keys = ({key_maker()})(kindOf, {{ site: "toy", hosts: [] }});
  const controls = given.keyed ? keys.controls([document], location.pathname) : [];
  const notes = of(controls);
  const [quick, each] = [copy(document, {{ inner, notes }}), copy(document, {{ inner, notes, each: true }})];
  return {{ today, quick, each, keys: controls.map((control) => control.key) }};
}}"""
RUNTIME = f"""() => {{
  // Like the page's runtime: it alone knows the nodes of ours, and reports them on the event of a read.
  const ours = new Map();
  const take = (node, note) => (ours.set(node, note), node);
  addEventListener("{EVENT}", (event) => {{
    const notes = {{}};
    const tell = (root, way) => {{
      const walker = document.createTreeWalker(root);
      const nodes = (notes[way.join(" ")] = {{}});
      for (let number = 0; walker.nextNode(); number += 1) {{
        const node = walker.currentNode;
        if (ours.has(node)) nodes[number] = ours.get(node);
        const inner = node.shadowRoot ?? node.contentDocument;
        if (inner) tell(inner, [...way, number]);
      }}
    }};
    tell(document, []);
    const {{ answer }} = JSON.parse(event.detail);
    dispatchEvent(new CustomEvent(answer, {{ detail: JSON.stringify({{ nodes: notes }}) }}));
  }});
  const made = (name, text) => Object.assign(document.createElement(name), {{ textContent: text }});
  const texts = (element) => Array.from(element.childNodes).filter((child) => child.nodeType === 3 && !ours.has(child));
  // Elements in which a parser accepts any text and phrasing content.
  const HOLDERS = "p, h2, li, td, span, b, em, time, button, a, label, summary, section, article, div, nav";
  window.disturb = {{
    holders: () => [...document.body.querySelectorAll(HOLDERS)].filter((element) => !ours.has(element)),
    element: (holder) => holder.insertBefore(take(made("b", "ours "), {{ kind: "added" }}), holder.lastChild),
    nested: (holder) => holder.prepend(take(made("span", "<our>"), {{ kind: "added" }})) ?? holder.firstChild.append(made("i", "s")),
    text: (holder) => holder.insertBefore(take(new Text(" sw0-ours "), {{ kind: "added" }}), holder.firstChild),
    wrap: (holder) => {{
      const wrapper = take(document.createElement("span"), {{ kind: "wrapper" }});
      wrapper.append(...holder.childNodes);
      holder.append(wrapper);
    }},
    rewrite: (holder) => {{
      const text = texts(holder)[0];
      if (!text) return;
      take(text, {{ kind: "rewritten", text: text.data }});
      text.data = text.data.split("").join("\\u200b") + "--><b>?";
    }},
    dress: (holder) => {{
      if (ours.has(holder)) return;
      const was = Object.fromEntries(["class", "title", "aria-label"].map((name) => [name, holder.getAttribute(name)]));
      take(holder, {{ kind: "rewritten", was }});
      Object.keys(was).forEach((name) => holder.setAttribute(name, "ours"));
    }},
    entitle: () => {{
      const title = document.querySelector("title");
      if (ours.has(title.firstChild)) return;
      take(title.firstChild, {{ kind: "rewritten", text: title.textContent }});
      title.firstChild.data = "<b>Ours</b>";
      title.append(take(new Text("!"), {{ kind: "added" }}));
    }},
    interrupt: () => {{
      const dialog = document.body.appendChild(take(made("dialog", "Ours"), {{ kind: "added" }}));
      dialog.append(made("button", "Close"));
      dialog.showModal();
    }},
  }};
  window.around = (node, name, attributes = {{}}) => {{
    const wrapper = take(document.createElement(name), {{ kind: "wrapper" }});
    Object.entries(attributes).forEach(([name, value]) => wrapper.setAttribute(name, value));
    node.replaceWith(wrapper);
    wrapper.append(node);
  }};
}}"""
DISTURB = """(done) => {
  for (const [way, number] of done) {
    const holders = disturb.holders();
    if (holders.length) disturb[way](holders[number % holders.length]);
  }
}"""
WAYS = ("element", "nested", "text", "wrap", "rewrite", "dress", "entitle", "interrupt")


class Read(NamedTuple):
    """One page, read with and without an annotated copy."""

    today: str
    """The document, read without an annotated copy."""
    html: str
    """The document, read with an annotated copy."""
    annotated: str
    keys: list[str]


def read(page: Page, world: IsolatedWorld, *, event: str = EVENT, keyed: bool = False) -> Read:
    """Read a page; fails if the quick copy and the one of every element differ."""
    copies = world.evaluate(READ, {"event": event, "keyed": keyed})
    quick = copies["quick"]
    assert quick == copies["each"]
    return Read(copies["today"], quick["html"], quick["annotated"], copies["keys"])
