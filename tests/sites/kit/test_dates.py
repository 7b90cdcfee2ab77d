"""Days are written in one way on a site, and those of today and yesterday as people say them."""

import re
from datetime import date

import pytest

from runner.verify.crawling import crawl
from sites.kit import dates
from tests.sites.crawling import PERSONAS, SITES, site, visitor

DAY_FIRST, MONTH_FIRST = "{weekday}, {day} {month} {year}", "{weekday}, {month} {day}, {year}"
MONTHS = "|".join({*dates.MONTHS, *(month[:3] for month in dates.MONTHS)})
WAYS = {
    "as machines write it": re.compile(r"\b\d{4}-\d\d-\d\d\b"),
    "day first": re.compile(rf"\b\d{{1,2}}\.? (?:{MONTHS})\b,? \d{{4}}\b"),
    "month first": re.compile(rf"\b(?:{MONTHS})\.? \d{{1,2}},? \d{{4}}\b"),
    "with a short month": re.compile(
        rf"\b\d{{1,2}} (?:{'|'.join(month[:3] for month in dates.MONTHS if month != 'May')})\b"
    ),
}


@pytest.mark.parametrize(
    ("style", "moment", "words"),
    [
        (DAY_FIRST, "2026-03-02 08:15:00", "Today, 08:15"),
        (DAY_FIRST, "2026-03-01 23:59:59", "Yesterday, 23:59"),
        (DAY_FIRST, "2026-03-01", "Yesterday"),
        (DAY_FIRST, "2026-02-28 08:15", "28 February 2026, 08:15"),
        (MONTH_FIRST, "2025-03-02", "March 2, 2025"),
        (MONTH_FIRST, "2026-03-03 10:00", "March 3, 2026, 10:00"),
    ],
)
def test_moments_in_words(style: str, moment: str, words: str) -> None:
    assert dates.past(style, moment, "2026-03-02") == words


def test_days_in_few_words() -> None:
    assert [dates.plain(style, date(2026, 3, 2)) for style in (DAY_FIRST, MONTH_FIRST)] == [
        "2 March 2026",
        "March 2, 2026",
    ]
    assert [dates.brief(style, date(2026, 3, 2)) for style in (DAY_FIRST, MONTH_FIRST)] == ["2 March", "March 2"]


@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.parametrize("name", SITES)
def test_a_site_writes_days_in_one_way(name: str, seed: int) -> None:
    here = "day first" if site(name, seed).look.dates == DAY_FIRST else "month first"
    others = {way: pattern for way, pattern in WAYS.items() if way != here}
    count = 0
    for at in crawl(visitor(name, seed, PERSONAS.get(name, "")), limit=40):
        text = " ".join(at.page.xpath("//body//text()[not(parent::script or parent::style or parent::textarea)]"))
        count += len(WAYS[here].findall(text))
        for way, pattern in others.items():
            assert pattern.findall(text) == [], (at.url, way)
    assert count >= 40


def test_machines_read_a_moment_as_it_is_stored() -> None:
    walker = visitor("shop", 3)
    review = walker.world.entities["Review"][0]
    page = walker.fetch(f"/p/{review.product}").text
    assert f'itemprop="datePublished" content="{review.placed[:10]}">' in page
