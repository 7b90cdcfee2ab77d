"""Contents of an observation of the live page."""

from collections.abc import Callable

import lxml.html
import pytest
from playwright.sync_api import FilePayload, Page

from scripts.waited import Observer, Recorder
from stressweb.perception.dom_view import DomView
from tests.support.stand_in_episode import StandInEpisode

pytestmark = pytest.mark.sample(4, "file")

MESSY = """<!DOCTYPE html><html><head><title>Messy</title><noscript><link rel="stylesheet" href="none.css"></noscript>
<style>td > b { color: red }</style><script>const markup = "<p><b>no element</b></p>";</script></head>
<body><p>One<p>Two <br> lines<table><tr><td>no tbody<td><b>cell</b></table>
<svg width="20" height="20" viewBox="0 0 10 10"><defs><linearGradient id="g"><stop offset="0"/></linearGradient></defs>
<circle cx="5" cy="5" r="5"/><foreignObject width="5" height="5"><div>inner</div></foreignObject></svg>
<template><div class="row"><input name="t"><template><i>deep</i></template></div></template>
<noscript><p>No <b>script</b></p></noscript><ul><li>a<li>b</ul><select><optgroup label="g"><option>x</select>
<div style="display:none"><span>hidden</span></div><div style="visibility:hidden">unseen <b style="visibility:visible">seen</b></div>
<a href="#"><div>block in a link</div></a><button><span>press</span></button><textarea>a < b</textarea>
<details><summary>more</summary><p>folded</p></details><pre>
x</pre><div id="last">the last</div></body></html>"""


def elements(html: str) -> list[lxml.html.HtmlElement]:
    return list(lxml.html.document_fromstring(html).iter("*"))


def test_live_values_are_written_and_nothing_else_changes(show: Callable[[str], Page]) -> None:
    html = """<!DOCTYPE html><html><head><title>t</title></head><body><input id="a" value="old"><input id="b" type="checkbox" checked="">
<input id="c" type="radio" name="r"><textarea id="d">before</textarea><select id="e"><option selected="">x</option><option>y</option></select>
<input id="f"><input type="submit"></body></html>"""
    page = show(html)
    assert Observer().read(page).html == html
    page.evaluate(
        """() => { a.value = "new"; b.checked = false; c.checked = true; d.value = "a <b>\\n"; e.value = "y"; }"""
    )
    after = {node.get("id"): node for node in elements(Observer().read(page).html)}
    assert after["a"].get("value") == "new"
    assert after["b"].get("checked") is None
    assert after["c"].get("checked") == ""
    assert after["d"].text == "a <b>\n"
    assert [option.get("selected") for option in after["e"]] == [None, ""]
    assert page.evaluate("a.getAttribute('value')") == "old", "the page itself must stay as it was"


def test_a_file_field_holds_the_names_of_its_files(show: Callable[[str], Page]) -> None:
    page = show("<!DOCTYPE html><body><input type=file multiple>")
    assert "value" not in Observer().read(page).html
    files = [FilePayload(name=name, mimeType="text/plain", buffer=b"") for name in ("a.txt", "b c.txt")]
    page.set_input_files("input", files)
    assert 'value="a.txt, b c.txt"' in Observer().read(page).html


def test_lone_surrogates_are_replaced(show: Callable[[str], Page]) -> None:
    page = show("<!DOCTYPE html><title>t</title><p>")
    page.evaluate(
        "() => { document.title = 'a\\ud800'; document.querySelector('p').textContent = 'b\\udc00 \\u{1f600}' }"
    )
    observation = Observer().read(page)
    assert "b\ufffd \U0001f600" in observation.html
    assert observation.tabs == ("a\ufffd",)
    observation.html.encode()


def test_a_page_is_called_by_its_title_else_by_its_url(show: Callable[[str], Page]) -> None:
    page = show("<!DOCTYPE html><title> Some \n title </title>")
    assert Observer().read(page).tabs == ("Some title",)
    page = show("<!DOCTYPE html><p>none")
    assert Observer().read(page).tabs == (page.url,)


def test_boxes_are_aligned_with_the_elements_that_lxml_sees(show: Callable[[str], Page]) -> None:
    page = show(MESSY)
    observation = Observer(frozenset({"boxes"})).read(page)
    nodes = elements(observation.html)
    assert len(nodes) == len(observation.boxes)
    boxes = {(node.tag, node.text): box for node, box in zip(nodes, observation.boxes, strict=True)}
    for tag, text, selector in [
        ("div", "the last", "#last"),
        ("b", "cell", "td b"),
        ("li", "b", "li + li"),
        ("b", "seen", "div > b"),
    ]:
        assert boxes[tag, text] == pytest.approx(
            tuple((page.locator(selector).last.bounding_box() or {}).values()), abs=0.01
        )
    for hidden in [("span", "hidden"), ("div", "unseen "), ("i", "deep"), ("p", "folded")]:
        assert boxes[hidden] is None
    circle = next(box for node, box in zip(nodes, observation.boxes, strict=True) if node.tag == "circle")
    assert circle is not None
    assert circle[2:] == (20, 20)


def test_contents_of_noscript_have_no_boxes(show: Callable[[str], Page]) -> None:
    """The browser sees text there, lxml elements: the following paragraph must keep its box."""
    page = show("<!DOCTYPE html><body><noscript><p>in</p></noscript><p>after</p>")
    observation = Observer(frozenset({"boxes"})).read(page)
    assert "<noscript><p>in</p></noscript>" in observation.html
    boxes = {node.text: box for node, box in zip(elements(observation.html), observation.boxes, strict=True)}
    assert boxes["in"] is None
    assert boxes["after"] is not None


def test_letters_that_a_ligature_joins_are_visible(show: Callable[[str], Page]) -> None:
    """The i of the ligature "fi" has no width; names from visible text must still contain it."""
    page = show(
        """<!DOCTYPE html><body style="font-family: 'DejaVu Sans'"><a href="#">Prof<span>i</span>le</a>
        <p>b<b>\u200b</b>ox</p><p>b<i style="display: inline-block; width: 0; overflow: hidden">hid</i>ox</p>"""
    )
    if page.evaluate("document.querySelector('span').getBoundingClientRect().width"):
        pytest.skip("no font of this machine joins f and i")
    observation = Observer(frozenset({"boxes"})).read(page)
    boxes = {node.tag: box for node, box in zip(elements(observation.html), observation.boxes, strict=True)}
    assert boxes["span"] is not None
    assert (boxes["span"][2], boxes["b"], boxes["i"]) == (0, None, None)
    assert DomView(observation).find(["link"], "Profile")


def test_a_running_entry_is_ended_before_the_read(show: Callable[[str], Page]) -> None:
    page = show("""<!DOCTYPE html><body><input><script>
        addEventListener("secret", () => { document.body.dataset.ended = 1; });</script>""")
    assert "data-ended" not in Observer().read(page).html
    assert 'data-ended="1"' in Observer(recorder=Recorder(StandInEpisode("secret"))).read(page).html


def test_a_read_survives_a_navigation_under_it(show: Callable[[str], Page]) -> None:
    page = show("<!DOCTYPE html><body>here")
    page.evaluate("setTimeout(() => { location.href = '?next' }, 0)")
    page.wait_for_url("**/?next")
    assert Observer().read(page).url.endswith("?next")


def test_three_distinct_screenshots_and_the_tree(show: Callable[[str], Page]) -> None:
    page = show("<!DOCTYPE html><body><h1>One</h1>")
    observer = Observer(frozenset({"screenshots", "tree"}))
    first = observer.read(page)
    assert 'heading "One"' in first.tree
    assert len(observer.read(page).screenshots) == 1
    for colour in ("red", "green", "blue"):
        page.evaluate("(colour) => { document.body.style.background = colour }", colour)
        shots = observer.read(page).screenshots
    assert len(set(shots)) == 3
    assert first.screenshots[0] not in shots
