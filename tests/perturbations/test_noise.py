"""Noise: the exact changes of each operator, what stays readable, and what a form still submits."""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qs

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page as BrowserPage

from perturbations.noise import Noise
from stressweb.core.draws import Seeds
from stressweb.html.accessible_name import Names, clean
from stressweb.html.canonical import digest, lines, site_tree
from stressweb.html.marks import Kind, Marks
from stressweb.html.page import Page
from tests.perturbations.conftest import Set
from tests.toy import PAGE

KEY = b"k" * 16


def noisy(severity: int, html: str = PAGE, stress: int = 0) -> Page:
    """Return a page with noise on it."""
    page = Page(html, "toy", "/", Marks(KEY))
    assert page.controls
    Noise.at(severity).rewrite(page, Seeds(0, stress, "toy/x"))
    return page


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
def test_the_canonical_form_stays(severity: int) -> None:
    """What a key takes out of a noisy page is the clean page."""
    for stress in range(20):
        assert digest(noisy(severity, stress=stress).serve(), KEY) == digest(PAGE, KEY)


def test_severity_0_changes_nothing_but_the_marks() -> None:
    """At rate 0 no operator acts."""
    marked = Page(PAGE, "toy", "/", Marks(KEY))
    assert noisy(0).serve() == marked.serve()


def test_the_greatest_density_changes_every_place_and_keeps_the_canonical_form() -> None:
    """A rate may be 1: then no draw is too large."""
    page, seeds = Page(PAGE, "toy", "/", Marks(KEY)), Seeds(0, 0, "toy/x")
    assert Noise.at(3, density=1.0).rewrite(page, seeds) > Noise.at(5).rewrite(
        Page(PAGE, "toy", "/", Marks(KEY)), seeds
    )
    assert digest(page.serve(), KEY) == digest(PAGE, KEY)


def test_every_operator_acts() -> None:
    """Over some seeds each kind of change is there."""
    served = [noisy(5, stress=stress) for stress in range(10)]
    text = "".join(page.serve() for page in served)
    hidden = [page for page in served if "display:none!important" in page.styles]
    assert "\u200b" in text
    assert "&#" in text
    assert 'type="button"' in text
    assert hidden
    assert any('id="name"' not in page.serve() for page in served)
    assert any(len(page.root.findall(".//span")) > 4 for page in served)


def test_references_follow_renamed_ids() -> None:
    """Whatever pointed at an element still points at it."""
    for stress in range(10):
        names = Names(site_tree(noisy(5, stress=stress).serve(), KEY))
        root = names._root
        fields = [names.name(field) for field in root.iter("input", "select", "textarea")]
        assert fields == ["Name", "Day", "Size", "Agree", "Note", "Word"]


def test_what_a_style_sheet_names_stays() -> None:
    """An id that a style sheet, a script or a link names is left alone."""
    html = PAGE.replace("<title>", "<style>#name{color:red}</style><title>").replace("/alpha", "#day")
    for stress in range(10):
        served = noisy(5, html, stress).serve()
        assert 'id="name"' in served
        assert 'id="day"' in served


def test_decoys_bear_no_real_name() -> None:
    """A visible decoy is never called like a control of the page."""
    names = {control.name.casefold() for control in Page(PAGE, "toy", "/", Marks(KEY)).controls}
    shown: list[str] = []
    for stress in range(20):
        page = noisy(5, stress=stress)
        root = lxml.html.document_fromstring(page.serve())
        reader = Marks(KEY).reader(element.get("class") for element in root.iter("*"))
        ours = [one for one in root.iter("button", "a") if reader.kind(one.get("class")) is Kind.ADDED]
        shown += [clean(one.text_content()).casefold() for one in ours if not hidden(one, page.styles)]
    assert len(shown) >= 20, "a decoy or more to a page"
    assert len(set(shown)) > 3
    assert not names & set(shown)


def hidden(element: lxml.html.HtmlElement, styles: Mapping[str, list[str]]) -> bool:
    """Return whether a rule of ours hides an element, or one that it stands in."""
    unseen = set(styles.get("display:none!important", ()))
    return any(unseen & set((one.get("class") or "").split()) for one in [element, *element.iterancestors()])


def test_form_values_are_mapped_back(stage: Set) -> None:
    """A text copied from a noisy page arrives as the site wrote it."""
    toy = stage("noise@5")
    toy.page.fill("[name=name]", "La\u200bmp\u2060s")
    toy.page.press("[name=name]", "Enter")
    toy.arrived()
    assert parse_qs(toy.posts()[0])["name"] == ["Lamps"]


def test_hidden_is_absent_and_visible_is_there(stage: Set) -> None:
    """Document, tree and picture agree on every node of ours."""
    for stress in range(3):
        toy = stage("noise@5", stress=stress)
        shown: list[tuple[str, str, bool]] = toy.page.evaluate(
            """() => Array.from(document.body.querySelectorAll("*"), (e) =>
                 [e.className, e.textContent, e.getClientRects().length > 0])"""
        )
        tree = toy.page.locator("body").aria_snapshot()
        reader = Marks(KEY).reader(classes for classes, _, _ in shown)
        ours = [(text, visible) for classes, text, visible in shown if reader.kind(classes) is Kind.ADDED]
        assert ours
        seen = {text for text, visible in ours if visible}
        for text, visible in ours:
            assert (text in tree) == (text in seen or text in PAGE), (text, visible)


def test_the_page_looks_at_ease(stage: Set, browser_page: BrowserPage) -> None:
    """Every control of the site stays in the same order, and the page grows no scroll bar."""
    toy = stage("noise@5")
    order = toy.page.evaluate("Array.from(document.querySelectorAll('input, select, textarea'), (e) => e.name)")
    assert order == ["name", "day", "size", "agree", "note", "word"]
    assert toy.page.evaluate("document.documentElement.scrollWidth") <= 1280


CHANGES: list[Callable[[str], str]] = [
    lambda html: html.replace("Alpha page", "Alpha pagE"),
    lambda html: html.replace("/beta", "/betb"),
    lambda html: html.replace(' type="date"', ' type="date" value="2026-01-01"'),
    lambda html: html.replace('name="agree"', 'name="agree" checked'),
    lambda html: html.replace("<option>two", "<option selected>two"),
    lambda html: html.replace('id="save"', 'id="save" disabled'),
    lambda html: html.replace('<li><a href="/beta">Beta page</a></li>', ""),
    lambda html: html.replace("<h2>Some heading</h2><p>Text", "<p>Text").replace(
        "chairs.</p>", "chairs.</p><h2>Some heading</h2>"
    ),
    lambda html: html.replace("/do", "/d0"),
]


@given(change=st.sampled_from(CHANGES), stress=st.integers(0, 1000), severity=st.integers(0, 5))
def test_a_planted_change_shows(change: Callable[[str], str], stress: int, severity: int) -> None:
    """One character, value, row or order changes the canonical form, under any noise."""
    changed = change(PAGE)
    assert changed != PAGE
    assert digest(noisy(severity, changed, stress).serve(), KEY) != digest(PAGE, KEY)
    assert digest(noisy(severity, changed, stress).serve(), KEY) == digest(changed, KEY)


def test_without_the_key_nothing_can_be_told() -> None:
    """Another key sees another page."""
    html = noisy(5).serve()
    assert list(lines(site_tree(html, b"z" * 16))) != list(lines(site_tree(html, KEY)))
