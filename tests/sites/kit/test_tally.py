"""A tally changes at once, sends one request, and changes back if the site refuses it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.crawling import site, visitor

type Visit = Callable[[EpisodeWorld], Page]


@pytest.fixture
def open_feed(world: World, visit: Visit) -> Callable[[str], tuple[EpisodeWorld, Page]]:
    def open_under(label: str) -> tuple[EpisodeWorld, Page]:
        (condition,) = parse(label, MODES)
        episode = world.open(site("network", 0), condition, Seeds(0, 0, "network/x"))
        return episode, visit(episode)

    return open_under


def tally(page: Page, index: int = 0) -> tuple[Locator, Locator, Locator]:
    """Return button, number and note of a post."""
    form = page.locator("form.kit-tally").nth(index)
    return form.locator("button"), form.locator(".kit-count"), form.locator("[role=status]")


def liked(episode: EpisodeWorld) -> list[object]:
    """Return the changed likes in the database."""
    return [after["liked"] for _, after in episode.final()["post"].altered] if "post" in episode.final() else []


def sends(episode: EpisodeWorld) -> int:
    return len(episode.final()["event"].added) if "event" in episode.final() else 0


def test_it_shows_the_change_and_the_site_has_it(open_feed: Callable[[str], tuple[EpisodeWorld, Page]]) -> None:
    episode, page = open_feed("clean")
    labels = site("network", 0).labels
    button, number, note = tally(page)
    before = int(number.inner_text())
    with page.expect_response("**/like") as answered:
        button.click()
    assert answered.value.json()["done"]
    expect(button).to_have_text(labels["unlike"])
    expect(number).to_have_text(str(before + 1))
    assert liked(episode) == [1]
    page.reload()
    button, number, note = tally(page)
    expect(button).to_have_text(labels["unlike"])
    expect(number).to_have_text(str(before + 1))
    with page.expect_response("**/like"):
        button.click()
    expect(number).to_have_text(str(before))
    expect(note).to_be_empty()
    assert liked(episode) == []
    episode.close()


def test_it_goes_back_and_says_why(open_feed: Callable[[str], tuple[EpisodeWorld, Page]]) -> None:
    episode, page = open_feed("clean")
    labels = site("network", 0).labels
    button, number, note = tally(page)
    before = number.inner_text()
    page.route("**/like", lambda route: route.abort())
    button.click()
    expect(note).to_have_text(labels["not_sent"])
    expect(button).to_have_text(labels["like"])
    expect(number).to_have_text(before)
    page.unroute("**/like")
    # Another session's token: the site refuses it with a message.
    forged = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    page.route("**/like", lambda route: route.continue_(post_data="csrf_token=0", headers=forged))
    button.click()
    expect(note).to_have_text(labels["error_token"])
    expect(button).to_have_text(labels["like"])
    expect(number).to_have_text(before)
    page.unroute("**/like")
    with page.expect_response("**/like"):
        button.click()
    expect(button).to_have_text(labels["unlike"])
    expect(note).to_be_empty()
    assert liked(episode) == [1]
    episode.close()


def test_two_clicks_in_a_row_are_one_change(open_feed: Callable[[str], tuple[EpisodeWorld, Page]]) -> None:
    episode, page = open_feed("clean")
    button, _, _ = tally(page)
    with page.expect_response("**/like"):
        button.dblclick()
    expect(button).to_have_text(site("network", 0).labels["unlike"])
    assert liked(episode) == [1]
    assert sends(episode) == 1
    episode.close()


def test_a_press_that_fails_leaves_it_as_it_was(open_feed: Callable[[str], tuple[EpisodeWorld, Page]]) -> None:
    episode, page = open_feed("failure(rate=1)")
    button, number, _ = tally(page)
    before = number.inner_text()
    button.click()
    button.press("Enter")
    expect(button).to_have_text(site("network", 0).labels["like"])
    expect(number).to_have_text(before)
    assert sends(episode) == 0
    episode.close()


def test_where_a_double_click_is_needed_it_is_one_change(
    open_feed: Callable[[str], tuple[EpisodeWorld, Page]],
) -> None:
    episode, page = open_feed("remap(share=1)")
    button, _, _ = tally(page)
    button.click()
    assert sends(episode) == 0
    page.wait_for_timeout(600)
    with page.expect_response("**/like"):
        button.dblclick()
    expect(button).to_have_text(site("network", 0).labels["unlike"])
    assert liked(episode) == [1]
    assert sends(episode) == 1
    episode.close()


def test_without_scripts_it_is_a_form() -> None:
    walker = visitor("network", 0)
    form = walker.page.xpath("//form[@data-tally='0']")[0]
    post = form.xpath(".//input[@name='post']/@value")[0]
    walker.post(form.get("action"), dict(form.form_values()))
    assert walker.page.xpath("//form[@data-tally='1']//input[@name='post']/@value")[0] == post
    assert walker.url == "/"


def test_a_script_is_told_what_came_of_it() -> None:
    walker = visitor("network", 0)
    form = walker.page.xpath("//form[@data-tally='0']")[0]
    ask = {"base_url": f"http://{walker.world.host}/", "headers": {"Accept": "application/json"}}
    sent = dict(form.form_values())
    answers = [
        walker.client.post("/like", data={**sent, **more}, environ_base=walker.environ(), **ask).get_json()
        for more in ({}, {"post": "none"}, {"csrf_token": "0"})
    ]
    assert [answer["done"] for answer in answers] == [True, False, False]
    assert answers[2]["said"] == [walker.world.labels["error_token"]]
    # The next page does not show it again.
    walker.get("/help")
    assert not walker.page.xpath("//*[@role='alert' or @role='status']")
