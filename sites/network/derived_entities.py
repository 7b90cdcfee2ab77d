"""Entities that goals refer to but no table holds: people, posts, jobs and notifications with ranks, and days."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.wording import dates
from stressweb.sites.network.plan import OLD, connected, me
from stressweb.sites.network.trades import Values, corpus
from stressweb.sites.network.vacancies import moves_up

_FIRST, _LAST = -70, 70
"""First and last day that goals can name, in days from the start of the world's time."""


def _age(drawing: Drawing, moment: str) -> int:
    return (drawing.start.date() - date.fromisoformat(moment[:10])).days


def notes(drawing: Drawing) -> Iterator[Values]:
    """Yield every notification with its age, and its rank among the unread ones of its kind, the oldest first."""
    rows = drawing.made["Notice"]
    unread, paths = Counter(notice.kind for notice in rows if notice.unread), Counter(
        (notice.kind, notice.path) for notice in rows if notice.unread
    )  # fmt: skip
    nth = Counter[str]()
    for notice in rows:
        nth[notice.kind] += notice.unread
        rank = {"nth": nth[notice.kind] if notice.unread else 0, "of_kind": unread[notice.kind]}
        # If two notifications lead to the same page, opening it does not show which one was meant.
        sole = int(paths[notice.kind, notice.path] == 1)
        yield {**notice, **rank, "age": _age(drawing, notice.at), "sole": sole}


def guests(drawing: Drawing) -> Iterator[Values]:
    """Yield every invitation with its sender and its age.

    `rank` is the rank by mutual connections, the most first, without old invitations that have no note.
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
        columns = {
            "name": names[invitation.member],
            "mutual": invitation.mutual,
            "rank": rank,
            "stale": int(invitation.id in stale),
        }
        yield {"id": invitation.id, **columns, "age": _age(drawing, invitation.at)}


def friends(drawing: Drawing) -> Iterator[Values]:
    """Yield every connection with the number of connections in the same trade."""
    rows = connected(drawing)
    trades, names = (
        Counter(friend.trade for friend in rows),
        {friend.id: friend.name for friend in drawing.made["Trade"]},
    )
    # All names are different, but one name may be a part of another.
    for friend in rows:
        columns = {"trade_name": names[friend.trade], "of_trade": trades[friend.trade], "followed": friend.followed}
        yield {"id": friend.id, "name": friend.name, "trade": friend.trade, "first": friend.name.split()[0], **columns}


def stories(drawing: Drawing) -> Iterator[Values]:
    """Yield every post, the newest first, with its rank in the feed, by topic and by author, and its likes."""
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
            # If two posts have the same number of likes, neither has the most.
            "most_liked": int(own_likes == likes[0] and likes.count(own_likes) == 1),
            "comments": comments[post.id],
        }


def openings(drawing: Drawing) -> Iterator[Values]:
    """Yield every job with its age, and the numbers of better paid similar jobs and newer jobs of the same title."""
    rows, firms = drawing.made["Job"], {firm.id: firm for firm in drawing.made["Company"]}
    towns = {town.id: town.name for town in drawing.made["Town"]}
    days = Counter((job.title, job.posted) for job in rows)
    for job in rows:
        similar = [other for other in rows if (other.town, other.mode) == (job.town, job.mode)]
        same_title = [other for other in rows if other.title == job.title]
        firm = firms[job.company]
        yield {
            **{name: job[name] for name in ("id", "title", "town", "mode", "salary", "saved", "company")},
            "name": f"{job.title} at {firm.name}",
            "firm": firm.name,
            "firm_followed": firm.followed,
            "town_name": towns[job.town],
            "age": _age(drawing, job.posted),
            "remote": int(job.mode != "mode_site"),
            "better": sum(other.salary > job.salary for other in similar),
            "around": len(similar),
            "newer": sum(other.posted > job.posted for other in same_title),
            "sole": int(days[job.title, job.posted] == 1),
        }


def skill_spots(drawing: Drawing) -> Iterator[Values]:
    """Yield every skill with its place, the place below, and its alphabetical rank."""
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
    """Yield the skills to move up, step by step, until all are in alphabetical order."""
    for number, name in enumerate(moves_up([skill.name for skill in drawing.made["Skill"]])):
        yield {"id": str(number), "name": name}


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield the days around the start of the world's time, and whether they begin or end a month."""
    today = drawing.start.date()
    for days_ahead in range(_FIRST, _LAST + 1):
        day = today + timedelta(days=days_ahead)
        yield {
            "id": day.isoformat(),
            "name": dates.say(drawing.look.dates, day),
            "ahead": days_ahead,
            "months": (day.year - today.year) * 12 + day.month - today.month,
            "first": int(day.day == 1),
            "last": int((day + timedelta(days=1)).day == 1),
        }


def new_posts(drawing: Drawing) -> Iterator[Values]:
    """Yield new posts for goals to write; the first sentence of a post is its name."""
    for post in corpus("requests")["posts"]:
        yield {"id": slug(post["hook"]), **post, "whole": f"{post['hook']} {post['text']}"}


def owner(drawing: Drawing) -> list[Entity]:
    """Return the person whose network it is, with the current position."""
    member = me(drawing)
    job = next(position for position in drawing.made["Position"] if not position.end)
    return [
        Entity({"id": member.id, "name": member.name, "position": job.id, "title": job.title, "company": job.company})
    ]
