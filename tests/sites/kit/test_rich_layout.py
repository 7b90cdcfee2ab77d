"""A rich text field stores what a person sees in it, in every theme, by keys and by buttons."""

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count

import pytest
from lxml.html import HtmlElement, fragment_fromstring
from playwright.sync_api import Page

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.world.world import EpisodeWorld, World
from stressweb.sites.kit.look import theme
from stressweb.sites.kit.wording import markup
from tests.sampling import sample_seed
from tests.support.crawling import site

type Visit = Callable[[EpisodeWorld], Page]
type Blocks = list[list[object]]
"""Each block as its kind and its words, each word with whether it is bold."""

SEEN = """
editor => {
  const found = [];
  const walker = document.createTreeWalker(editor, NodeFilter.SHOW_TEXT);
  let last;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    const block = parent.closest("li, h1, h2, h3, h4, p, div");
    const kind = block.matches("li") ? "item" : block.matches("h1, h2, h3, h4") ? "heading" : "text";
    if (!node.data.trim()) continue;
    if (last !== block) found.push([kind]);
    last = block;
    const bold = Number(getComputedStyle(parent).fontWeight) >= 600;
    for (const word of node.data.trim().split(/\\s+/)) found.at(-1).push([word, bold]);
  }
  return found;
}
"""
"""The visible blocks, and the font weight of each word."""
STORED = "editor => new FormData(editor.closest('form')).get('body')"


def page_blocks(text: str) -> Blocks:
    """Return the blocks that the page shows of a stored text, in the form of SEEN."""
    kinds = {"li": "item", "h2": "heading", "p": "text"}
    blocks: Blocks = []
    for block in fragment_fromstring(f"<div>{markup.html(markup.tidied(text))}</div>").iter(*kinds):
        blocks.append([kinds[block.tag], *_runs(block)])
    return blocks


def _runs(node: HtmlElement, bold: bool = False) -> list[list[object]]:
    heavy = bold or node.tag == "strong"
    runs: list[list[object]] = [[word, heavy] for word in (node.text or "").split()]
    for child in node:
        runs += _runs(child, heavy)
        runs += [[word, heavy] for word in (child.tail or "").split()]
    return runs


class Field:
    """The rich text field of a new document in a world of notes."""

    def __init__(self, world: World, visit: Visit, seed: int) -> None:
        site_world = site("notes", seed)
        (clean,) = parse("clean", MODES)
        self.labels = site_world.labels
        self.episode = world.open(site_world, clean, Seeds(seed, 0, "notes/x"))
        self.page = visit(self.episode)
        self.page.goto(f"http://{site_world.host}/new?in={site_world.entities['Place'][0].id}")
        self.editor = self.page.get_by_role("textbox", name=site_world.labels["body"], exact=True)
        self.editor.focus()

    def press(self, tool: str) -> None:
        self.page.get_by_role("button", name=self.labels[f"rich_{tool}"], exact=True).click()

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                self.keys("Enter")
            self.page.keyboard.type(line)

    def paste(self, html: str) -> None:
        self.editor.evaluate(
            """(editor, html) => {
              const data = new DataTransfer();
              data.setData("text/html", html);
              editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
            }""",
            html,
        )

    @property
    def seen(self) -> Blocks:
        blocks: Blocks = self.editor.evaluate(SEEN)
        return blocks

    @property
    def stored(self) -> str:
        return markup.tidied(self.editor.evaluate(STORED))

    def clear(self) -> None:
        self.editor.evaluate("editor => editor.replaceChildren()")
        self.editor.focus()


@pytest.fixture
def field(world: World, visit: Visit) -> Iterator[Callable[[int], Field]]:
    opened: list[Field] = []

    def open_field(seed: int) -> Field:
        opened.append(Field(world, visit, seed))
        return opened[-1]

    yield open_field
    for opened_field in opened:
        opened_field.episode.close()


def typed(field: Field, steps: str) -> None:
    """Do steps: `B`, `H` and `L` press the tools, `^x` is Control and a key, `<k>` a key, the rest is typed."""
    rest = steps
    while rest:
        if rest[0] in "BHL" and not rest.startswith("BHL"):
            field.press({"B": "bold", "H": "heading", "L": "list"}[rest[0]])
            rest = rest[1:]
        elif rest[0] == "^":
            field.keys(f"Control+{rest[1]}")
            rest = rest[2:]
        elif rest[0] == "<":
            key, _, rest = rest[1:].partition(">")
            field.keys(key)
        else:
            text = rest[0]
            while len(rest) > len(text) and rest[len(text)] not in "BHL^<":
                text += rest[len(text)]
            field.type(text)
            rest = rest[len(text) :]


CASES = [
    ("one Btwo B three", "one **two** three"),
    ("one ^btwo^b three", "one **two** three"),
    ("one<Shift+Home>B", "**one**"),
    ("one<Shift+Home>BB", "one"),
    ("one<Shift+Home>^b^b^b", "**one**"),
    ("one<Shift+Enter>two^aB", "**one**\n**two**"),
    ("one\ntwo^aB", "**one**\n\n**two**"),
    ("one ^itwo^i ^uthree", "one two three"),
    ("oneH", "# one"),
    ("oneHH", "one"),
    ("oneHHH", "# one"),
    ("oneH<Shift+Home>B", "# **one**"),
    ("oneH<Shift+Home>BB", "# one"),
    ("H", ""),
    ("L", ""),
    ("HoneH\ntwo", "one\n\ntwo"),
    ("one\ntwo^aH", "# one\n\n# two"),
    ("one\ntwo^aHH", "one\n\ntwo"),
    ("oneL\ntwo", "- one\n- two"),
    ("oneLL", "one"),
    ("oneLH", "# one"),
    ("oneHL", "- one"),
    ("oneHLL", "one"),
    ("oneL\ntwo^aH", "# one\n\n# two"),
    ("oneH\ntwo^aL", "- one\n- two"),
    ("one\ntwo^aL", "- one\n- two"),
    ("oneL\ntwo\n\nthree", "- one\n- two\n\nthree"),
    ("oneH\ntwo^a# new\nmore", "# new\n\nmore"),
    ("oneH\ntwo<Shift+ArrowUp><Shift+Home># new", "# new"),
    ("zero\noneH\ntwo<Shift+ArrowUp><Shift+Home># new", "zero\n\n# new"),
    ("oneH\ntwo\nthree<Shift+ArrowUp><Shift+Home>new", "# one\n\nnew"),
    ("oneL\ntwo^anew", "new"),
    ("one<Shift+Home>Bnew", "new"),
    ("one^aB^anew", "new"),
    ("one two^z", ""),
    ("oneH^z", "one"),
    ("oneH\ntwo^anew^z^z^z^z^z^z", None),
]


@pytest.mark.parametrize("seed", [0, 1, 3])
@pytest.mark.sample(4)
@pytest.mark.parametrize(("steps", "text"), CASES)
def test_what_is_laid_out_is_stored_as_it_is_seen(
    field: Callable[[int], Field], steps: str, text: str | None, seed: int
) -> None:
    it = field(seed)
    typed(it, steps)
    # Typed characters of the markup are shown unchanged.
    assert "# new" in steps or it.seen == page_blocks(it.stored)
    assert text is None or it.stored == text


@cache
def seed_of(name: str) -> int:
    """Return the seed of the first world of notes with a theme."""
    own = site("notes", 0).spec.look
    return next(seed for seed in count() if theme.draw(own, "site", "notes", seed).theme == name)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", theme.THEMES)
def test_in_every_theme(field: Callable[[int], Field], name: str) -> None:
    it = field(seed_of(name))
    assert site("notes", seed_of(name)).look.theme == name
    typed(it, "one Btwo B threeH\nfour Bfive\nsixL")
    assert it.seen == page_blocks(it.stored)
    assert it.stored == "# one **two** three\n\nfour **five**\n\n- **six**"
    it.keys("Control+a")
    it.press("bold")
    assert it.seen == page_blocks(it.stored)
    it.press("bold")
    assert it.seen == page_blocks(it.stored)
    assert it.stored in ("# one two three\n\nfour five\n\n- six", "# **one two three**\n\n**four five**\n\n- **six**")


PASTED = [
    ("<b>one</b> <i>two</i>", "**one** two"),
    ("<h1>one</h1><p>two<br>three</p>", "# one\n\ntwo\nthree"),
    ("<ol><li>one<ul><li>two</li></ul></li><li>three</li></ol>", "- one\n- two\n- three"),
    ('<span style="font-weight: 900; font-style: italic">one</span>', "one"),
    ("<section><h4>one</h4><div>two<div>three</div></div></section>", "# one\n\ntwo\n\nthree"),
    ('<a href="https://a.test/">one</a> <a href="javascript:alert(1)">two</a>', None),
    ("<table><tr><td>one</td><td>two</td></tr></table>", None),
    ("<script>alert(1)</script><style>p{}</style>one", "one"),
    ("<ul><li><p>one</p><p>two</p></li></ul>", "- one two"),
    ("<b>one<br>two</b>", "**one**\n**two**"),
    ("<h2>one<br>two</h2>", "# one two"),
]


@pytest.mark.sample(4)
@pytest.mark.parametrize(("html", "text"), PASTED)
@pytest.mark.parametrize("before", ["", "zero "])
def test_what_is_pasted_is_stored_as_it_is_seen(
    field: Callable[[int], Field], html: str, text: str | None, before: str
) -> None:
    it = field(0)
    it.type(before)
    it.paste(html)
    assert it.seen == page_blocks(it.stored)
    assert text is None or before or it.stored == text


STEPS = (
    "word ", "two words ", "B", "H", "L", "^b", "<Enter>", "<Shift+Home>", "<Shift+ArrowUp>", "<ArrowUp>", "<End>",
    "<Backspace>", "^z", "^a", "<Shift+Enter>", "<ArrowLeft>", "<Delete>",
)  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("run", range(12))
def test_any_steps(field: Callable[[int], Field], run: int) -> None:
    draw = random.Random(f"{sample_seed()} {run}")
    it = field(run)
    for _ in range(4):
        it.clear()
        done = ""
        for _ in range(14):
            step = draw.choice(STEPS)
            done += step
            typed(it, step)
            assert it.seen == page_blocks(it.stored), (done, it.editor.inner_html())
