"""The editor of a rich text field: it sends its formatting as markup, and shows stored markup as formatting."""

from collections.abc import Callable

from playwright.sync_api import Page

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.crawling import site

type Visit = Callable[[EpisodeWorld], Page]


def test_what_is_laid_out_is_sent_as_markup_and_comes_back(world: World, visit: Visit) -> None:
    (clean,) = parse("clean", MODES)
    site_world = site("mail", 0)
    labels = site_world.labels
    episode = world.open(site_world, clean, Seeds(0, 0, "mail/x"))
    page = visit(episode)
    page.goto(f"http://{site_world.host}/templates/new")
    editor = page.get_by_role("textbox", name=labels["body"], exact=True)
    page.get_by_role("textbox", name=labels["template_name"], exact=True).fill("Reminder")
    page.get_by_role("textbox", name=labels["subject"], exact=True).fill("Tea")
    editor.fill("Bring")
    page.keyboard.type(" ")
    page.get_by_role("button", name=labels["rich_bold"], exact=True).click()
    page.keyboard.type("two")
    page.get_by_role("button", name=labels["rich_bold"], exact=True).click()
    page.keyboard.type(" cups.")
    page.keyboard.press("Enter")
    page.keyboard.type("milk")
    page.get_by_role("button", name=labels["rich_list"], exact=True).click()
    page.keyboard.press("Enter")
    page.keyboard.type("tea")
    page.get_by_role("button", name=labels["add_mail_template"], exact=True).click()
    page.wait_for_url("**/templates")
    text = "Bring **two** cups.\n\n- milk\n- tea"
    assert [row["body"] for row in episode.final()["template"].added] == [text]
    page.goto(f"http://{site_world.host}/templates/reminder/edit")
    again = page.get_by_role("textbox", name=labels["body"], exact=True)
    assert again.inner_html() == "<p>Bring <strong>two</strong> cups.</p><ul><li>milk</li><li>tea</li></ul>"
    page.get_by_role("button", name=labels["change_mail_template"], exact=True).click()
    page.wait_for_url("**/templates")
    assert [row["body"] for row in episode.final()["template"].added] == [text]
    episode.close()


def test_a_heading_is_made_and_unmade_and_a_new_text_begins_anew(world: World, visit: Visit) -> None:
    (clean,) = parse("clean", MODES)
    site_world = site("notes", 0)
    labels, place = site_world.labels, site_world.entities["Place"][0]
    episode = world.open(site_world, clean, Seeds(0, 0, "notes/x"))
    page = visit(episode)
    page.goto(f"http://{site_world.host}/new?in={place.id}")
    editor = page.get_by_role("textbox", name=labels["body"], exact=True)
    heading = page.get_by_role("button", name=labels["rich_heading"], exact=True)
    page.get_by_role("textbox", name=labels["doc_name"], exact=True).fill("Tea")
    editor.focus()
    page.keyboard.press("Control+b")
    page.keyboard.type("Old words")
    heading.click()
    assert editor.locator("h2").count() == 1
    heading.click()
    assert editor.locator("h2").count() == 0
    heading.click()
    # The whole text is replaced, including bold words and headings.
    editor.fill("Two cups.")
    page.keyboard.press("Enter")
    page.keyboard.type("Milk")
    heading.click()
    page.keyboard.press("Enter")
    page.keyboard.type("None.")
    page.get_by_role("button", name=labels["add_document"], exact=True).click()
    page.wait_for_url("**/doc/tea")
    assert [row["body"] for row in episode.final()["document"].added] == ["Two cups.\n\n# Milk\n\nNone."]
    episode.close()
