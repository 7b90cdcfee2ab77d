"""Only the markup of a text becomes HTML."""

import pytest

from stressweb.sites.kit.wording import markup


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
        ("# Tea\nMilk", '<h2 class="h5">Tea</h2>\n<p>Milk</p>'),
        (
            "### **Tea**\n* milk\n\n- sugar",
            '<h2 class="h5"><strong>Tea</strong></h2>\n<ul><li>milk</li><li>sugar</li></ul>',
        ),
        ("#tea\n-milk", "<p>#tea<br>\n-milk</p>"),
        ("", ""),
    ],
)
def test_a_text_becomes_html(text: str, html: str) -> None:
    assert str(markup.html(text)).strip() == html


def test_headings_can_be_led_to() -> None:
    assert str(markup.html("# One\n# Two", 4, "part-")).strip() == (
        '<h4 class="h5" id="part-1">One</h4>\n<h4 class="h5" id="part-2">Two</h4>'
    )
    assert markup.headings("# One\nand\n# **Two**") == ["One", "Two"]


def test_words_are_those_without_markup() -> None:
    assert markup.plain("# **Tea**\n\n- one\n- [two](https://tea.test)") == "Tea one two"


@pytest.mark.parametrize(
    ("text", "tidy"),
    [
        ("One line.", "One line."),
        ("One,\r\ntwo.\r\n\r\n\r\nThree.  ", "One,\ntwo.\n\nThree."),
        ("## Tea\nBring:\n* cups\n\n- tea\nand **milk**", "# Tea\n\nBring:\n\n- cups\n- tea\n\nand **milk**"),
        ("# # Tea\n\n- - * milk\n\n# - sugar", "# Tea\n\n- milk\n\n# - sugar"),
        ("  ", ""),
    ],
)
def test_markup_is_written_in_one_way(text: str, tidy: str) -> None:
    assert markup.tidied(text) == tidy
    assert markup.tidied(tidy) == tidy
