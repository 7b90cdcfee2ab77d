"""The baseline of the benchmark: a bare script that repeats the agent's actions on a fresh site."""

import lxml.html
import pytest
from playwright.sync_api import Browser

from scripts import waited
from scripts.bench import baseline
from scripts.bench.baseline import BaselineSite, Script
from stressweb.plugins.actions import Action


def test_a_bare_script_waits_for_the_pages_that_its_actions_load(browser: Browser, baseline_shop: BaselineSite) -> None:
    start = lxml.html.document_fromstring(baseline_shop.get("/"))
    links = [href for link in start.iter("a") if (href := link.get("href") or "").startswith("/c")]
    search = next(box for box in start.iter("input") if box.get("name") == "q" or box.get("type") == "search")
    field = f"input[name='{search.get('name')}']"
    actions = [
        Action(kind="FILL", selector=field, text="lamp"),
        Action(kind="CLICK", selector=f"a[href='{links[0]}']"),
        Action(kind="DONE"),
    ]
    script = Script(browser, baseline_shop, actions)
    assert script.page_loads == [False, True]
    assert script.run() == links[0].partition("?")[0]


def test_every_bare_episode_starts_with_a_fresh_site(baseline_shop: BaselineSite) -> None:
    before = baseline_shop.database
    baseline_shop.get("/")
    baseline_shop.reset()
    assert baseline_shop.database is not before
    assert baseline_shop.started() > 0
    assert baseline_shop.busy() == 0


def test_a_bare_script_takes_a_picture_of_each_page_that_it_reads(
    browser: Browser, baseline_shop: BaselineSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures: list[bytes] = []

    def take(*arguments: object) -> bytes:
        pictures.append(waited.take(*arguments))
        return pictures[-1]

    monkeypatch.setattr(baseline, "take", take)
    actions = [Action(kind="CLICK", selector="a[href='/cart']"), Action(kind="DONE")]
    plain, pictured = (Script(browser, baseline_shop, actions, pictures=wanted) for wanted in (False, True))
    # The constructor did each action once, to learn what it loads.
    pictures.clear()
    assert (plain.run(), pictures) == ("/cart", [])
    assert pictured.run() == "/cart"
    assert [picture[:3] for picture in pictures] == [b"\xff\xd8\xff"] * 2
    assert pictures[0] != pictures[1]
