"""A site writes all days in one way, except "Today" and "Yesterday"."""

from datetime import date

import pytest

from stressweb.runner.verify.crawling import crawl
from stressweb.sites.kit.wording import dates
from tests.sites.date_forms import DAY_FIRST, FORMS, MONTH_FIRST
from tests.support.crawling import PERSONAS, SITES, site, visitor

DAY_FIRST_STYLE, MONTH_FIRST_STYLE = dates.STYLES


@pytest.mark.parametrize(
    ("style", "moment", "words"),
    [
        (DAY_FIRST_STYLE, "2026-03-02 08:15:00", "Today, 08:15"),
        (DAY_FIRST_STYLE, "2026-03-01 23:59:59", "Yesterday, 23:59"),
        (DAY_FIRST_STYLE, "2026-03-01", "Yesterday"),
        (DAY_FIRST_STYLE, "2026-02-28 08:15", "28 February 2026, 08:15"),
        (MONTH_FIRST_STYLE, "2025-03-02", "March 2, 2025"),
        (MONTH_FIRST_STYLE, "2026-03-03 10:00", "March 3, 2026, 10:00"),
    ],
)
def test_moments_in_words(style: str, moment: str, words: str) -> None:
    assert dates.past(style, moment, "2026-03-02") == words


def test_days_in_few_words() -> None:
    assert [dates.plain(style, date(2026, 3, 2)) for style in (DAY_FIRST_STYLE, MONTH_FIRST_STYLE)] == [
        "2 March 2026",
        "March 2, 2026",
    ]
    assert [dates.brief(style, date(2026, 3, 2)) for style in (DAY_FIRST_STYLE, MONTH_FIRST_STYLE)] == [
        "2 March",
        "March 2",
    ]


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.parametrize("name", SITES)
def test_a_site_writes_days_in_one_way(name: str, seed: int) -> None:
    own = DAY_FIRST if site(name, seed).look.dates == DAY_FIRST_STYLE else MONTH_FIRST
    others = {form: pattern for form, pattern in FORMS.items() if form != own}
    count = 0
    for walker in crawl(visitor(name, seed, PERSONAS.get(name, "")), limit=40):
        text = " ".join(walker.page.xpath("//body//text()[not(parent::script or parent::style or parent::textarea)]"))
        count += len(FORMS[own].findall(text))
        for form, pattern in others.items():
            assert pattern.findall(text) == [], (walker.url, form)
    assert count >= 40


def test_machines_read_a_moment_as_it_is_stored() -> None:
    walker = visitor("shop", 3)
    review = walker.world.entities["Review"][0]
    page = walker.fetch(f"/p/{review.product}").text
    assert f'itemprop="datePublished" content="{review.placed[:10]}">' in page
