"""Drawn: what scripts added is told from what was served, and is called what a clean page would call it."""

import re

import lxml.html
from hypothesis import given
from hypothesis import strategies as st

from stressweb.html.live_page import Drawn
from stressweb.html.marks import Kind, Marks
from stressweb.html.page import Page
from tests.toy import PAGE

KEY = b"k" * 16
NAMES = st.lists(st.sampled_from(["Alpha page", "Take it", "Lamp", "Lämpchen", "Save it"]), min_size=1, max_size=6)


def item(name: str, number: str, at: int) -> str:
    return (
        f'<li {number}="{2 * at}"><button type="button" {number}="{2 * at + 1}">{name}</button></li>'
        if number
        else f'<li><button type="button">{name}</button></li>'
    )


def stood(names: list[str], html: str, number: str = "") -> str:
    """Return a page in whose list a script has put buttons."""
    items = "".join(item(name, number, at) for at, name in enumerate(names))
    return re.sub(r"(<ul[^>]*>)", rf"\1{items}", html, count=1)


@given(NAMES)
def test_new_controls_have_the_keys_of_a_page_that_came_whole(names: list[str]) -> None:
    before = Page(PAGE, "toy", "/", Marks(KEY), 3)
    number = before.token()
    drawn = Drawn(stood(names, before.serve(), number), "/", before, number)
    whole = Page(stood(names, PAGE), "toy", "/", Marks(KEY))
    expected = [
        one.key for one in whole.controls if one.element.getparent().tag == "li" and one.element.tag == "button"
    ]
    assert [control.key for control in drawn.controls] == expected
    assert [control.key for control in drawn.every_control] == [control.key for control in whole.controls]
    assert [node.key for node in drawn.every_node] == [node.key for node in whole.nodes]


@given(NAMES)
def test_new_marks_go_on_in_the_stream_of_the_page(names: list[str]) -> None:
    """Each new element gets one, none that the page has, and the key reads it as the site's own."""
    before = Page(PAGE, "toy", "/", Marks(KEY), 3)
    served, number = before.serve(), before.token()
    drawn = Drawn(stood(names, served, number), "/", before, number)
    assert sorted(drawn.tokens) == list(range(2 * len(names)))
    fresh = list(drawn.tokens.values())
    assert len(set(fresh)) == len(fresh)
    assert all(token not in served for token in fresh)
    reader = Marks(KEY).reader(fresh)
    assert {reader.kind(token) for token in fresh} == {Kind.ORIGINAL}
    assert {node.token for node in drawn.nodes} == set(fresh)


def test_a_second_drawing_knows_the_first() -> None:
    before = Page(PAGE, "toy", "/", Marks(KEY))
    served, number = before.serve(), before.token()
    first = Drawn(stood(["Lamp"], served, number), "/", before, number)
    root = lxml.html.document_fromstring(stood(["Lamp"], served, number))
    for element in root.xpath(f"//*[@{number}]"):
        element.set("class", first.tokens[int(element.attrib.pop(number))])
    html = stood(["Chair"], lxml.html.tostring(root, encoding="unicode"), number)
    second = Drawn(html, "/", before, number)
    assert [control.name for control in second.controls] == ["Chair"]
    assert len(second.tokens) == 2
    assert set(second.tokens.values()).isdisjoint(first.tokens.values())


def test_our_own_nodes_are_no_part_of_it() -> None:
    before = Page(PAGE, "toy", "/", Marks(KEY))
    before.body.append(before.added("button"))
    number = before.token()
    drawn = Drawn(stood(["Lamp"], before.serve(), number), "/", before, number)
    assert len(drawn.every_control) == len(before.controls) + 1


def test_the_path_is_where_the_page_stands_now() -> None:
    before = Page(PAGE, "toy", "/list", Marks(KEY))
    number = before.token()
    drawn = Drawn(stood(["Lamp"], before.serve(), number), "/list/7?x=1", before, number)
    assert drawn.template == "/list/*"
