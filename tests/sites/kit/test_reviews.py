"""The text of a review agrees with its stars."""

import re
from collections import Counter

import pytest

from sites.kit import KIT
from sites.kit.wording.labels import spun
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
    headlines, texts = ({row.text: row.stars for row in entities[name]} for name in ("Headline", "ReviewText"))
    reviews = entities["Review"]
    assert {review.rating for review in reviews} == {1, 2, 3, 4, 5}
    for review in reviews:
        assert (headlines[review.title], texts[review.text]) == (review.rating, review.rating)
    # A product's reviews do not repeat each other.
    assert max(Counter((review.product, review.title) for review in reviews).values()) == 1
    assert max(Counter((review.product, review.text) for review in reviews).values()) == 1


@pytest.mark.parametrize("part", ["headlines", "texts"])
def test_few_stars_praise_nothing_and_many_blame_nothing(part: str) -> None:
    for row in WORDS[part]:
        wrong = PRAISE if row["stars"] <= 2 else BLAME if row["stars"] >= 4 else None
        for draw in (0, 0.3, 0.6, 0.99):
            text = spun(row["text"], draw)
            assert wrong is None or not wrong.search(text), (row["stars"], text)
