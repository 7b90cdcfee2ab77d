"""A growing list keeps its items, and new items work like the old ones."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.crawling import site, visitor

type Visit = Callable[[EpisodeWorld], Page]


def test_more_is_added_and_what_was_shown_stays(world: World, visit: Visit) -> None:
    (clean,) = parse("clean", MODES)
    site_world = site("network", 0)
    labels = site_world.labels
    episode = world.open(site_world, clean, Seeds(0, 0, "network/x"))
    page = visit(episode)
    posts = page.locator("main [itemtype$=SocialMediaPosting]:not([itemprop])")
    expect(posts).to_have_count(5)
    with page.expect_response("**/like"):
        posts.nth(1).get_by_role("button", name=labels["like"], exact=True).click()
    first = posts.first.element_handle()
    more = page.get_by_role("button", name=labels["show_more"], exact=True)
    with page.expect_response("**/?shown=2"):
        more.click()
    expect(posts).to_have_count(10)
    assert first.evaluate("node => node.isConnected")
    hooks = [story.hook for story in site_world.entities["Story"][:10]]
    assert [posts.nth(i).locator("[itemprop=name]").first.inner_text() for i in range(10)] == hooks
    # New items get their scripts like the old ones, once.
    with page.expect_response("**/like"):
        posts.nth(8).get_by_role("button", name=labels["like"], exact=True).click()
    with page.expect_response("**/like"):
        posts.nth(1).get_by_role("button", name=labels["unlike"], exact=True).click()
    assert [after["id"] for _, after in episode.final()["post"].altered] == [site_world.entities["Story"][8].id]
    page.route("**/?shown=3", lambda route: route.abort())
    more.click()
    expect(page.get_by_text(labels["not_shown"])).to_be_visible()
    expect(posts).to_have_count(10)
    page.unroute("**/?shown=3")
    more.click()
    expect(posts).to_have_count(15)
    assert page.url == f"http://{site_world.host}/"
    assert not episode.faults()
    episode.close()


def test_the_last_rows_take_the_button_away(world: World, visit: Visit) -> None:
    (clean,) = parse("clean", MODES)
    site_world = site("network", 0)
    episode = world.open(site_world, clean, Seeds(0, 0, "network/x"))
    page = visit(episode)
    page.goto(f"http://{site_world.host}/following")
    more = page.get_by_role("button", name=site_world.labels["show_more"], exact=True)
    more.click()
    expect(more).to_have_count(0)
    followed = [member for member in site_world.entities["Member"] if member.followed]
    expect(page.locator("[data-stream] [itemtype$=Person]")).to_have_count(len(followed))
    episode.close()


def test_without_scripts_the_longer_page_is_asked_for() -> None:
    walker = visitor("network", 0)
    posts = "//main//*[contains(@itemtype, 'SocialMediaPosting') and not(@itemprop)]"
    counts = []
    for path in ("/", "/?shown=2", "/?shown=9999", "/?shown=0", "/?shown=x"):
        walker.get(path)
        counts.append(len(walker.page.xpath(posts)))
    every = len(walker.world.entities["Post"])
    assert counts == [5, 10, every, 5, 5]
