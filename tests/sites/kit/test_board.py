"""A dragged card is where it was dropped, on the page and in the site, or back where it was."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from scripts.waited import drag
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.core.entity import Entity
from stressweb.perturbations import MODES
from stressweb.plugins.actions import Action
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.crawling import site, visitor

type Visit = Callable[[EpisodeWorld], Page]
type Open = Callable[[str], tuple[EpisodeWorld, Page]]


def project() -> Entity:
    return site("tasks", 0).entities["Project"][0]


def cards(state: str) -> list[Entity]:
    """Return the initial cards of a column, from the top."""
    return [row for row in site("tasks", 0).entities["Card"] if row.project == project().id and row.state == state]


@pytest.fixture
def open_board(world: World, visit: Visit) -> Open:
    def open_under(label: str) -> tuple[EpisodeWorld, Page]:
        (condition,) = parse(label, MODES)
        episode = world.open(site("tasks", 0), condition, Seeds(0, 0, "tasks/x"))
        page = visit(episode)
        page.goto(f"{page.url}projects/{project().id}")
        return episode, page

    return open_under


def of_card(row: Entity) -> str:
    return f"[data-card='{row.id}']"


def column(page: Page, state: str) -> Locator:
    return page.locator(f"[data-column={state}]")


def names(page: Page, state: str) -> list[str]:
    return column(page, state).locator(".kit-name").all_inner_texts()


def moved(episode: EpisodeWorld) -> list[tuple[str, str, float]]:
    """Return the cards whose state or position changed, with both."""
    changes = episode.final()
    return (
        [(row["id"], row["state"], row["position"]) for _, row in changes["item"].altered] if "item" in changes else []
    )


def drop(page: Page, row: Entity, place: str) -> None:
    # The page reloads when the site accepts the move.
    with page.expect_event("load"):
        drag(page, Action(kind="DRAG", selector=f"{of_card(row)} .kit-name", to_selector=place))


def test_a_card_goes_to_another_column_and_keeps_its_place_among_all(open_board: Open) -> None:
    episode, page = open_board("clean")
    row, before = cards("state_todo")[0], len(cards("state_review"))
    drop(page, row, "[data-column=state_review] .kit-column-head")
    # Dropped above all others, it stands before the first of them.
    assert names(page, "state_review")[0] == row.name
    assert len(names(page, "state_review")) == before + 1
    ((key, state, position),) = moved(episode)
    assert (key, state) == (row.id, "state_review")
    assert position < cards("state_review")[0].position
    episode.close()


def test_a_card_goes_before_another_one(open_board: Open) -> None:
    episode, page = open_board("clean")
    row, (first, second, *_) = cards("state_done")[0], cards("state_todo")
    # The upper half of a card: what is dropped there comes before it.
    drop(page, row, f"{of_card(second)} .kit-name")
    assert names(page, "state_todo")[:3] == [first.name, row.name, second.name]
    ((_, state, position),) = moved(episode)
    assert state == "state_todo"
    assert first.position < position < second.position
    episode.close()


def test_a_card_goes_back_if_the_site_cannot_be_reached(open_board: Open) -> None:
    episode, page = open_board("clean")
    row, before = cards("state_todo")[1], names(page, "state_todo")
    page.route("**/move-item", lambda route: route.abort())
    page.drag_and_drop(f"{of_card(row)} .kit-name", "[data-column=state_review] .kit-column-head")
    expect(page.locator(".kit-board-note")).to_have_text(site("tasks", 0).labels["not_sent"])
    assert names(page, "state_todo") == before
    expect(column(page, "state_todo").locator("[itemprop=numberOfItems]")).to_have_text(str(len(before)))
    assert moved(episode) == []
    episode.close()


def test_a_card_goes_back_and_the_page_says_why(open_board: Open) -> None:
    episode, page = open_board("clean")
    row, before = cards("state_todo")[1], names(page, "state_todo")
    forged = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    page.route("**/move-item", lambda route: route.continue_(post_data="csrf_token=0", headers=forged))
    page.drag_and_drop(f"{of_card(row)} .kit-name", "[data-column=state_doing] .kit-column-head")
    expect(page.locator(".kit-board-note")).to_have_text(site("tasks", 0).labels["error_token"])
    assert names(page, "state_todo") == before
    episode.close()


def test_a_card_that_is_dropped_where_it_was_sends_nothing(open_board: Open) -> None:
    episode, page = open_board("clean")
    row = cards("state_todo")[0]
    page.drag_and_drop(f"{of_card(row)} .kit-name", "[data-column=state_todo] .kit-column-head")
    assert "event" not in episode.final()
    episode.close()


def test_dragged_text_moves_no_card(open_board: Open) -> None:
    episode, page = open_board("clean")
    messages: list[str] = []
    page.on("pageerror", lambda error: messages.append(str(error)))
    name = f"{of_card(cards('state_todo')[0])} .kit-name"
    page.locator(name).evaluate(
        """(element) => {
          const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
          text.dispatchEvent(new DragEvent("dragstart", { bubbles: true, dataTransfer: new DataTransfer() }));
        }"""
    )
    expect(page.locator(".kit-held")).to_have_count(0)
    page.locator("[data-column=state_review]").dispatch_event("drop")
    assert messages == []
    assert moved(episode) == []
    episode.close()


def test_without_scripts_every_card_has_its_ways() -> None:
    walker = visitor("tasks", 0)
    walker.get(f"/projects/{project().id}")
    labels = walker.world.labels
    card = cards("state_todo")[0]
    (article,) = walker.page.xpath(f"//article[@data-card='{card.id}']")
    offered = [button.text_content() for button in article.xpath(".//form//button[@name='to']")]
    # Its present column is not among them.
    assert offered == [labels[state] for state in ("state_doing", "state_review", "state_done")]
