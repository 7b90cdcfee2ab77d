"""Uploads: files that can be chosen, file fields, and ways to select a field."""

from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Page

from scripts.waited import perform
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.offers import Offer

pytestmark = pytest.mark.sample(5, "file")

OFFERS = (Offer(name="a.txt", text="Größe"), Offer(name="b c.csv", text="1;2"))
PAGE = """<!DOCTYPE html><style>body { margin: 0 } body > * { position: absolute; left: 0; height: 40px; width: 300px }</style>
<input id="one" type="file" style="top: 0"><label id="label" for="many" style="top: 50px"><b>Pick</b></label>
<input id="many" type="file" multiple hidden><h1 id="none" style="top: 100px">x</h1>
<input id="off" type="file" disabled style="top: 150px"><div hidden><input id="away" type="file"></div>
<form style="top: 200px"><input id="bare" type="file" style="display: none"><button type="button">Browse</button></form>
<div id="host" style="top: 250px"><template shadowrootmode="open"><input type="file"></template></div>
<iframe id="frame" style="top: 300px; border: 5px solid; height: 90px" srcdoc="<style>body { margin: 0 }</style><input type=file>"></iframe>"""
HELD = "(field) => Promise.all([...field.files].map(async (file) => `${file.name}=${await file.text()}`))"


def upload(page: Page, selector: str | None, *files: str, position: tuple[float, float] | None = None) -> Outcome:
    x, y = position or (None, None)
    outcome: Outcome = perform(page, Action(kind="UPLOAD", selector=selector, x=x, y=y, files=files), OFFERS)
    return outcome


@pytest.mark.parametrize(
    ("selector", "position", "field", "files"),
    [
        ("#one", None, "#one", ["a.txt"]),
        ("#many", None, "#many", ["b c.csv", "a.txt"]),
        ("#label", None, "#many", ["a.txt", "b c.csv"]),
        # A script opens the file chooser from a button; the field itself is invisible.
        ("#bare", None, "#bare", ["a.txt"]),
        (None, (20, 20), "#one", ["b c.csv"]),
        (None, (10, 58), "#many", ["a.txt", "b c.csv"]),
        (None, (20, 260), "#host >> input", ["a.txt"]),
        (None, (20, 316), "#frame >> internal:control=enter-frame >> input", ["a.txt"]),
    ],
)
def test_a_field_gets_the_chosen_files(
    show: Callable[[str], Page],
    selector: str | None,
    position: tuple[float, float] | None,
    field: str,
    files: Sequence[str],
) -> None:
    page = show(PAGE)
    assert upload(page, selector, *files, position=position) == Outcome(ok=True)
    texts = {offer.name: offer.text for offer in OFFERS}
    assert page.locator(field).evaluate(HELD) == [f"{name}={texts[name]}" for name in files]


@pytest.mark.parametrize(
    ("selector", "position", "files", "reason", "detail"),
    [
        ("#one", None, ["A.txt"], "invalid", 'file "A.txt"; choose from "a.txt", "b c.csv"'),
        ("#nowhere", None, ["../a.txt"], "invalid", 'file "../a.txt"; choose from "a.txt", "b c.csv"'),
        ("#one", None, ["a.txt", "b c.csv"], "invalid", "#one takes one file"),
        ("#none", None, ["a.txt"], "invalid", "#none is not a file field"),
        (None, (20, 110), ["a.txt"], "invalid", "(20, 110) is not a file field"),
        (None, (5000, 110), ["a.txt"], "invalid", "(5000, 110) is outside of the viewport"),
        ("#off", None, ["a.txt"], "disabled", "#off"),
        (None, (20, 160), ["a.txt"], "disabled", "(20, 160)"),
        ("#away", None, ["a.txt"], "not found", "#away is not visible"),
        ("#gone", None, ["a.txt"], "not found", "#gone"),
    ],
)
def test_reasons_for_refused_uploads(
    show: Callable[[str], Page],
    selector: str | None,
    position: tuple[float, float] | None,
    files: Sequence[str],
    reason: str,
    detail: str,
) -> None:
    page = show(PAGE)
    outcome = upload(page, selector, *files, position=position)
    assert (outcome.ok, outcome.reason, outcome.detail) == (False, reason, detail)
    assert page.evaluate("[...document.querySelectorAll('input')].every((field) => !field.files.length)")


def test_without_offered_files_an_upload_is_refused(show: Callable[[str], Page]) -> None:
    outcome = perform(show(PAGE), Action(kind="UPLOAD", selector="#one", files=("a.txt",)))
    assert outcome == Outcome(ok=False, reason="invalid", detail="there are no files to upload")
