"""Text with markup becomes HTML, and nothing else in it does."""

import pytest

from sites.kit import markup


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("One line.", "<p>One line.</p>"),
        ("One.\r\n\r\nTwo,\nand three.", "<p>One.</p>\n<p>Two,<br>\nand three.</p>"),
        ("Come **at once**!", "<p>Come <strong>at once</strong>!</p>"),
        ("2 ** 3 and * 4 *", "<p>2 ** 3 and * 4 *</p>"),
        ("Bring:\n- cups\n- tea", "<p>Bring:</p>\n<ul><li>cups</li><li>tea</li></ul>"),
        ("- cups\nand tea", "<ul><li>cups</li></ul>\n<p>and tea</p>"),
        (
            "See [the map](https://maps.test/a?b=1&c=2).",
            '<p>See <a href="https://maps.test/a?b=1&amp;c=2" rel="noopener noreferrer">the map</a>.</p>',
        ),
        ("[no](javascript:alert(1))", "<p>[no](javascript:alert(1))</p>"),
        ("<b>bold</b> & **<i>**", "<p>&lt;b&gt;bold&lt;/b&gt; &amp; <strong>&lt;i&gt;</strong></p>"),
        ("", ""),
    ],
)
def test_a_text_becomes_html(text: str, html: str) -> None:
    assert str(markup.html(text)).strip() == html
