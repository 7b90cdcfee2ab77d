"""Documents for tests of keys: everything that determines roles and names, and many equal elements."""

from collections.abc import Callable, Collection
from html import escape
from typing import Any

from hypothesis import strategies as st

# Few words, so that many controls have equal names; blanks, characters without width, and URLs with hosts.
WORDS = (
    "Add", "Save", "Red", "shoe", "Ämter", "😀" * 30, "x" * 50, "http://toy.test/a", "//TOY.test:80/b", "//toy.tester/c",
)  # fmt: skip
BLANKS = (" ", "\n", "  ", "\u00a0", "\u2003", "\u3000", "\t")
UNSEEN = ("\u200b", "\u00ad", "\ufeff", "\u2060")
LINKS = (
    "/a", "/b?x=1", " /c ", "http://toy.test/d", "https://127.0.0.1:8080/e", "http://127.0.0.1:80801/", "#one", "",
)  # fmt: skip
TYPES = (
    "text", "TEXT", "", "hidden", "submit", "reset", "button", "image", "checkbox", "radio", "range", "number", "date",
    "color", "search", "constructor", "file",
)  # fmt: skip
ROLES = (
    "button", "link", "tab", "switch", "none", "presentation", "heading", "Checkbox", " menuitem x", "search",
    "constructor", " ",
)  # fmt: skip
IDS = ("one", "two", "three", "nobody")
FLOWS = ("div", "section", "article", "aside", "nav", "main", "header", "footer", "figure")

type Draw = Callable[[st.SearchStrategy[Any]], Any]


def documents(unseen: bool = True) -> st.SearchStrategy[str]:
    """Return documents that all parsers read alike; `unseen`: with characters without width."""
    return st.composite(lambda draw: _Writer(draw, unseen).document())()


class _Writer:
    """Writes a document without elements in places from which a parser would move them."""

    def __init__(self, draw: Draw, unseen: bool) -> None:
        self.draw = draw
        self.letters = (*WORDS, *BLANKS, *BLANKS, *(UNSEEN if unseen else ()))
        self.in_form = self.in_pressed = False

    def document(self) -> str:
        body = "".join(self.block(3) for _ in range(self.draw(st.integers(2, 4))))
        # Equal elements differ by their ordinals, and the first element with an id counts.
        body *= self.draw(st.integers(1, 3))
        return f"<!DOCTYPE html><html><head><title>T</title></head><body>{body}</body></html>"

    def of[T](self, choices: Collection[T]) -> T:
        return self.draw(st.sampled_from([*choices]))  # type: ignore[no-any-return]

    def words(self) -> str:
        return "".join(self.draw(st.lists(st.sampled_from(self.letters), max_size=4)))

    def text(self) -> str:
        comment = f"<!-- c -->{escape(self.words())}" if self.draw(st.integers(0, 7)) == 0 else ""
        return escape(self.words()) + comment

    def element(self, tag: str, content: str | None, **others: Collection[str]) -> str:
        """Return an element with a random choice of attributes for names and roles; `content` None: a void element."""
        texts = [self.words(), self.words()]
        known: dict[str, Collection[str]] = {
            "role": ROLES, "aria-label": texts, "title": texts, "id": IDS, "onclick": ["f()"], "hidden": [""],
            "aria-hidden": ["true", "false"], "aria-labelledby": ["one", "two nobody", "three\ttwo", ""],
        }  # fmt: skip
        chosen = {name: values for name, values in known.items() if self.draw(st.integers(0, 9)) == 0}
        chosen |= {name.rstrip("_"): values for name, values in others.items() if self.draw(st.booleans())}
        start = f"<{tag}" + "".join(f' {name}="{escape(self.of(values))}"' for name, values in chosen.items()) + ">"
        return start if content is None else f"{start}{content}</{tag}>"

    def block(self, depth: int) -> str:
        small = (self.text, self.running, self.field, self.listing, self.table, self.fieldset, self.details, self.menu)
        large = (self.part, self.part, self.form)
        if depth and self.draw(st.booleans()):
            return self.of(large)(depth)
        return self.of(small)()

    def blocks(self, depth: int) -> str:
        return "".join(self.block(depth - 1) for _ in range(self.draw(st.integers(0, 3))))

    def part(self, depth: int) -> str:
        return self.element(self.of(FLOWS), self.blocks(depth))

    def form(self, depth: int) -> str:
        if self.in_form:
            return self.part(depth)
        self.in_form = True
        content = self.blocks(depth)
        self.in_form = False
        return self.element("form", content, action=LINKS)

    def running(self) -> str:
        return self.element(self.of(("p", "h2")), self.phrase(2))

    def listing(self) -> str:
        return "<ul>" + "".join(self.element("li", self.phrase(1)) for _ in range(2)) + "</ul>"

    def table(self) -> str:
        cells = self.element("th", self.text(), scope=["row", "col"]) + self.element("td", self.phrase(1))
        return self.element("table", f"<caption>{self.text()}</caption><tbody><tr>{cells}</tr></tbody>")

    def fieldset(self) -> str:
        return self.element("fieldset", f"<legend>{self.text()}</legend>{self.field()}")

    def details(self) -> str:
        return f"<details>{self.element('summary', self.text())}{self.text()}</details>"

    def menu(self) -> str:
        options = "".join(self.element("option", self.text()) for _ in range(2))
        return self.element("select", options, multiple=[""], size=["0", "1", "4", ""])

    def phrase(self, depth: int) -> str:
        kinds = [self.text, self.image, self.drawing, self.line]
        kinds += [] if self.in_pressed else [self.link, self.button, self.label, self.link, self.button]
        return self.of(kinds)() if depth == 0 or self.draw(st.booleans()) else self.nested(depth)

    def nested(self, depth: int) -> str:
        content = self.text() + self.phrase(depth - 1) + self.text()
        return self.element(self.of(("span", "b", "em", "time")), content)

    def pressed(self) -> str:
        # Browsers end a link or a button where another one begins.
        self.in_pressed = True
        content = self.text() + self.phrase(1) + self.text()
        self.in_pressed = False
        return content

    def link(self) -> str:
        return self.element("a", self.pressed(), href=LINKS)

    def button(self) -> str:
        return self.element("button", self.pressed(), type=["submit", "button"])

    def label(self) -> str:
        field = self.field() if self.draw(st.booleans()) else ""
        return self.element("label", self.pressed() + field + self.text(), for_=IDS)

    def image(self) -> str:
        return self.element("img", None, alt=[self.words(), ""])

    def drawing(self) -> str:
        return f"<svg><title>{escape(self.words())}</title></svg>"

    def line(self) -> str:
        return f"{self.text()}<br>{self.text()}"

    def field(self) -> str:
        tag = self.of(("input", "input", "textarea", "meter", "output"))
        if tag != "input":
            return self.element(tag, self.text() if tag == "output" else "", id=IDS)
        texts = [self.words(), ""]
        return self.element("input", None, type=TYPES, value=texts, placeholder=texts, alt=texts, id=IDS)
