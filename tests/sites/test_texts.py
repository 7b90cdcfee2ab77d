"""Texts of pages read like a product's: correct words, and one form of dates."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from stressweb.runner.verify.crawling import crawl
from stressweb.walking.walker import Walker
from tests.sites.date_forms import DAY_FIRST, FORMS, MONTH_FIRST
from tests.support.crawling import PERSONAS, SITES, site, visitor

WORLDS = range(25)
FORGED = re.compile(r"\{[a-z]|\}|\b[a-z]+ None\b(?! of)|\bundefined\b|\bNaN\b|\(\w+\|")
FAULTS: dict[str, re.Pattern[str]] = {
    "wrong plural": re.compile(
        r"\b\w+[^aeiou\W\d_]ys\b|\b\w+(?:ss|x|ch|sh)s\b|\b(?:childs|persons|womans|mans|peoples|childrens|informations)\b",
        re.IGNORECASE,
    ),
    "plural after one": re.compile(r"(?<![\d.,:/-])\b1 (?!less\b)[a-z]{2,}(?<!s)(?<!u)(?<!i)s\b"),
    "doubled word": re.compile(r"\b([a-z]{2,}) \1\b", re.IGNORECASE),
    "empty quotation marks": re.compile(r'""|“”|‘’|(?<!\w)\'\'(?!\w)'),
    "template": FORGED,
    "wrong article": re.compile(
        r"\b[Aa] (?!(?:uni|use|usu|one\b|once\b|eu|ur[aeiou]|ut[ei]))[aeio]\w+|(?<!['’])(?:\ban|(?:^|[.!?] )An) (?!(?:hour|honest|honou?r|heir))[bcdfghjklmnpqrstvwxyz][a-z]+"
    ),
    "blank before a mark": re.compile(r"\w [,;!?](?:\s|$)|[a-z] \.(?:\s|$)"),
    "town of a generator": re.compile(
        r"\b(?:New|Port|Lake|North|South|East|West) [A-Z][a-z]+"
        r"(?:berg|borough|burgh|bury|chester|fort|furt|haven|land|mouth|port|shire|side|stad|ton|town|view|ville)\b"
    ),
    "name that counts": re.compile(r"\b(?:the others|again|more) \d+$"),
}
"""Patterns of mistakes in texts, by the kind of mistake."""


def texts(walker: Walker) -> Iterator[str]:
    """Yield each visible or accessible text of a page, with its white space collapsed."""
    for text in walker.page.xpath(
        "//body//text()[not(ancestor::script or ancestor::style or ancestor::template)]"
        " | //body//@aria-label | //body//@placeholder | //body//@alt"
    ):
        if cleaned := " ".join(text.split()):
            yield cleaned


@cache
def read(name: str, seed: int) -> dict[str, str]:
    """Return the texts of a world, each with the address of the first page that has it."""
    walker = visitor(name, seed, PERSONAS.get(name, ""))
    places: dict[str, str] = {}
    for page in crawl(walker, limit=30, most=4):
        for text in texts(page):
            places.setdefault(text, page.url)
    return places


def faults(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each mistake with its text."""
    for text in lines:
        for fault, pattern in FAULTS.items():
            if pattern.search(text):
                yield fault, text


def date_forms(lines: Iterable[str]) -> dict[str, str]:
    """Return the forms of dates in texts, each with an example."""
    forms: dict[str, str] = {}
    for text in lines:
        for form, pattern in FORMS.items():
            if pattern.search(text):
                forms.setdefault(form, text)
    return forms


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", WORLDS)
@pytest.mark.parametrize("name", SITES)
def test_no_text_gives_the_generator_away(name: str, seed: int) -> None:
    places = read(name, seed)
    assert len(places) > 50
    wrong = [f"{fault}: {text!r} on {places[text]}" for fault, text in faults(places)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", WORLDS)
@pytest.mark.parametrize("name", SITES)
def test_a_site_writes_dates_in_one_way(name: str, seed: int) -> None:
    places = read(name, seed)
    forms = date_forms(places)
    assert len(forms) <= 1, {form: (text, places[text]) for form, text in forms.items()}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SITES)
def test_wordings_stay_whole_with_every_alternative(name: str) -> None:
    """Labels that no crawl reaches: messages, errors, confirmations."""
    wrong = defaultdict[str, set[int]](set)
    for seed in WORLDS:
        # Names of rows are filled in later; FORGED would find their places.
        lines = (re.sub(r"\{[^}]*\}", "X", text) for text in site(name, seed).labels.values())
        for fault, text in faults(lines):
            wrong[f"{fault}: {text!r}"].add(seed)
    assert not wrong, "\n".join(f"{fault} in worlds {sorted(seeds)}" for fault, seeds in wrong.items())


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("All entrys", "wrong plural"),
        ("8 categorys", "wrong plural"),
        ("1 results found", "plural after one"),
        ("See the the list", "doubled word"),
        ('You searched for ""', "empty quotation marks"),
        ("Delete {row.name}", "template"),
        ("Written by None", "template"),
        ("Add a item", "wrong article"),
        ("Back to an list", "wrong article"),
        ("Saved , thank you", "blank before a mark"),
        ("Port Kellyfurt", "town of a generator"),
        ("Regular physiotherapy with the others 1", "name that counts"),
    ],
)
def test_each_fault_is_found(text: str, fault: str) -> None:
    assert fault in dict(faults([text]))


@pytest.mark.parametrize(
    "text",
    [
        "Days, boys and keys", "All addresses, boxes and matches", "1 hour ago", "One address", "1 status", "That is an hour",
        "A user of a unit", "Loading ...", "$1.50 less", "2 items", "It says 'hello'", "An honest list", "A European site",
        "101 results", "2.1 points", "Show 1 less",
    ],
)  # fmt: skip
def test_right_words_are_left_alone(text: str) -> None:
    assert [*faults([text])] == []


def test_two_ways_to_write_a_date_are_found() -> None:
    assert set(date_forms(["on Monday, 3 July 2026", "As of 2026-07-03"])) == {DAY_FIRST, "as machines write it"}
    assert [*date_forms(["July 3, 2026", "Sold in 2024"])] == [MONTH_FIRST]
