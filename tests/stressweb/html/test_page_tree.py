"""Pages as JSON and back, and refused markup."""

import json

import pytest

from stressweb.html.page_tree import markup, tree

PAGE = """<!DOCTYPE html>
<html lang="en">
<head><title>A &amp; B</title><style>p > a { color: red }</style></head>
<body>
<p class="one" hidden="">Words<br>and <b>more</b>.</p>
<x-card><template shadowrootmode="open"><p>Inside</p></template></x-card>
<svg viewBox="0 0 1 1"><path d="M0 0"></path></svg>
<input type="text" value="&quot;&lt;&quot;">
</body>
</html>"""


def test_a_page_comes_back_as_it_was() -> None:
    held = json.loads(json.dumps(tree(PAGE)))
    assert markup(held) == PAGE
    assert tree(markup(held)) == held


def test_the_json_of_a_page() -> None:
    page = tree('<html><body><p id="a">x &lt; y</p><br></body></html>')
    assert page == ["html", {}, [["body", {}, [["p", {"id": "a"}, ["x < y"]], ["br", {}, []]]]]]


@pytest.mark.parametrize("text", ["\nfirst", "one\ntwo", ""])
def test_a_text_area_keeps_its_lines(text: str) -> None:
    page = ["html", {}, [["textarea", {}, [text] if text else []]]]
    assert tree(markup(page)) == page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html><p></html>", "'html' ends where 'p' is open"),
        ("<html><p>", "'p' is not closed"),
        ("<p></p>", "a page is one element html"),
        ("<html></html><html></html>", "a page is one element html"),
    ],
)
def test_incomplete_markup_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tree(text)
