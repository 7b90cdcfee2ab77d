"""Failure of uploads: one decision for each choice of files, and the field keeps its old files."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import FilePayload

from stressweb.plugins.rule import Narrowing
from tests.support.served import Stage, failure
from tests.support.tabs import Set

pytestmark = pytest.mark.sample(3, "file")

PAGE = """<!DOCTYPE html><html><head><title>T</title></head><body><form action="/do"><label for="up">Papers</label>
<input id="up" type="file" name="up" multiple></form><p id="log"></p>
<script>for (const kind of ["input", "change"]) up.addEventListener(kind, () => (log.textContent += `${kind} `));</script>
</body></html>"""


def choose(toy: Stage, *names: str) -> None:
    toy.page.set_input_files("#up", [FilePayload(name=name, mimeType="text/plain", buffer=b"x") for name in names])


def file_names(toy: Stage) -> Sequence[str]:
    files: list[str] = toy.page.evaluate("[...up.files].map((file) => file.name)")
    return files


def test_a_choice_fails_whole_and_once(stage: Set) -> None:
    toy = stage(failure(), html=PAGE)
    choose(toy, "a.txt", "b.txt")
    assert file_names(toy) == []
    assert [(event, value) for _, event, value in toy.outcomes] == [("hit", 0)]
    # No listener of the page was called.
    assert toy.page.inner_text("#log") == ""


def test_a_choice_that_passes_is_decided_once_and_heard_of(stage: Set) -> None:
    toy = stage(failure(0), html=PAGE)
    choose(toy, "a.txt")
    assert file_names(toy) == ["a.txt"]
    assert [(event, value) for _, event, value in toy.outcomes] == [("passed", 0)]
    assert toy.page.inner_text("#log") == "input change"


def test_a_later_choice_is_put_back_to_what_was_accepted(stage: Set) -> None:
    """Also if the list was emptied in between: the browser empties the list object itself."""
    first = stage(failure(0), html=PAGE)
    choose(first, "a.txt")
    (report,) = first.reports
    toy = stage(failure(allowed=Narrowing(others=True, controls={report.about: (False, [0])})), html=PAGE)
    choose(toy, "a.txt", "b.txt")
    toy.read()
    choose(toy, "c.txt")
    assert file_names(toy) == ["a.txt", "b.txt"]
    toy.read()
    toy.page.evaluate("up.value = ''")
    choose(toy)
    assert file_names(toy) == ["a.txt", "b.txt"]
    assert [(event, value) for _, event, value in toy.outcomes] == [("passed", 0), ("hit", 1), ("hit", 2)]


def test_leaving_the_field_is_no_decision(stage: Set) -> None:
    toy = stage(failure(0), html=PAGE)
    choose(toy, "a.txt")
    toy.read()
    toy.page.evaluate("up.dispatchEvent(new Event('change', { bubbles: true }))")
    toy.read()
    assert len(toy.reports) == 1


def test_a_page_that_changes_lists_of_files_changes_nothing(stage: Set) -> None:
    toy = stage(failure(), html=PAGE)
    toy.page.evaluate("""() => {
      FileList.prototype.item = () => null;
      window.DataTransfer = class {};
      Object.defineProperty(HTMLInputElement.prototype, "files", { get: () => [], configurable: true });
    }""")
    choose(toy, "a.txt")
    assert toy.page.evaluate("up.value") == ""
