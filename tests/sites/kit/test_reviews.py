"""What a review says agrees with the stars that it gives."""

import re
from collections import Counter

import pytest

from sites.kit.kinds import KIT
from sites.kit.labels import spun
from stressweb.core.yaml_models import load
from tests.sites.crawling import site

WORDS = load(KIT / "corpora" / "reviews.yaml")
PRAISE = re.compile(
    r"\b(lov(e|ed|ing)|happ(y|ier)|perfect|recommend(ed)?|delighted|excellent|superb|glad|favourite|pleased)\b",
    re.IGNORECASE,
)
BLAME = re.compile(
    r"\b(disappoint\w*|waste|avoid|poor|terrible|dreadful|sent it back|overpriced|fell apart|missing)\b", re.IGNORECASE
)


@pytest.mark.parametrize("seed", range(4))
def test_headline_and_text_are_of_the_level_of_the_stars(seed: int) -> None:
    entities = site("shop", seed).entities
    levels = [{one.text: one.stars for one in entities[name]} for name in ("Headline", "ReviewText")]
    reviews = entities["Review"]
    assert {one.rating for one in reviews} == {1, 2, 3, 4, 5}
    for one in reviews:
        assert (levels[0][one.title], levels[1][one.text]) == (one.rating, one.rating)
    # A product's reviews do not repeat each other.
    assert max(Counter((one.product, one.title) for one in reviews).values()) == 1
    assert max(Counter((one.product, one.text) for one in reviews).values()) == 1


@pytest.mark.parametrize("part", ["headlines", "texts"])
def test_few_stars_praise_nothing_and_many_blame_nothing(part: str) -> None:
    for one in WORDS[part]:
        wrong = PRAISE if one["stars"] <= 2 else BLAME if one["stars"] >= 4 else None
        for draw in (0, 0.3, 0.6, 0.99):
            text = spun(one["text"], draw)
            assert wrong is None or not wrong.search(text), (one["stars"], text)
