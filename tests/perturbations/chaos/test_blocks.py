"""blocks.js: the page finds the same blocks as a program with another parser, and also those in shadow roots."""

import pytest
from hypothesis import given, note
from playwright.sync_api import Page as Tab

from stressweb.perturbations.page.parts import key_maker
from tests.examples import examples
from tests.perturbations.bundled import exported
from tests.perturbations.chaos.program_blocks import blocks
from tests.perturbations.site_pages import WHO, pages
from tests.support.crawling import site
from tests.support.documents import documents
from tests.support.keyed import HOSTS
from tests.support.program_page import Page
from tests.support.toy import PAGE

pytestmark = pytest.mark.sample(4, "file")

FIND = f"""([root, path, site, hosts, kindOf]) => {{
  const natives = ({exported("natives")})();
  const view = ({exported("site_view")})(kindOf ?? (() => undefined));
  const keys = ({key_maker()})(kindOf ?? (() => undefined), {{ site, hosts }});
  const roots = [root];
  for (const scope of roots) for (const host of scope.querySelectorAll("*")) if (host.shadowRoot) roots.push(host.shadowRoot);
  const {{ clean }} = ({exported("names")})(view, natives);
  const runtime = {{
    natives, view, clean, place: keys.place(path),
    controls: () => keys.controls(roots, path), nodes: () => keys.nodes(roots),
  }};
  return ({exported("blocks")})(runtime)();
}}"""
BLOCKS_OF_HTML = f"""([html, path, site, hosts]) => {{
  const root = new DOMParser().parseFromString(html, "text/html");
  const all = [...root.body.querySelectorAll("*")];
  return ({FIND})([root, path, site, hosts]).map(({{ element, key }}) => [all.indexOf(element), key]);
}}"""
NAMES_OF_BLOCKS = f"""(kind) => ({FIND})([document, "/", "toy", [], (node) => node.ours])
  .map(({{ element }}) => element.id || element.localName)"""


def by_page(tab: Tab, html: str, path: str, name: str, hosts: list[str]) -> list[tuple[int, str]]:
    """Return the page's blocks of a document: index of the element, and key."""
    return [tuple(row) for row in tab.evaluate(BLOCKS_OF_HTML, [html, path, name, hosts])]


def by_program(html: str, path: str, name: str, hosts: list[str]) -> list[tuple[int, str]]:
    """Return the same blocks by the program."""
    page = Page(html, name, path, hosts)
    # The contents of a template are not part of the page's tree.
    elements = (
        element for element in page.body.iterdescendants("*") if next(element.iterancestors("template"), None) is None
    )
    numbers = {element: index for index, element in enumerate(elements)}
    return [(numbers[element], key) for element, key in blocks(page)]


@pytest.mark.parametrize(("name", "persona"), WHO)
def test_blocks_of_the_sites_are_those_of_the_program(tab: Tab, name: str, persona: str) -> None:
    count = 0
    for page in pages(name, persona):
        arguments = page.html, page.path, name, [site(name, 0).host]
        expected = by_program(*arguments)
        assert by_page(tab, *arguments) == expected, page.path
        count += len(expected)
    assert count > 200


@examples(200)
@given(html=documents(unseen=False))
def test_blocks_of_any_document_are_those_of_the_program(tab: Tab, html: str) -> None:
    note(html)
    assert by_page(tab, html, "/a/3", "toy", [*HOSTS]) == by_program(html, "/a/3", "toy", [*HOSTS])


def test_what_belongs_together_is_one_block(tab: Tab) -> None:
    """A field with its label, a link in its list item, a button alone; headings and paragraphs."""
    html = PAGE.replace("Text about lamps and chairs.", 'Text about <a href="/l">lamps</a> and chairs.').replace(
        '<label for="day">Day</label> <input id="day" type="date" name="day">',
        '<div><label for="day">Day</label> <input id="day" type="date" name="day"></div>',
    )
    tab.set_content(html)
    assert tab.evaluate(NAMES_OF_BLOCKS) == [
        "li", "li", "p", "name", "div", "size", "label", "textarea", "save", "form", "h1", "h2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "block"), [("x" * 159, "div"), ("x" * 160, "a"), ("x " * 60 + " " * 200, "div"), ("", "div")]
)
def test_a_control_takes_little_text_along(tab: Tab, text: str, block: str) -> None:
    tab.set_content(f"<div><a href=/x>A</a>{text}</div>")
    assert tab.evaluate(NAMES_OF_BLOCKS) == [block]


def test_code_and_what_is_ours_is_no_text(tab: Tab) -> None:
    tab.set_content(
        f"<div><a href=/x>A</a><script>{'x' * 200}</script><!-- {'y' * 200} --></div><p><style>b</style></p>"
    )
    tab.evaluate("""() => {
      const added = document.createElement("p");
      added.innerHTML = `<button>Ours</button>${"z".repeat(200)}`;
      added.ours = "added";
      document.querySelector("div").append(added);
      const wrapper = document.createElement("section");
      wrapper.ours = "wrapper";
      const link = document.querySelector("a");
      link.replaceWith(wrapper);
      wrapper.append(link);
    }""")
    assert tab.evaluate(NAMES_OF_BLOCKS) == ["div"]


SHADOW = """() => {
  for (const host of document.querySelectorAll("[data-root]")) {
    host.attachShadow({ mode: "open" }).innerHTML = host.dataset.root;
  }
}"""


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # A shadow root has blocks of its own; elements around it are no blocks if it has controls.
        ("<li id=out>Text <span data-root='<button id=in>x</button>'></span></li>", ["out"]),
        ("<li id=out>Text <span data-root='<button id=a>x</button><button id=b>y</button>'></span></li>", ["a", "b"]),
        ("<span data-root='<p id=a>Text</p><p id=b>Text</p>'></span>", ["a", "b"]),
        ("<p id=out>Text <span data-root='<p id=a>Text</p>'></span></p>", ["out"]),
        # Slotted elements are drawn inside the elements around the slot, which are no blocks then.
        ("<span data-root='<ul><li id=a>Text <slot></slot></li></ul>'><a id=b href=/x>x</a></span>", ["b"]),
        ("<span data-root='<ul><li id=a>Text <slot></slot></li></ul>'><p id=b>More</p></span>", ["b"]),
    ],
)  # fmt: skip
def test_blocks_in_shadow_roots_lie_in_no_other(tab: Tab, html: str, expected: list[str]) -> None:
    tab.set_content(html)
    tab.evaluate(SHADOW)
    assert tab.evaluate(NAMES_OF_BLOCKS) == expected
