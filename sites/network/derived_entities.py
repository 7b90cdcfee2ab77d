"""What goals name and no table holds: people, posts, jobs and notifications as they stand to each other, and days."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from sites.kit import Drawing, slug
from sites.kit.wording import dates
from sites.network.plan import OLD, Values, connected, corpus, me
from sites.network.vacancies import moves_up
from stressweb.core.entity import Entity

_FIRST, _LAST = -70, 70
"""The days, counted from the start of the world's time, that goals can name."""


def _age(drawing: Drawing, at: str) -> int:
    return (drawing.start.date() - date.fromisoformat(at[:10])).days


def notes(drawing: Drawing) -> Iterator[Values]:
    """Yield every notification with its age, and its number among the unread ones of its kind, from the oldest on."""
    rows = drawing.made["Notice"]
    unread, paths = Counter(one.kind for one in rows if one.unread), Counter(
        (one.kind, one.path) for one in rows if one.unread
    )  # fmt: skip
    nth = Counter[str]()
    for one in rows:
        nth[one.kind] += one.unread
        place = {"nth": nth[one.kind] if one.unread else 0, "of_kind": unread[one.kind]}
        # Two may lead to the same page: then it does not tell which of them was meant.
        sole = int(paths[one.kind, one.path] == 1)
        yield {**one, **place, "age": _age(drawing, one.at), "sole": sole}


def guests(drawing: Drawing) -> Iterator[Values]:
    """Yield every invitation with who sent it and when.

    `rank` counts by mutual connections, from the most on, those that are old and have no note left out.
    """
    names = {one.id: one.name for one in drawing.made["Member"]}
    stale = {one.id for one in drawing.made["Invitation"] if _age(drawing, one.at) > OLD and not one.note}
    rows = drawing.made["Invitation"]
    order = sorted((one.mutual for one in rows if one.id not in stale), reverse=True)
    for one in rows:
        rank = 0 if one.id in stale else 1 + order.index(one.mutual)
        told = {"name": names[one.member], "mutual": one.mutual, "rank": rank, "stale": int(one.id in stale)}
        yield {"id": one.id, **told, "age": _age(drawing, one.at)}


def friends(drawing: Drawing) -> Iterator[Values]:
    """Yield every connection, and how many connections have the same trade."""
    rows = connected(drawing)
    trades, names = Counter(one.trade for one in rows), {one.id: one.name for one in drawing.made["Trade"]}
    # Nobody is called like somebody else, but one name may be a part of another.
    for one in rows:
        told = {"trade_name": names[one.trade], "of_trade": trades[one.trade], "followed": one.followed}
        yield {"id": one.id, "name": one.name, "trade": one.trade, "first": one.name.split()[0], **told}


def stories(drawing: Drawing) -> Iterator[Values]:
    """Yield every post as the feed has it, the newest first: its number there, by topic, by author, and by likes."""
    rows, names = drawing.made["Post"][::-1], {one.id: one.name for one in drawing.made["Member"]}
    topics = {one.id: one.name for one in drawing.made["Topic"]}
    told = Counter(one.post for one in drawing.made["Comment"])
    nth = Counter[str]()
    many = Counter(one.author for one in rows)
    for number, one in enumerate(rows, 1):
        nth[one.author] += 1
        nth[one.topic] += 1
        likes = sorted((other.likes + other.liked for other in rows if other.author == one.author), reverse=True)
        shown = one.likes + one.liked
        yield {
            **{name: one[name] for name in ("id", "hook", "author", "topic", "of", "liked")},
            "name": names[one.author],
            "topic_name": topics[one.topic],
            "nth": number,
            "nth_of_topic": nth[one.topic],
            "nth_of_author": nth[one.author],
            "of_author": many[one.author],
            "by": "me" if one.author == me(drawing).id else "other",
            # Of two with as many likes, neither has the most.
            "most_liked": int(shown == likes[0] and likes.count(shown) == 1),
            "comments": told[one.id],
        }


def openings(drawing: Drawing) -> Iterator[Values]:
    """Yield every job with its age, how many pay better where it is, and how many of the title are newer."""
    rows, firms = drawing.made["Job"], {one.id: one for one in drawing.made["Company"]}
    towns = {one.id: one.name for one in drawing.made["Town"]}
    days = Counter((one.title, one.posted) for one in rows)
    for one in rows:
        like = [other for other in rows if (other.town, other.mode) == (one.town, one.mode)]
        same = [other for other in rows if other.title == one.title]
        firm = firms[one.company]
        yield {
            **{name: one[name] for name in ("id", "title", "town", "mode", "salary", "saved", "company")},
            "name": f"{one.title} at {firm.name}",
            "firm": firm.name,
            "firm_followed": firm.followed,
            "town_name": towns[one.town],
            "age": _age(drawing, one.posted),
            "remote": int(one.mode != "mode_site"),
            "better": sum(other.salary > one.salary for other in like),
            "around": len(like),
            "newer": sum(other.posted > one.posted for other in same),
            "sole": int(days[one.title, one.posted] == 1),
        }


def skill_spots(drawing: Drawing) -> Iterator[Values]:
    """Yield every skill with its place, the place below, and its place in the alphabet."""
    rows = drawing.made["Skill"]
    order = sorted(one.name for one in rows)
    for one in rows:
        yield {
            "id": one.id,
            "name": one.name,
            "place": one.place,
            "lower": one.place + 1,
            "abc": 1 + order.index(one.name),
        }


def moves(drawing: Drawing) -> Iterator[Values]:
    """Yield which skill to move up, step by step, for all to stand in the order of the alphabet."""
    for number, name in enumerate(moves_up([one.name for one in drawing.made["Skill"]])):
        yield {"id": str(number), "name": name}


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield the days around the start of the world's time, and what they are in their months."""
    today = drawing.start.date()
    for ahead in range(_FIRST, _LAST + 1):
        day = today + timedelta(days=ahead)
        yield {
            "id": day.isoformat(),
            "name": dates.say(drawing.look.dates, day),
            "ahead": ahead,
            "months": (day.year - today.year) * 12 + day.month - today.month,
            "first": int(day.day == 1),
            "last": int((day + timedelta(days=1)).day == 1),
        }


def new_posts(drawing: Drawing) -> Iterator[Values]:
    """Yield posts that nobody has written yet; the first sentence is what a post is called by."""
    for one in corpus("requests")["posts"]:
        yield {"id": slug(one["hook"]), **one, "whole": f"{one['hook']} {one['text']}"}


def owner(drawing: Drawing) -> list[Entity]:
    """Return whose network it is, with the position that goes on."""
    mine = me(drawing)
    job = next(one for one in drawing.made["Position"] if not one.end)
    return [Entity({"id": mine.id, "name": mine.name, "position": job.id, "title": job.title, "company": job.company})]
