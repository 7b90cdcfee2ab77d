"""The classifier of the documents: what it can and cannot find."""

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
    """Return the links of a page with one added element, which counts as ours or the site's."""
    root: lxml.html.HtmlElement = lxml.html.document_fromstring(f"<body>{SITES}{added}</body>")
    (odd,) = root.find_class("x")[2:]
    return [Seen(element, element is odd and ours) for element in root.find_class("x")]


@pytest.mark.parametrize("oddity", ODD)
def test_it_finds_the_trained_oddity_and_nothing_else(oddity: str) -> None:
    seen = [element for _ in range(5) for element in page(ODD[oddity], ours=True)]
    scores = {name: score(view, seen, seen) for name, view in VIEWS.items()}
    assert scores[oddity] == scores["all of these"] == 1
    # An odd tag name also makes the place odd, as the place includes the siblings.
    others = [name for name in ("its name", "its attributes", "its words") if name != oddity]
    assert all(scores[name] < 0.9 for name in others)


def test_it_can_only_guess_where_nothing_differs() -> None:
    drawing = random.Random(1)
    links = page("<a class=x>Go on</a>", ours=False)
    pages = [[Seen(link.element, drawing.random() < 0.3) for link in links] for _ in range(400)]
    learned, tested = (
        [link for links_of_page in part for link in links_of_page] for part in (pages[:200], pages[200:])
    )
    assert score(VIEWS["all of these"], learned, tested) == pytest.approx(0.5, abs=0.06)


def test_what_is_ours_is_read_from_the_recorders_copy() -> None:
    text = (
        '<!--sw1-notes--><html><head></head><body><p>One</p><div sw1-kind="added"><b>More</b></div>'
        '<span sw1-kind="wrapper"><a href="/">Go</a></span><p sw1-kind="changed">Two</p></body></html>'
    )
    seen = [(element.element.tag, element.ours) for element in elements(*agents_tree(text))]
    assert seen == [("p", False), ("div", True), ("span", True), ("a", False), ("p", False)]
    assert [element.element.tag for element in controls(elements(*agents_tree(text)))] == ["a"]
