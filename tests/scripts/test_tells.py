"""What the classifier of the documents finds, and what it cannot find."""

import random

import lxml.html
import pytest

from scripts.docs.tells import VIEWS, Seen, controls, elements, score
from stressweb.html.annotated import agents_tree

ODD = {
    "its name": "<b class=x>Go on</b>",
    "its attributes": "<a class=x data-odd=1>Go on</a>",
    "its place": "<i><a class=x>Go on</a></i>",
    "its words": "<a class=x>Potted rowan</a>",
}
SITES = "<p><a class=x>Go on</a><a class=x>Back</a></p>"


def page(added: str, *, ours: bool) -> list[Seen]:
    """Return the links of a page, and an element that is ours or not."""
    root = lxml.html.document_fromstring(f"<body>{SITES}{added}</body>")
    (odd,) = root.find_class("x")[2:]
    return [Seen(one, one is odd and ours) for one in root.find_class("x")]


@pytest.mark.parametrize("what", ODD)
def test_it_finds_what_it_is_shown_and_nothing_else(what: str) -> None:
    seen = [one for _ in range(5) for one in page(ODD[what], ours=True)]
    found = {name: score(view, seen, seen) for name, view in VIEWS.items()}
    assert found[what] == found["all of these"] == 1
    # Where a name is odd, so is the place: what stands beside is another element.
    others = [name for name in ("its name", "its attributes", "its words") if name != what]
    assert all(found[name] < 0.9 for name in others)


def test_it_can_only_guess_where_nothing_differs() -> None:
    drawing = random.Random(1)
    links = page("<a class=x>Go on</a>", ours=False)
    pages = [[Seen(one.element, drawing.random() < 0.3) for one in links] for _ in range(400)]
    learned, asked = ([one for each in part for one in each] for part in (pages[:200], pages[200:]))
    assert score(VIEWS["all of these"], learned, asked) == pytest.approx(0.5, abs=0.06)


def test_what_is_ours_is_read_from_the_recorders_copy() -> None:
    text = (
        '<!--sw1-notes--><html><head></head><body><p>One</p><div sw1-kind="added"><b>More</b></div>'
        '<span sw1-kind="wrapper"><a href="/">Go</a></span><p sw1-kind="changed">Two</p></body></html>'
    )
    seen = [(one.element.tag, one.ours) for one in elements(*agents_tree(text))]
    assert seen == [("p", False), ("div", True), ("span", True), ("a", False), ("p", False)]
    assert [one.element.tag for one in controls(elements(*agents_tree(text)))] == ["a"]
