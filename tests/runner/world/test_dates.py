"""The time in headers, pages and browser is the world's, independent of the machine's clock."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection

import pytest
from playwright.sync_api import Browser, Page, Response

from scripts.waited import admitted, opened
from stressweb.core.conditions import CLEAN, parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.perturbations.addons.site_route import DATABASE_HEADER, KEY_HEADER
from stressweb.plugins.site_world import SiteWorld, now_of
from stressweb.runner.world.world import EpisodeWorld, World
from stressweb.sites import kit
from tests.support.toy import Toy

SHOP = kit.load("shop", 0)
SHOP_URL = f"http://{SHOP.host}"
WRITES = 3


@pytest.fixture
def visited(
    browser: Browser, world: World, request: pytest.FixtureRequest
) -> Iterator[tuple[EpisodeWorld, Page, list[Response]]]:
    """An episode of a site under a condition, its page in an agent's browser, and all responses."""
    site, label = request.param
    condition = CLEAN if label == "clean" else parse(label, MODES)[0]
    episode = world.open(site, condition, Seeds(0, 0, f"{site.site}/x"))
    with opened(browser, episode.port, now_of(site)) as context:
        page, answers = context.new_page(), list[Response]()
        # A Python function, because Playwright sets an attribute on its handlers, which a list's method does not allow.
        page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108
        with admitted(context.new_cdp_session(page), episode.start_url, episode.credential):
            page.goto(episode.start_url, wait_until="load")
        yield episode, page, answers
    episode.close()


def dates(answers: list[Response], kind: str) -> list[datetime]:
    """Return the dates in the headers of the responses of a kind."""
    return [
        parsedate_to_datetime(answer.all_headers()["date"])
        for answer in answers
        if answer.request.resource_type == kind
    ]


def now(page: Page) -> datetime:
    """Return the time in a script of the page."""
    return datetime.fromtimestamp(page.evaluate("Date.now()") / 1000, UTC)


@pytest.mark.parametrize("visited", [(SHOP, "clean"), (SHOP, "sham")], indirect=True, ids=("clean", "sham"))
def test_the_header_follows_the_writes_and_the_clock_of_the_page_stays_within_them(
    visited: tuple[EpisodeWorld, Page, list[Response]],
) -> None:
    _, page, answers = visited
    start = SHOP.start.replace(tzinfo=UTC)
    assert dates(answers, "document") == [start]
    # Pictures and sheets are the same for all episodes of the world, so they have its start time.
    assert {*dates(answers, "stylesheet"), *dates(answers, "image")} == {start}
    product = next(product for product in SHOP.entities["Product"] if product.in_stock)
    for _ in range(WRITES):
        page.goto(f"{SHOP_URL}/p/{product.id}", wait_until="load")
        button = page.locator("main").get_by_role("button", name=SHOP.labels["add_to_cart"], exact=True).first
        with page.expect_navigation(wait_until="load"):
            button.click(timeout=10_000)
    written = dates([answer for answer in answers if answer.status == 200], "document")
    assert written == sorted(written)
    assert written[-1] == start + timedelta(seconds=WRITES)
    assert written[-1] - now(page) == timedelta(seconds=WRITES)
    for answer in answers:
        assert {"server", "via", "x-powered-by", "age"}.isdisjoint(answer.all_headers()), answer.url


class Dated(Toy):
    """A site that sets the date header itself."""

    def __init__(self) -> None:
        super().__init__()
        self.headers.append(("date", "Fri, 02 Jan 2026 09:00:00 GMT"))


@pytest.mark.parametrize(
    ("visited", "day"), [((Toy(), "clean"), 1), ((Dated(), "clean"), 2)], indirect=["visited"], ids=("left out", "said")
)
def test_a_site_without_a_date_header_gets_that_of_its_start(
    visited: tuple[EpisodeWorld, Page, list[Response]], day: int
) -> None:
    _, page, answers = visited
    assert dates(answers, "document") == [datetime(2026, 1, day, 9, tzinfo=UTC)]
    assert now(page) == datetime(2026, 1, 1, 9, tzinfo=UTC)


def test_a_failing_site_sends_the_date_of_its_world(world: World) -> None:
    class Broken(Toy):
        def app(self, environ: object, start_response: object) -> list[bytes]:
            raise RuntimeError("broken")

    site: SiteWorld = Broken()
    server = world.site_server
    name = server.open(site)
    connection = HTTPConnection(*server.address, timeout=10)
    try:
        connection.request("GET", "/", headers={"Host": site.host, KEY_HEADER: server.key, DATABASE_HEADER: name})
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("Date")) == (500, "Thu, 01 Jan 2026 09:00:00 GMT")
        assert server.database(name).faults
    finally:
        connection.close()
        server.close_database(name)
