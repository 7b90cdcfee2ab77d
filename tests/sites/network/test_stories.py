"""Posts agree with their authors: trade, employer, town, and how long they have worked there."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from stressweb.core.entity import Entity
from stressweb.core.yaml_models import load
from stressweb.sites.kit.folder import KIT
from stressweb.sites.network.trades import corpus, trade_of, trade_words
from tests.support.crawling import site

WORLDS = range(25)
TOWNS = {*corpus("work")["towns"], *load(KIT / "corpora" / "people.yaml")["towns"]}
SHOPS = {words["shop"] for words in corpus("trades").values()}
HIRING = re.compile(r"is looking for an? (.+?) in |starts as an? (.+?) at |has found its new (.+?)\.")
SERVED = re.compile(r"It has been (\d+) years since|After (\d+) years I am leaving|Thank you for (\d+) good years")
JUBILEE = re.compile(r"^(.+) celebrates (\d+) years|Congratulate (.+) on (\d+) years")

pytestmark = pytest.mark.parametrize("seed", WORLDS)


class Written(NamedTuple):
    post: Entity
    text: str
    author: Entity
    firm: Entity


def written(seed: int) -> Iterator[Written]:
    """Yield the posts of a world that share nothing, the newest first."""
    rows = site("network", seed).entities
    members, firms = ({row.id: row for row in rows[entity]} for entity in ("Member", "Company"))
    for post in reversed(rows["Post"]):
        if not post.of:
            author = members[post.author]
            yield Written(post, f"{post.hook} {post.text}", author, firms[author.company])


def test_a_post_names_no_town_but_that_of_its_author(seed: int) -> None:
    firms = [firm.name for firm in site("network", seed).entities["Company"]]
    named = 0
    for _, text, author, firm in written(seed):
        # Some companies are called after a town.
        unnamed = re.sub("|".join(map(re.escape, firms)), "", text)
        towns = {town for town in TOWNS if re.search(rf"\b{town}\b", unnamed)}
        assert towns <= {author.city}, (text, author.headline)
        assert author.city == firm.town
        named += len(towns)
    assert named


def test_a_post_is_about_the_place_where_its_author_works(seed: int) -> None:
    places = 0
    for _, text, author, firm in written(seed):
        named = {place for place in re.findall(r"\bour (\w+)", text) if place in SHOPS}
        assert named <= {trade_words(author.trade)["shop"]}, (text, author.headline)
        places += len(named)
        assert trade_words(author.trade) is trade_words(trade_of(firm.name) or "")
    assert places


def test_accidents_are_counted_where_people_get_hurt(seed: int) -> None:
    trades = {
        author.trade for _, text, author, _ in written(seed) if re.search(r"accident|near miss|safety brief", text)
    }
    assert all("hazard" in trade_words(trade)["has"] for trade in trades), trades


def test_who_hires_names_the_employer_and_a_role_that_it_has(seed: int) -> None:
    for _, text, author, firm in written(seed):
        if match := HIRING.search(text):
            (role,) = filter(None, match.groups())
            assert role in {known["role"] for known in trade_words(author.trade)["roles"]}, (text, author.headline)
            assert firm.name in text


def test_numbers_are_the_same_wherever_they_stand(seed: int) -> None:
    world, years_by_person = site("network", seed), defaultdict[str, set[int]](set)
    for member in world.entities["Member"]:
        years_by_person[member.name] |= {int(years) for years in re.findall(r"(\d+) of them at", member.about)}
    for notice in world.entities["Notice"]:
        if match := JUBILEE.search(notice.text):
            years_by_person[next(filter(None, match.groups()[::2]))].add(int(next(filter(None, match.groups()[1::2]))))
    for _, text, author, firm in written(seed):
        if match := SERVED.search(text):
            years_by_person[author.name].add(int(next(filter(None, match.groups()))))
        if match := re.search(rf"{re.escape(firm.name)} turned (\d+)", text):
            assert int(match[1]) == world.start.year - firm.founded, text
    assert len(years_by_person) > 9
    assert not {name: years for name, years in years_by_person.items() if len(years) > 1}


def test_who_leaves_writes_nothing_afterwards(seed: int) -> None:
    own = site("network", seed).entities["Profile"][0].id
    writing_later = {own}
    for _, text, author, _ in written(seed):
        if re.search(r"I am leaving|my last day at", text):
            assert author.id not in writing_later, text
        writing_later.add(author.id)


def test_each_author_has_a_voice_of_their_own(seed: int) -> None:
    texts_by_author = defaultdict[str, list[str]](list)
    for _, text, author, _ in written(seed):
        texts_by_author[author.id].append(text)
    often = [texts for texts in texts_by_author.values() if len(texts) > 2]
    assert len(often) > 9
    habits = {
        "smile": [any(text.endswith(" :)") for text in texts) for texts in often],
        "question": [sum(text.endswith("?") for text in texts) > len(texts) / 2 for texts in often],
        "greeting": [
            all(re.match(r"Hello everybody!|Hello from \w+!|Hi all!", text) for text in texts) for texts in often
        ],
        "farewell": [len({re.split(r"(?<=[.!?]) ", text)[-1] for text in texts}) == 1 for texts in often],
    }
    assert sum(any(authors) and not all(authors) for authors in habits.values()) > 2, habits
    assert all(authors.count(True) < 12 for authors in habits.values())


def test_a_tag_is_a_single_word(seed: int) -> None:
    topics = site("network", seed).entities["Topic"]
    assert all(re.fullmatch(r"[A-Z]\w+", topic.name) for topic in topics)
    # A word for some trades alone would stand under posts of others.
    assert not {"Logistics", "Training"} & {topic.name for topic in topics}
