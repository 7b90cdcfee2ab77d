"""An agent that has seen ten worlds of a site knows little of what the next ones say."""

from functools import cache

import pytest

from runner.verify.crawling import crawl
from tests.sites.crawling import PERSONAS, SITES, visitor

SEEN, UNSEEN = range(10), range(10, 16)
LONG = 12
"""Characters from which on a text counts: shorter ones are single words, prices and dates."""
MOST = 0.15


@cache
def texts(name: str, seed: int) -> frozenset[str]:
    """Return the long texts of a world, of the pages that links lead to."""
    walker = visitor(name, seed, PERSONAS.get(name, ""))
    said = (
        " ".join(text.split())
        for one in crawl(walker, limit=30, most=6)
        for text in one.page.xpath("//body//text()[not(parent::script or parent::style)]")
    )
    return frozenset(text for text in said if len(text) >= LONG)


def share(name: str) -> tuple[float, list[str]]:
    """Return the share of unseen worlds' texts that seen ones have, too, and these texts, the commonest first."""
    known = [text for seed in SEEN for text in texts(name, seed)]
    unseen = [text for seed in UNSEEN for text in texts(name, seed)]
    again = [text for text in unseen if text in set(known)]
    return len(again) / len(unseen), sorted(set(again), key=lambda text: (-again.count(text), text))


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", SITES)
def test_worlds_share_few_texts(name: str) -> None:
    familiar, again = share(name)
    assert familiar < MOST, (round(familiar, 3), again[:40])
