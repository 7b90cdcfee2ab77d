"""Keys of a document as the page makes them, and documents to make keys of."""

from collections.abc import Callable, Collection
from html import escape
from typing import Any

from hypothesis import strategies as st
from playwright.sync_api import Page as Tab

from perturbations.page.parts import key_maker
from stressweb.html.marks import Kind, Marks
from stressweb.html.page import Page

HOSTS = ("toy.test", "127.0.0.1:8080")
MARKS = Marks(b"k" * 16)
MAKER = key_maker()
WRITTEN = "(made) => made.map(({ role, name, key }) => (role === undefined ? [key] : [role, name, key]))"
PARSED = f"""([html, path, hosts]) => {{
  const keys = ({MAKER})(() => undefined, {{ site: "toy", hosts }});
  const root = new DOMParser().parseFromString(html, "text/html");
  return [keys.controls([root], path), keys.nodes([root])].map({WRITTEN});
}}"""

type Draw = Callable[[st.SearchStrategy[Any]], Any]
type Keyed = tuple[list[tuple[str, str, str]], list[str]]


def by_page(tab: Tab, html: str, path: str = "/") -> Keyed:
    """Return controls, with role and name, and the keys of all elements, as the page makes them of a clean document."""
    controls, nodes = tab.evaluate(PARSED, [html, path, [*HOSTS]])
    return [tuple(one) for one in controls], [key for (key,) in nodes]


def by_program(html: str, path: str = "/", site: str = "toy", hosts: Collection[str] = HOSTS) -> Keyed:
    """Return the same as the program makes it."""
    page = Page(html, site, path, MARKS, 0, hosts)
    return [(one.role, one.name, one.key) for one in page.controls], [one.key for one in page.nodes]


def kinds(tab: Tab) -> dict[str, str]:
    """Return what each of our marks on the page means."""
    classes = tab.evaluate("() => [...document.querySelectorAll('body [class]')].map((one) => one.getAttribute('class'))")
    reader = MARKS.reader(classes)
    found = {token: reader.kind(token) for one in classes for token in one.split()}
    names = {Kind.ADDED: "added", Kind.WRAPPER: "wrapper"}
    return {token: names[kind] for token, kind in found.items() if kind in names}


# Few words, so that many controls are called alike; and what collapses, what nobody sees, and what names a host.
WORDS = ("Add", "Save", "Red", "shoe", "Ämter", "😀" * 30, "x" * 50, "http://toy.test/a", "//TOY.test:80/b", "//toy.tester/c")
BLANKS = (" ", "\n", "  ", "\u00a0", "\u2003", "\u3000", "\t")
UNSEEN = ("\u200b", "\u00ad", "\ufeff", "\u2060")
LINKS = ("/a", "/b?x=1", " /c ", "http://toy.test/d", "https://127.0.0.1:8080/e", "http://127.0.0.1:80801/", "#one", "")
TYPES = ("text", "TEXT", "", "hidden", "submit", "reset", "button", "image", "checkbox", "radio", "range", "number", "date", "color", "search", "constructor", "file")
ROLES = ("button", "link", "tab", "switch", "none", "presentation", "heading", "Checkbox", " menuitem x", "search", "constructor", " ")
IDS = ("one", "two", "three", "nobody")
PHRASES = ("span", "b", "em", "time")
FLOWS = ("div", "section", "article", "aside", "nav", "main", "header", "footer", "p", "h2", "figure")


def documents(unseen: bool = True) -> st.SearchStrategy[str]:
    """Return documents that every parser reads alike; `unseen`: with characters that have no width."""
    return st.composite(lambda draw: _Writer(draw, unseen).document())()


class _Writer:
    """Writes a document, so that nothing stands where a parser would move it."""

    def __init__(self, draw: Draw, unseen: bool) -> None:
        self.draw = draw
        self.letters = (*WORDS, *BLANKS, *BLANKS, *(UNSEEN if unseen else ()))

    def document(self) -> str:
        """Return a whole document."""
        body = "".join(self.flow(3, frozenset()) for _ in range(self.draw(st.integers(2, 4))))
        # Equals are told apart by their number, and of an id that is used twice the first counts.
        body *= self.draw(st.integers(1, 3))
        return f"<!DOCTYPE html><html><head><title>T</title></head><body>{body}</body></html>"

    def maybe(self) -> bool:
        """Return one time in two whether something is there."""
        return bool(self.draw(st.booleans()))

    def of[T](self, choices: Collection[T]) -> T:
        """Return one of these."""
        return self.draw(st.sampled_from([*choices]))  # type: ignore[no-any-return]

    def words(self) -> str:
        """Return a text."""
        return "".join(self.draw(st.lists(st.sampled_from(self.letters), max_size=4)))

    def text(self) -> str:
        """Return a text as it stands in markup, here and there with a comment in it."""
        return escape(self.words()) + ("<!-- c -->" + escape(self.words()) if self.draw(st.integers(0, 7)) == 0 else "")

    def attributes(self, *others: tuple[str, Collection[str]]) -> str:
        """Return attributes that count for names and roles, and these with one of their values, each or not."""
        texts = [self.words() for _ in range(2)]
        known = (
            ("role", ROLES), ("aria-label", texts), ("title", texts), ("id", IDS), ("onclick", ["f()"]), ("hidden", [""]),
            ("aria-hidden", ["true", "false"]), ("aria-labelledby", ["one", "two nobody", "three\ttwo", ""]),
        )  # fmt: skip
        rare = [one for one in known if self.draw(st.integers(0, 9)) == 0]
        given = [*rare, *(one for one in others if self.maybe())]
        return "".join(f' {name}="{escape(self.of(values))}"' for name, values in given)

    def flow(self, depth: int, around: frozenset[str]) -> str:
        """Return a block."""
        kinds = ["text", "phrase", "phrase", "field", "list", "table", "fieldset", "details", "menu"]
        kinds += ["block", "block"] if depth else []
        kinds += ["form"] if depth and "form" not in around else []
        kind = self.of(kinds)
        inner = lambda more="": "".join(self.flow(depth - 1, around | {more}) for _ in range(self.draw(st.integers(0, 3)))) if depth else self.text()  # noqa: E731
        match kind:
            case "text":
                return self.text()
            case "phrase":
                return self.phrase(2, around)
            case "field":
                return self.field()
            case "list":
                return "<ul>" + "".join(f"<li{self.attributes()}>{self.phrase(1, around)}</li>" for _ in range(2)) + "</ul>"
            case "table":
                return f"<table{self.attributes()}><caption>{self.text()}</caption><tbody><tr><th{self.attributes(('scope', ['row', 'col']))}>{self.text()}</th><td{self.attributes()}>{self.phrase(1, around)}</td></tr></tbody></table>"
            case "fieldset":
                return f"<fieldset{self.attributes()}><legend>{self.text()}</legend>{self.field()}</fieldset>"
            case "details":
                return f"<details><summary{self.attributes()}>{self.text()}</summary>{self.text()}</details>"
            case "menu":
                return f"<select{self.attributes(('multiple', ['']), ('size', ['0', '1', '4', '']))}><option>{self.text()}</option><option>{self.text()}</option></select>"
            case "form":
                return f"<form{self.attributes(('action', LINKS))}>{inner('form')}</form>"
        tag = self.of(FLOWS)
        # A paragraph or a heading ends where a block begins.
        if tag in ("p", "h2"):
            return f"<{tag}{self.attributes()}>{self.phrase(1, around)}</{tag}>"
        return f"<{tag}{self.attributes()}>{inner()}</{tag}>"

    def phrase(self, depth: int, around: frozenset[str]) -> str:
        """Return running text, perhaps with something to press in it."""
        kinds = ["text", "image", "field", "drawing", "break"]
        kinds += [] if "pressed" in around else ["link", "button", "label"]
        kinds += ["phrase"] if depth else []
        kind = self.of(kinds)
        inner = self.text() + (self.phrase(depth - 1, around | {"pressed"}) if depth and kind in ("link", "button", "label", "phrase") else "") + self.text()
        match kind:
            case "image":
                return f"<img{self.attributes(('alt', [self.words(), '']))}>"
            case "field":
                return self.field() if "pressed" not in around else self.text()
            case "drawing":
                return f"<svg><title>{escape(self.words())}</title></svg>"
            case "break":
                return f"{self.text()}<br>{self.text()}"
            case "link":
                return f"<a{self.attributes(('href', LINKS))}>{inner}</a>"
            case "button":
                return f"<button{self.attributes(('type', ['submit', 'button']))}>{inner}</button>"
            case "label":
                return f"<label{self.attributes(('for', IDS))}>{inner}{self.field() if self.maybe() else ''}{self.text()}</label>"
            case "phrase":
                tag = self.of(PHRASES)
                return f"<{tag}{self.attributes()}>{inner}</{tag}>"
        return self.text()

    def field(self) -> str:
        """Return a form field."""
        more = (("type", TYPES), ("value", [self.words(), ""]), ("placeholder", [self.words()]), ("alt", [self.words()]))
        kind = self.of(("input", "input", "textarea", "meter", "output"))
        if kind == "input":
            return f"<input{self.attributes(*more, ('id', IDS))}>"
        return f"<{kind}{self.attributes(('id', IDS))}>{self.text() if kind == 'output' else ''}</{kind}>"
