"""The text of a review agrees with its stars."""

import re
from collections import Counter

import pytest

from stressweb.core.yaml_models import load
from stressweb.sites.kit import KIT
from stressweb.sites.kit.wording.labels import spun
from tests.support.crawling import site

MEALS = load(KIT / "corpora" / "restaurants.yaml")["reviews"]
LEVELS = {1: "terrible", 2: "poor", 3: "fair", 4: "good", 5: "excellent"}
SETTINGS = {"food": "door", "reservation": "table"}
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


def pattern(template: str) -> str:
    """Return a pattern of what a template can become: one of each alternative, and any words in a slot."""
    escaped = re.sub(
        r"\\\(([^()]*)\\\)", lambda match: f"(?:{match[1].replace(chr(92) + '|', '|')})", re.escape(template)
    )
    return re.sub(r"\\\{[a-z_0-9\\]+\\\}", ".+", escaped)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SETTINGS)
def test_a_meal_is_reviewed_in_the_words_of_its_stars(name: str, seed: int) -> None:
    reviews = site(name, seed).entities["Review"]
    assert {review.rating for review in reviews} >= {2, 3, 4, 5}
    for review in reviews:
        groups = [
            group for group in MEALS[LEVELS[review.rating]] if group.get("setting", SETTINGS[name]) == SETTINGS[name]
        ]
        assert any(
            any(re.fullmatch(pattern(template), review.title, re.IGNORECASE) for template in group["titles"])
            and any(re.fullmatch(pattern(template), review.text, re.IGNORECASE) for template in group["texts"])
            for group in groups
        ), (review.rating, review.title, review.text)
    assert max(Counter((review.restaurant, review.text) for review in reviews).values()) == 1
    assert max(Counter((review.restaurant, review.title) for review in reviews).values()) == 1


@pytest.mark.parametrize("level", LEVELS.values())
def test_few_stars_for_a_meal_praise_nothing_and_many_blame_nothing(level: str) -> None:
    wrong = {"terrible": PRAISE, "poor": PRAISE, "good": BLAME, "excellent": BLAME}.get(level)
    for group in MEALS[level]:
        for text in (*group["titles"], *group["texts"]):
            # What somebody used to love is blame.
            assert wrong is None or not wrong.search(text.replace("used to love", "")), text
