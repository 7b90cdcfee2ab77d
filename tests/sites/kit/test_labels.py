"""Wordings: alternatives, words that labels share, and amounts."""

from stressweb.sites.kit.wording.labels import draw, spun


def test_every_alternative_comes_up() -> None:
    wordings = {spun("(Save|Keep) (|this )(page|list)", unit / 64) for unit in range(64)}
    assert wordings == {
        f"{verb} {this}{noun}" for verb in ("Save", "Keep") for this in ("", "this ") for noun in ("page", "list")
    }


def test_parentheses_without_alternatives_stay() -> None:
    assert spun("({row.ratings} ratings)", 0.5) == "({row.ratings} ratings)"


def test_labels_share_words_and_hold_amounts() -> None:
    labels: dict[str, tuple[str, ...] | str] = {
        "word_cart": ("cart", "basket"),
        "add": "Into the {word.cart}",
        "cheap": "Up to {money[2000]}",
    }
    drawn = draw(labels, lambda cents: f"{cents // 100} EUR", "seed", 1)
    assert drawn["add"] == f"Into the {drawn['word_cart']}"
    assert drawn["cheap"] == "Up to 20 EUR"
