"""A list that grows keeps what is there, and what comes into it works like what was there."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from perturbations import MODES
from runner.world.world import EpisodeWorld, World
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from tests.sites.crawling import site, visitor

type Visit = Callable[[EpisodeWorld], Page]


def test_more_is_added_and_what_was_shown_stays(world: World, visit: Visit) -> None:
    (clean,) = parse("clean", MODES)
    made = site("network", 0)
    labels = made.labels
    episode = world.open(made, clean, Seeds(0, 0, "network/x"), b"k" * 16)
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
    hooks = [one.hook for one in made.entities["Story"][:10]]
    assert [posts.nth(at).locator("[itemprop=name]").first.inner_text() for at in range(10)] == hooks
    # What came is armed as what was there, once.
    with page.expect_response("**/like"):
        posts.nth(8).get_by_role("button", name=labels["like"], exact=True).click()
    with page.expect_response("**/like"):
        posts.nth(1).get_by_role("button", name=labels["unlike"], exact=True).click()
    assert [after["id"] for _, after in episode.final()["post"].altered] == [made.entities["Story"][8].id]
    page.route("**/?shown=3", lambda route: route.abort())
    more.click()
    expect(page.get_by_text(labels["not_shown"])).to_be_visible()
    expect(posts).to_have_count(10)
    page.unroute("**/?shown=3")
    more.click()
    expect(posts).to_have_count(15)
    assert page.url == f"http://{made.host}/"
    assert not episode.faults()
    episode.close()


def test_the_last_rows_take_the_button_away(world: World, visit: Visit) -> None:
    (clean,) = parse("clean", MODES)
    made = site("network", 0)
    episode = world.open(made, clean, Seeds(0, 0, "network/x"), b"k" * 16)
    page = visit(episode)
    page.goto(f"http://{made.host}/following")
    more = page.get_by_role("button", name=made.labels["show_more"], exact=True)
    more.click()
    expect(more).to_have_count(0)
    followed = [one for one in made.entities["Member"] if one.followed]
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
