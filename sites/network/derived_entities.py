"""What goals name and no table holds: people, posts, jobs and notifications as they stand to each other, and days."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.wording import dates
from stressweb.sites.network.plan import OLD, Values, connected, corpus, me
from stressweb.sites.network.vacancies import moves_up

_FIRST, _LAST = -70, 70
"""The days, counted from the start of the world's time, that goals can name."""


def _age(drawing: Drawing, moment: str) -> int:
    return (drawing.start.date() - date.fromisoformat(moment[:10])).days


def notes(drawing: Drawing) -> Iterator[Values]:
    """Yield every notification with its age, and its number among the unread ones of its kind, from the oldest on."""
    rows = drawing.made["Notice"]
    unread, paths = Counter(notice.kind for notice in rows if notice.unread), Counter(
        (notice.kind, notice.path) for notice in rows if notice.unread
    )  # fmt: skip
    nth = Counter[str]()
    for notice in rows:
        nth[notice.kind] += notice.unread
        place = {"nth": nth[notice.kind] if notice.unread else 0, "of_kind": unread[notice.kind]}
        # Two may lead to the same page: then it does not tell which of them was meant.
        sole = int(paths[notice.kind, notice.path] == 1)
        yield {**notice, **place, "age": _age(drawing, notice.at), "sole": sole}


def guests(drawing: Drawing) -> Iterator[Values]:
    """Yield every invitation with who sent it and when.

    `rank` counts by mutual connections, from the most on, those that are old and have no note left out.
    """
    names = {member.id: member.name for member in drawing.made["Member"]}
    stale = {
        invitation.id
        for invitation in drawing.made["Invitation"]
        if _age(drawing, invitation.at) > OLD and not invitation.note
    }
    rows = drawing.made["Invitation"]
    order = sorted((invitation.mutual for invitation in rows if invitation.id not in stale), reverse=True)
    for invitation in rows:
        rank = 0 if invitation.id in stale else 1 + order.index(invitation.mutual)
        facts = {
            "name": names[invitation.member],
            "mutual": invitation.mutual,
            "rank": rank,
            "stale": int(invitation.id in stale),
        }
        yield {"id": invitation.id, **facts, "age": _age(drawing, invitation.at)}


def friends(drawing: Drawing) -> Iterator[Values]:
    """Yield every connection, and how many connections have the same trade."""
    rows = connected(drawing)
    trades, names = (
        Counter(friend.trade for friend in rows),
        {friend.id: friend.name for friend in drawing.made["Trade"]},
    )
    # Nobody is called like somebody else, but one name may be a part of another.
    for friend in rows:
        facts = {"trade_name": names[friend.trade], "of_trade": trades[friend.trade], "followed": friend.followed}
        yield {"id": friend.id, "name": friend.name, "trade": friend.trade, "first": friend.name.split()[0], **facts}


def stories(drawing: Drawing) -> Iterator[Values]:
    """Yield every post as the feed has it, the newest first: its number there, by topic, by author, and by likes."""
    rows, names = drawing.made["Post"][::-1], {member.id: member.name for member in drawing.made["Member"]}
    topics = {topic.id: topic.name for topic in drawing.made["Topic"]}
    comments = Counter(comment.post for comment in drawing.made["Comment"])
    nth = Counter[str]()
    many = Counter(post.author for post in rows)
    for number, post in enumerate(rows, 1):
        nth[post.author] += 1
        nth[post.topic] += 1
        likes = sorted((other.likes + other.liked for other in rows if other.author == post.author), reverse=True)
        own_likes = post.likes + post.liked
        yield {
            **{name: post[name] for name in ("id", "hook", "author", "topic", "of", "liked")},
            "name": names[post.author],
            "topic_name": topics[post.topic],
            "nth": number,
            "nth_of_topic": nth[post.topic],
            "nth_of_author": nth[post.author],
            "of_author": many[post.author],
            "by": "me" if post.author == me(drawing).id else "other",
            # Of two with as many likes, neither has the most.
            "most_liked": int(own_likes == likes[0] and likes.count(own_likes) == 1),
            "comments": comments[post.id],
        }


def openings(drawing: Drawing) -> Iterator[Values]:
    """Yield every job with its age, how many pay better where it is, and how many of the title are newer."""
    rows, firms = drawing.made["Job"], {firm.id: firm for firm in drawing.made["Company"]}
    towns = {town.id: town.name for town in drawing.made["Town"]}
    days = Counter((job.title, job.posted) for job in rows)
    for job in rows:
        like = [other for other in rows if (other.town, other.mode) == (job.town, job.mode)]
        same = [other for other in rows if other.title == job.title]
        firm = firms[job.company]
        yield {
            **{name: job[name] for name in ("id", "title", "town", "mode", "salary", "saved", "company")},
            "name": f"{job.title} at {firm.name}",
            "firm": firm.name,
            "firm_followed": firm.followed,
            "town_name": towns[job.town],
            "age": _age(drawing, job.posted),
            "remote": int(job.mode != "mode_site"),
            "better": sum(other.salary > job.salary for other in like),
            "around": len(like),
            "newer": sum(other.posted > job.posted for other in same),
            "sole": int(days[job.title, job.posted] == 1),
        }


def skill_spots(drawing: Drawing) -> Iterator[Values]:
    """Yield every skill with its place, the place below, and its place in the alphabet."""
    rows = drawing.made["Skill"]
    order = sorted(skill.name for skill in rows)
    for skill in rows:
        yield {
            "id": skill.id,
            "name": skill.name,
            "place": skill.place,
            "lower": skill.place + 1,
            "abc": 1 + order.index(skill.name),
        }


def moves(drawing: Drawing) -> Iterator[Values]:
    """Yield which skill to move up, step by step, for all to stand in the order of the alphabet."""
    for number, name in enumerate(moves_up([skill.name for skill in drawing.made["Skill"]])):
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
    for post in corpus("requests")["posts"]:
        yield {"id": slug(post["hook"]), **post, "whole": f"{post['hook']} {post['text']}"}


def owner(drawing: Drawing) -> list[Entity]:
    """Return whose network it is, with the position that goes on."""
    mine = me(drawing)
    job = next(position for position in drawing.made["Position"] if not position.end)
    return [Entity({"id": mine.id, "name": mine.name, "position": job.id, "title": job.title, "company": job.company})]
