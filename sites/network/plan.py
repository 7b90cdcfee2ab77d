"""Generates a world's people: their connections, invitations, companies and profiles."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing, moment, slug
from stressweb.sites.kit.data.phrases import LazyWords, times
from stressweb.sites.kit.wording.capitals import capitalized
from stressweb.sites.kit.wording.dates import WEEKDAYS

ASKING, ASKED, UNKNOWN = 14, 5, 24
"""Numbers of people who sent an invitation, who got one, and who are unknown; all others are connected."""
FOLLOWED_STRANGERS, FOLLOWED_FRIENDS = (6, 8), (4, 6)
"""Minimum and maximum number of followed people who are not connected, and of those who are."""
_OLD_INVITATIONS = 5
OLD = 29
"""Minimum age in days of an old invitation; no invitation is within three days of it."""
_OLD, _RECENT = (OLD + 3, 80), (1, OLD - 3)

type Values = dict[str, Any]


@cache
def corpus(name: str) -> Any:
    """Return a corpus of the site."""
    return load(Path(__file__).parent / "corpora" / f"{name}.yaml")


def ago(drawing: Drawing, days: float, number: int = 0) -> str:
    """Return a moment `days` days before the start of the world's time, during the day.

    The seconds are `number`, so that the moments of a list differ.
    """
    day = datetime.combine(drawing.start.date(), datetime.min.time()) - timedelta(days=int(days))
    # The fraction of `days` sets the time: from 7:00 to 9:00 today, and from 7:00 to 22:00 on earlier days.
    hours = 2 if int(days) == 0 else 15
    return moment(day + timedelta(hours=7, minutes=int((1 - days % 1) * hours * 60), seconds=number % 60))


def trade_words(job: str) -> Values:
    """Return the words of a trade, or those for all other trades."""
    trades: Mapping[str, Values] = corpus("work")["trades"]
    return trades.get(job.casefold(), trades["other"])


def of_trade(drawing: Drawing, member: Entity, *key: Any) -> Values:
    """Return words for the texts of a person, from their trade and their company."""
    job = member.trade.replace("-", " ")
    words = trade_words(job)
    picked = {name: drawing.pick(words[name], *key, name) for name in ("job", "doing", "tool")}
    plain = {name: words[name] for name in ("clients", "shop", "trainee", "stock")}
    employer = next(person.employer for person in drawing.made["Person"] if slug(person.employer) == member.company)
    return {**picked, **plain, "a_trade": f"{'an' if job[0] in 'aeiou' else 'a'} {job}", "mine": employer}


def filled(drawing: Drawing, template: str, *key: Any, **known: Any) -> str:
    """Return a template filled with words of the world."""
    people, when = drawing.made["Person"], times(drawing, *key, first=8, hours=10)
    makers = {
        "town": lambda: drawing.pick(corpus("work")["towns"], *key, "town"),
        "interest": lambda: drawing.pick(corpus("work")["interests"], *key, "interest"),
        "first": lambda: drawing.pick(people[1:], *key, "first").first,
        "firm": lambda: drawing.pick(people, *key, "firm").employer,
        "n": lambda: 7 + int(drawing.unit(*key, "n") * 24),
        "few": lambda: drawing.pick(("two", "three", "four", "five", "six"), *key, "few"),
        "hour": when["time"],
        "day": lambda: drawing.pick(WEEKDAYS[:5], *key, "day"),
    }
    words = LazyWords(drawing, key, corpus("posts")["words"], **makers)
    words.update(known)
    return capitalized(template.format_map(words))


def me(drawing: Drawing) -> Entity:
    """Return the person whose network it is: the world's own person."""
    return drawing.made["Member"][0]


def connected(drawing: Drawing) -> list[Entity]:
    """Return the connected people."""
    return [member for member in drawing.made["Member"] if member.link == "linked"]


def members(drawing: Drawing) -> Iterator[Values]:
    """Yield all members, who have different names; the first is the person whose network it is."""
    # Make names unique, because goals, messages and searches identify people by name.
    people_by_key: dict[str, Entity] = {}
    for person in drawing.made["Person"]:
        people_by_key.setdefault(slug(person.name), person)
    (own_key, own_person), *others = people_by_key.items()
    yield _member(drawing, own_key, own_person, "me")
    counts = Counter({"asking": ASKING, "asked": ASKED, "unknown": UNKNOWN})
    links = [*counts.elements()]
    links += ["linked"] * (len(others) - len(links))
    rows = [
        _member(drawing, key, person, link)
        for (key, person), link in zip(others, drawing.shuffled(links, "links"), strict=True)
    ]
    for link, (low, high) in (("unknown", FOLLOWED_STRANGERS), ("linked", FOLLOWED_FRIENDS)):
        some = drawing.shuffled([row for row in rows if row["link"] == link], "followed", link)
        for row in some[: low + int(drawing.unit("followed", link) * (high - low + 1))]:
            row["followed"] = 1
    shared = drawing.shuffled(range(2, 68), "mutual")
    for row, mutual in zip((row for row in rows if row["link"] == "asking"), shared, strict=False):
        row["mutual"] = mutual
    yield from rows


def _employer(drawing: Drawing, owner: Entity) -> str:
    """Return a person's employer: a company that suits their trade, if the world has one."""
    names: list[str] = sorted({person.employer for person in drawing.made["Person"]})
    fitting = [name for name in names if any(word in name for word in trade_words(owner.job)["at"])]
    employer: str = drawing.pick(fitting, "employer", owner.id) if fitting else owner.employer
    return employer


def _member(drawing: Drawing, key: str, person: Entity, link: str) -> Values:
    draw_key = ("member", person.id)
    first, second = drawing.shuffled(corpus("work")["interests"], *draw_key)[:2]
    trade = capitalized(person.job)
    employer = _employer(drawing, person)
    kinds = (
        f"{trade} at {employer}",
        f"{trade} in {person.city}",
        f"{trade} in {person.city}",
        f"{trade} | {first}, {second}",
    )
    row = Entity({"trade": slug(person.job), "company": slug(employer)})
    lives = drawing.shuffled(corpus("work")["lives"], *draw_key, "lives")[:2]
    words = of_trade(drawing, row, *draw_key, "about")
    return {
        "id": key,
        "name": person.name,
        "headline": drawing.pick(kinds, *draw_key, "headline"),
        "trade": row.trade,
        "company": row.company,
        "city": person.city,
        "about": filled(drawing, " ".join(lives), *draw_key, "about", **words),
        # Most have few followers, and some have very many.
        "followers": int(20 * 60 ** drawing.unit(*draw_key, "followers")),
        "mutual": 1 + int(drawing.unit(*draw_key, "mutual") * 40) if link != "me" else 0,
        "link": link,
        "since": ago(drawing, 20 + drawing.unit(*draw_key, "since") * 1800)[:10] if link == "linked" else "",
        "followed": 0,
    }


def trades(drawing: Drawing) -> Iterator[Values]:
    """Yield the trades of people."""
    for name in sorted({person.job for person in drawing.made["Person"]}):
        yield {"id": slug(name), "name": capitalized(name)}


def companies(drawing: Drawing) -> Iterator[Values]:
    """Yield the companies where people work; some are followed."""
    names = sorted({person.employer for person in drawing.made["Person"]})
    followed = set(drawing.shuffled(names, "companies")[:4])
    for name in names:
        draw_key = ("company", name)
        town = drawing.pick(corpus("work")["towns"], *draw_key, "town")
        known = {"firm": name, "town": town}
        about = drawing.shuffled(corpus("work")["abouts"], *draw_key, "about")[:2]
        yield {
            "id": slug(name),
            "name": name,
            "town": town,
            "staff": 4 + int(2 * 200 ** drawing.unit(*draw_key, "staff")),
            "founded": drawing.start.year - 3 - int(drawing.unit(*draw_key, "founded") * 140),
            "about": filled(drawing, " ".join(about), *draw_key, **known),
            "followers": int(60 * 70 ** drawing.unit(*draw_key, "followers")),
            "followed": int(name in followed),
        }


def invitations(drawing: Drawing) -> Iterator[Values]:
    """Yield the received invitations: some are old, and about half have a note."""
    asking = drawing.shuffled([member for member in drawing.made["Member"] if member.link == "asking"], "asking")
    old = drawing.shuffled(range(*_OLD), "old")[:_OLD_INVITATIONS]
    days: Sequence[int] = [*old, *drawing.shuffled(range(*_RECENT), "recent")][: len(asking)]
    notes = drawing.shuffled(corpus("posts")["notes"], "notes")
    for number, (member, day) in enumerate(zip(asking, days, strict=True)):
        draw_key = ("invitation", number)
        # Of the old invitations, only the first two have a note.
        has_note = number < 2 if day >= _OLD[0] else drawing.unit(*draw_key, "note") < 0.6
        note = filled(drawing, notes[number % len(notes)], *draw_key) if has_note else ""
        columns = {"member": member.id, "mutual": member.mutual, "note": note}
        yield {"id": member.id, **columns, "at": ago(drawing, day + drawing.unit(*draw_key), number)}
