"""The document in the form for models."""

import lxml.html
from hypothesis import given
from hypothesis import strategies as st

from stressweb.sources.dom import Dom
from tests.support.lamp_page import PAGE


def test_a_document_keeps_readable_and_usable_elements() -> None:
    rendered = Dom().render(PAGE)
    for gone in ("secret", "color", "a note", "<svg", "M0 0", "\nlamps"):
        assert gone not in rendered
    for fragment in (
        "<title>Lamps</title>",
        "All the lamps",
        " after",
        "two\n  lines",
        'class="x"',
        'href="/b" id="go"',
    ):
        assert fragment in rendered


@given(st.text(alphabet="ab <>/&;\"'\u200b\u00e9", max_size=60))
def test_a_document_keeps_every_word(words: str) -> None:
    page: lxml.html.HtmlElement = lxml.html.document_fromstring("<html><body><p>x</p><div>y</div></body></html>")
    page.find(".//p").text = page.find(".//div").tail = words
    rendered: lxml.html.HtmlElement = lxml.html.document_fromstring(
        Dom().render(lxml.html.tostring(page, encoding="unicode"))
    )
    assert "".join(rendered.itertext()).split() == "".join(page.itertext()).split()
