"""Generates a world's people: their connections, invitations, companies and profiles."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, moment, slug
from stressweb.sites.kit.data.phrases import LazyWords, times
from stressweb.sites.kit.wording.capitals import capitalized
from stressweb.sites.kit.wording.dates import WEEKDAYS
from stressweb.sites.network.trades import Values, corpus, employers, trade_of, trade_words, with_article

ASKING, ASKED, UNKNOWN = 14, 5, 24
"""Numbers of people who sent an invitation, who got one, and who are unknown; all others are connected."""
FOLLOWED_STRANGERS, FOLLOWED_FRIENDS = (6, 8), (4, 6)
"""Minimum and maximum number of followed people who are not connected, and of those who are."""
_TOWNS = 6
_YEARS, _FIRM_AGES = (4, 32), (6, 140)
"""Minimum and maximum number of years that people are in their trade, and that companies exist."""
_OLD_INVITATIONS = 5
OLD = 29
"""Minimum age in days of an old invitation; no invitation is within three days of it."""
_OLD, _RECENT = (OLD + 3, 80), (1, OLD - 3)


def ago(drawing: Drawing, days: float, number: int = 0) -> str:
    """Return a moment `days` days before the start of the world's time, during the day.

    The seconds are `number`, so that the moments of a list differ.
    """
    day = datetime.combine(drawing.start.date(), datetime.min.time()) - timedelta(days=int(days))
    # The fraction of `days` sets the time: from 7:00 to 9:00 today, and from 7:00 to 22:00 on earlier days.
    hours = 2 if int(days) == 0 else 15
    return moment(day + timedelta(hours=7, minutes=int((1 - days % 1) * hours * 60), seconds=number % 60))


def filled(drawing: Drawing, template: str, *key: Any, **known: Any) -> str:
    """Return a template filled with words of the world."""
    when = times(drawing, *key, first=8, hours=10)
    makers: dict[str, Callable[[], Any]] = {
        "place": lambda: drawing.pick(drawing.made["Town"], *key, "place").name,
        "interest": lambda: drawing.pick(corpus("work")["interests"], *key, "interest"),
        "first": lambda: drawing.pick(drawing.made["Person"][1:], *key, "first").first,
        "firm": lambda: drawing.pick(drawing.made["Company"], *key, "firm").name,
        "n": lambda: 7 + int(drawing.unit(*key, "n") * 24),
        "few": lambda: drawing.pick(("two", "three", "four", "five", "six"), *key, "few"),
        "hour": when["time"],
        "day": lambda: drawing.pick(WEEKDAYS[:5], *key, "day"),
    }
    makers |= {
        name: partial(between, drawing, bounds, *key, name) for name, bounds in corpus("posts")["numbers"].items()
    }
    words = LazyWords(drawing, key, corpus("posts")["words"], **makers)
    words.update(known)
    return capitalized(template.format_map(words))


def between(drawing: Drawing, bounds: Sequence[int], *key: Any) -> int:
    """Return a number drawn from a range that includes both bounds."""
    low, high = bounds
    return low + int(drawing.unit(*key) * (high - low + 1))


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
    employer_of = employers(drawing)
    firms = {firm.name: firm for firm in _firms(drawing, employer_of.values())}
    yield _member(drawing, own_key, own_person, "me", firms[employer_of[own_person.id]])
    counts = Counter({"asking": ASKING, "asked": ASKED, "unknown": UNKNOWN})
    links = [*counts.elements()]
    links += ["linked"] * (len(others) - len(links))
    rows = [
        _member(drawing, key, person, link, firms[employer_of[person.id]])
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


def _member(drawing: Drawing, key: str, person: Entity, link: str, firm: "_Firm") -> Values:
    draw_key = ("member", person.id)
    first, second = drawing.shuffled(corpus("work")["interests"], *draw_key)[:2]
    trade = capitalized(person.job)
    kinds = (
        f"{trade} at {firm.name}",
        f"{trade} at {firm.name}",
        f"{trade} in {firm.town}",
        f"{trade} | {first}, {second}",
    )
    years = between(drawing, _YEARS, *draw_key, "years")
    joined = between(drawing, (2, min(years - 1, firm.age)), *draw_key, "joined")
    lives = drawing.shuffled(corpus("work")["lives"], *draw_key, "lives")[:2]
    words = {"doing": drawing.pick(trade_words(person.job)["doing"], *draw_key, "doing"), "mine": firm.name,
        "a_trade": with_article(person.job), "years": years, "joined": joined}  # fmt: skip
    return {
        "id": key,
        "name": person.name,
        "headline": drawing.pick(kinds, *draw_key, "headline"),
        "trade": slug(person.job),
        "company": slug(firm.name),
        "city": firm.town,
        "about": filled(drawing, " ".join(lives), *draw_key, "about", **words),
        # Most have few followers, and some have very many.
        "followers": int(20 * 60 ** drawing.unit(*draw_key, "followers")),
        "mutual": 1 + int(drawing.unit(*draw_key, "mutual") * 40) if link != "me" else 0,
        "link": link,
        "since": ago(drawing, 20 + drawing.unit(*draw_key, "since") * 1800)[:10] if link == "linked" else "",
        "followed": 0,
        "years": years,
        "joined": joined,
    }


class _Firm(NamedTuple):
    name: str
    town: str
    age: int


def _firms(drawing: Drawing, employer_names: Iterable[str]) -> list[_Firm]:
    """Return the companies that employ people, each in one of the towns."""
    names = sorted({*employer_names})
    towns: Sequence[Entity] = drawing.made["Town"]
    # Every town has about as many companies as any other.
    places = {name: towns[number % len(towns)].name for number, name in enumerate(drawing.shuffled(names, "places"))}
    return [_Firm(name, places[name], between(drawing, _FIRM_AGES, "company", name, "founded")) for name in names]


def towns(drawing: Drawing) -> Iterator[Values]:
    """Yield the towns where companies are."""
    for name in sorted(drawing.shuffled(corpus("work")["towns"], "towns")[:_TOWNS]):
        yield {"id": slug(name), "name": name}


def trades(drawing: Drawing) -> Iterator[Values]:
    """Yield the trades of people."""
    for name in sorted({person.job for person in drawing.made["Person"]}):
        yield {"id": slug(name), "name": capitalized(name)}


def companies(drawing: Drawing) -> Iterator[Values]:
    """Yield the companies where people work; some are followed."""
    firms = _firms(drawing, employers(drawing).values())
    followed = set(drawing.shuffled([firm.name for firm in firms], "companies")[:4])
    for firm in firms:
        draw_key = ("company", firm.name)
        words = trade_words(trade_of(firm.name) or "")
        about = f"{words['about']} {drawing.pick(corpus('work')['abouts'], *draw_key, 'about')}"
        yield {
            "id": slug(firm.name),
            "name": firm.name,
            "town": firm.town,
            "staff": 4 + int(2 * 200 ** drawing.unit(*draw_key, "staff")),
            "founded": drawing.start.year - firm.age,
            "about": filled(drawing, about, *draw_key, firm=firm.name, town=firm.town),
            "followers": int(60 * 70 ** drawing.unit(*draw_key, "followers")),
            "followed": int(firm.name in followed),
            "trade": slug(trade_of(firm.name) or ""),
        }


def invitations(drawing: Drawing) -> Iterator[Values]:
    """Yield the received invitations: some are old, and about half have a note."""
    asking = drawing.shuffled([member for member in drawing.made["Member"] if member.link == "asking"], "asking")
    old = drawing.shuffled(range(*_OLD), "old")[:_OLD_INVITATIONS]
    days: Sequence[int] = [*old, *drawing.shuffled(range(*_RECENT), "recent")][: len(asking)]
    notes = drawing.shuffled(corpus("posts")["notes"], "notes")
    firms = {firm.id: firm.name for firm in drawing.made["Company"]}
    for number, (member, day) in enumerate(zip(asking, days, strict=True)):
        draw_key = ("invitation", number)
        # Of the old invitations, only the first two have a note.
        has_note = number < 2 if day >= _OLD[0] else drawing.unit(*draw_key, "note") < 0.6
        colleague = drawing.pick(drawing.made["Member"][1:], *draw_key, "colleague")
        known = {"place": member.city, "first": colleague.name.split()[0], "firm": firms[colleague.company]}
        note = filled(drawing, notes[number % len(notes)], *draw_key, **known) if has_note else ""
        columns = {"member": member.id, "mutual": member.mutual, "note": note}
        yield {"id": member.id, **columns, "at": ago(drawing, day + drawing.unit(*draw_key), number)}
