"""A form that saves by itself: what it saves and when, its messages, and the effect of a lost entry."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.core.entity import Entity
from stressweb.perturbations import MODES
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.crawling import site

type Visit = Callable[[EpisodeWorld], Page]

MADE = site("notes", 0)
LABELS = MADE.labels
NOTE = MADE.entities["Note"][0]


class Editor:
    """The page on which a document is edited."""

    def __init__(self, world: World, visit: Visit, condition: str = "clean") -> None:
        (parsed,) = parse(condition, MODES)
        self.episode = world.open(MADE, parsed, Seeds(0, 0, "notes/x"))
        self.page = visit(self.episode)
        self.go(f"/doc/{NOTE.id}/edit")

    def go(self, path: str) -> None:
        self.page.goto(f"http://{MADE.host}{path}")
        self.title = self.page.get_by_role("textbox", name=LABELS["doc_name"], exact=True)
        self.body = self.page.get_by_role("textbox", name=LABELS["body"], exact=True)
        self.status = self.page.locator("main").get_by_role("status")

    def press(self, label: str) -> None:
        self.page.locator("main").get_by_role("button", name=LABELS[label], exact=True).click()

    def documents(self) -> list[Entity]:
        final = self.episode.final()
        return [after for _, after in final["document"].altered] if "document" in final else []

    def saves(self) -> int:
        final = self.episode.final()
        return [row["kind"] for row in final["event"].added].count("save_document") if "event" in final else 0


def test_a_field_that_is_left_is_saved_and_the_page_says_so(world: World, visit: Visit) -> None:
    editor = Editor(world, visit)
    editor.title.fill("Another title")
    expect(editor.status).to_have_text(LABELS["autosave_unsaved"])
    assert editor.documents() == []
    editor.body.focus()
    # Leaving the field saves: the site answers before the next field has the cursor.
    assert [row["name"] for row in editor.documents()] == ["Another title"]
    assert MADE.start.strftime("%H:%M") in editor.status.inner_text()
    editor.title.focus()
    editor.body.focus()
    assert editor.saves() == 1
    editor.go(f"/doc/{NOTE.id}/edit")
    expect(editor.title).to_have_value("Another title")
    assert editor.documents()[0]["body"] == NOTE.body
    editor.episode.close()


def test_the_button_saves_once(world: World, visit: Visit) -> None:
    editor = Editor(world, visit)
    editor.body.fill("# Shelf\n\nNothing **here**.")
    editor.press("save_document")
    editor.page.wait_for_url(f"**/doc/{NOTE.id}")
    assert [row["body"] for row in editor.documents()] == ["# Shelf\n\nNothing **here**."]
    assert editor.saves() == 1
    editor.episode.close()


def test_what_is_refused_is_said_and_not_written(world: World, visit: Visit) -> None:
    editor = Editor(world, visit)
    editor.title.fill("")
    editor.body.focus()
    expect(editor.status).to_have_text(f"{LABELS['doc_name']}: {LABELS['error_required']}")
    assert editor.documents() == []
    editor.title.fill("Found again")
    editor.body.focus()
    assert [row["name"] for row in editor.documents()] == ["Found again"]
    editor.episode.close()


def test_who_has_switched_it_off_saves_with_the_button_alone(world: World, visit: Visit) -> None:
    editor = Editor(world, visit)
    editor.go("/settings")
    editor.page.get_by_role("checkbox", name=LABELS["autosave_on"], exact=True).uncheck()
    editor.press("save_settings")
    editor.go(f"/doc/{NOTE.id}/edit")
    editor.title.fill("Another title")
    editor.body.focus()
    expect(editor.status).to_have_text(LABELS["autosave_unsaved"])
    assert editor.saves() == 0
    editor.press("save_document")
    editor.page.wait_for_url(f"**/doc/{NOTE.id}")
    assert editor.saves() == 1
    editor.episode.close()


def test_an_entry_that_is_lost_is_not_saved(world: World, visit: Visit) -> None:
    editor = Editor(world, visit, "failure(rate=1)")
    editor.title.fill("Another title")
    editor.body.focus()
    assert editor.saves() == 0
    expect(editor.title).to_have_value(NOTE.name)
    editor.episode.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize("condition", ["clean", "noise@5"])
def test_a_text_that_was_not_changed_stays_as_it_is(world: World, visit: Visit, condition: str) -> None:
    """Bold words, headings and lists are shown in the editor, and saved again."""
    editor = Editor(world, visit, condition)
    for note in MADE.entities["Note"][:6]:
        editor.go(f"/doc/{note.id}/edit")
        assert editor.body.locator("h2").count() == note.body.count("# ")
        editor.press("save_document")
        editor.page.wait_for_url(f"**/doc/{note.id}")
    assert editor.saves() == 6
    assert editor.documents() == []
    editor.episode.close()
