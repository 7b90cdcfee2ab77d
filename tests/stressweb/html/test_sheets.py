"""The style sheets that a recorded page links."""

import pytest

from stressweb.html.sheets import linked


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('<link rel="stylesheet" href="/a.css">', {"/a.css": "http://shop.test/a.css"}),
        ('<link href="b.css?x=1&amp;y" media="print" rel="StyleSheet preload">', {"b.css?x=1&y": "http://shop.test/p/b.css?x=1&y"}),
        ('<LINK rel="stylesheet" href="//cdn.test/c.css">', {"//cdn.test/c.css": "http://cdn.test/c.css"}),
        ('<link rel="icon" href="/favicon.ico"><link rel="stylesheet"><a href="/d.css">', {}),
        ('<link rel="alternate stylesheet" href="/e.css">', {}),
        ('<base href="http://other.test/"><link rel="stylesheet" href="/f.css">', {}),
        ('<link rel="stylesheet" href="http://[broken">', {}),
    ],
)  # fmt: skip
def test_the_sheets_of_a_page_are_found(page: str, expected: dict[str, str]) -> None:
    assert linked(f"<html><head>{page}</head></html>", "http://shop.test/p/q") == expected
