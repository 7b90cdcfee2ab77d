"""The restaurants of a world: their names, menus and reviews."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from stressweb.core import draws
from stressweb.core.errors import UserError
from stressweb.core.yaml_models import load
from stressweb.sites.kit.data.drawing import Drawing
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.wording.capitals import capitalized
from stressweb.sites.kit.wording.labels import spun
from stressweb.sites.kit.wording.slugs import slug

_CUISINES = 8
"""Number of cuisines in a world."""
_PLACES = (5, 7)
"""Minimum and maximum number of restaurants of a cuisine."""
_DEARER = {1: 0.85, 2: 1.0, 3: 1.35}
"""Factor for the price of a dish, by the restaurant's price level."""
_COURSES = {"starter": (2, 3), "main": (5, 7), "side": (1, 2), "dessert": (1, 2), "drink": (2, 3)}
"""Minimum and maximum number of dishes on a menu, by course."""
_LEVELS = {1: "terrible", 2: "poor", 3: "fair", 4: "good", 5: "excellent"}
"""The level of reviews in the corpus for each number of stars."""
_PARTS = ("titles", "texts")
"""Parts of a group of reviews."""
_ATTEMPTS = 60
_SLOT = re.compile(r"\{([a-z_]+?)(?:_(\d))?\}")

type Values = dict[str, Any]


def eateries(drawing: Drawing) -> Sequence[Values]:
    """Return all restaurants, grouped by cuisine."""
    return [{**restaurant} for restaurant in _restaurants_and_dishes(drawing.key[-1])[0]]


def fares(drawing: Drawing) -> Sequence[Values]:
    """Return all dishes, in the order of the restaurants and of their menus."""
    return [{**dish} for dish in _restaurants_and_dishes(drawing.key[-1])[1]]


def opinion(
    drawing: Drawing,
    dishes: Sequence[str],
    who: str,
    *key: Any,
    stars: int = 5,
    setting: str = "table",
    used: set[str] | None = None,
) -> tuple[str, str]:
    """Return headline and text of the review of a meal; `setting` is `table` (eaten there) or `door` (delivered).

    The text may mention the name `who`. `used` are the templates of the restaurant's other reviews, which are avoided
    if possible; the templates of this review are added to it.
    """
    # Reviewers shorten long names: "pad thai" for "pad thai with prawns and baby corn".
    short_names = [*dict.fromkeys(re.split(r",| (?:with|and|of|on) ", dish)[0] for dish in dishes)]
    # A text may name two dishes even if there is only one.
    words = {"dish": short_names if len(short_names) > 1 else short_names * 2, "who": [who]}
    keyed = (*drawing.key, *key)
    groups = [group for group in _corpus()["reviews"][_LEVELS[stars]] if group.get("setting", setting) == setting]
    used = set() if used is None else used
    fresh = [{part: [text for text in group[part] if text not in used] for part in _PARTS} for group in groups]
    group = draws.pick([group for group in fresh if all(group.values())] or groups, *keyed, "group")
    templates = [draws.pick(group[part], *keyed, part) for part in _PARTS]
    used |= {*templates}
    # Use one `Words` for both, so that headline and text are about the same dish.
    filled = Words(words, *keyed)
    title, text = (capitalized(filled.fill(template)) for template in templates)
    return title, text


def toppings(cuisine: str) -> Sequence[str]:
    """Return the toppings that restaurants of a cuisine offer."""
    words = next(cuisine_data["words"] for cuisine_data in _corpus()["cuisines"] if cuisine_data["id"] == cuisine)
    return [*words["garnish"], *words["veg"]]


class Words:
    """Fills templates with words; within one object, the same slot always has the same word."""

    def __init__(self, words: Mapping[str, Sequence[str]], *key: draws.Part) -> None:
        """Take the lists of words by slot, and the first parts of the key of every draw."""
        self._words, self._keyed = words, draws.Keyed(*key)
        self._orders: dict[str, Sequence[str]] = {}

    def some(self, templates: Sequence[str]) -> str:
        """Return one of the templates, filled, with a capital first letter."""
        return capitalized(self.fill(self._keyed.pick(templates, "template")))

    def fill(self, template: str) -> str:
        """Return a template with its alternatives chosen and its slots filled."""
        plain = spun(template, self._keyed.unit("alternatives", template))
        # Twice, because a word may contain a slot: `Old {street}`.
        return _SLOT.sub(self._word, _SLOT.sub(self._word, plain))

    def _word(self, slot: re.Match[str]) -> str:
        name = slot[1]
        # Shuffle each list once, so that `{veg}` and `{veg_2}` differ.
        if name not in self._orders:
            self._orders[name] = self._keyed.shuffled(self._words[name], name)
        return self._orders[name][int(slot[2] or 1) - 1]


@cache
def _corpus() -> Any:
    return load(KIT / "corpora" / "restaurants.yaml")


@lru_cache(maxsize=16)
def _restaurants_and_dishes(seed: draws.Part) -> tuple[tuple[Values, ...], tuple[Values, ...]]:
    """Return restaurants and dishes of a world seed; the site is not in the key, so they are the same everywhere."""
    places: list[Values] = []
    dishes: list[Values] = []
    for cuisine in _some(_corpus()["cuisines"], _CUISINES, seed, "cuisines"):
        low, high = _PLACES
        for number in range(low + int(draws.unit("restaurants", seed, cuisine["id"], "count") * (high - low + 1))):
            key = ("restaurants", seed, cuisine["id"], number)
            place = _place(cuisine, {known_place["name"] for known_place in places}, *key)
            menu = list(_menu(cuisine, place, *key))
            mains = [dish["said"] for dish in menu if dish["course"] == "main"]
            _, _, road = str(place["address"]).partition(" ")
            words = {**_corpus()["words"], "area": [place["area"]], "road": [road], "signature": mains[:1]}
            blurb = Words(words, *key, "blurb").some(_corpus()["blurbs"])
            places.append({**place, "blurb": blurb, "signature": mains[0]})
            dishes += menu
    return tuple(places), tuple(dishes)


def _some[T](choices: Sequence[T], count: int, *key: draws.Part) -> list[T]:
    """Return `count` drawn choices, in their original order."""
    order = draws.Keyed("restaurants", *key).order(len(choices))
    return [choices[index] for index in sorted(order[:count])]


def _words(cuisine: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    return {**_corpus()["words"], **cuisine["words"]}


def _place(cuisine: Mapping[str, Any], used_names: set[str], *key: draws.Part) -> Values:
    for attempt in range(_ATTEMPTS):
        words = Words(_words(cuisine), *key, attempt)
        name = words.some(cuisine["names"])
        if name not in used_names:
            where = words.fill(draws.pick(_corpus()["areas"], *key, "area"))
            street = words.fill(draws.pick(_corpus()["addresses"], *key, "address"))
            house = 1 + int(draws.unit(*key, "house") * 160)
            level = draws.pick((1, 1, 2, 2, 2, 3), *key, "level")
            facts = {"cuisine": cuisine["id"], "cuisine_name": cuisine["name"], "area": where, "level": level}
            return {"id": slug(name), "name": name, "address": f"{house} {street}", **facts}
    raise UserError(f"restaurants: no name left for {cuisine['id']} in {_ATTEMPTS} draws")


def _menu(cuisine: Mapping[str, Any], place: Values, *key: draws.Part) -> Iterator[Values]:
    """Yield the dishes of a restaurant, course by course."""
    used_names: set[str] = set()
    for course, (low, high) in _COURSES.items():
        known = [dish_data for dish_data in (*cuisine["dishes"], *_corpus()["dishes"]) if dish_data["course"] == course]
        count = low + int(draws.unit(*key, course, "count") * (high - low + 1))
        for number, dish in enumerate(_some(known, count, *key, course)):
            words = Words(_words(cuisine), *key, course, number)
            name_in_text = words.fill(dish["name"][:1].lower() + dish["name"][1:])
            if slug(name_in_text) not in used_names:
                used_names.add(slug(name_in_text))
                low_price, high_price = dish["price"]
                unit = draws.unit(*key, course, number, "price")
                # Round to ten hundredths, as on menus.
                price = round((low_price + unit * (high_price - low_price)) * _DEARER[place["level"]] / 10) * 10
                ending = draws.pick(_corpus()["endings"][course], *key, course, number, "ending")
                text = f"{capitalized(words.fill(dish['text']))} {capitalized(words.fill(ending))}"
                facts = {"course": course, "kind": dish.get("kind", ""), "diet": "".join(dish.get("diets", [])[:1])}
                name = {"eatery": place["id"], "name": capitalized(name_in_text), "said": name_in_text, "text": text}
                yield {"id": f"{place['id']}/{slug(name_in_text)}", **name, **facts, "price": price}
