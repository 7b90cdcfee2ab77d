"""Posts: what the feed shows, and what people do with a post."""

import re
from collections import Counter
from collections.abc import Iterable

from sites.kit import RefusedError, Visit
from sites.network.circle import Shown, all_members, mine
from stressweb.core.entity import Entity

_HOOK = re.compile(r"(.*?[.!?])\s+(.*)", re.DOTALL)
_LONGEST_HOOK = 140


def _shown(visit: Visit, rows: Iterable[Entity]) -> list[Entity]:
    """Return posts as pages show them, the newest first."""
    people, own = all_members(visit), mine(visit)
    topics = {one.id: one.name for one in visit.store.where("Topic", {})}
    every = {one.id: one for one in visit.store.where("Post", {})}
    told = Counter(one.post for one in visit.store.where("Comment", {}))
    shared = Counter(one.of for one in every.values())

    def full(one: Entity) -> Entity:
        return Entity({
            **one,
            "author_name": people[one.author].name,
            "author_headline": people[one.author].headline,
            "topic_name": topics.get(one.topic, ""),
            "comments": told[one.id],
            "all_likes": one.likes + one.liked,
            "all_shares": one.shares + shared[one.id],
            "mine": one.author == own.id,
        })  # fmt: skip

    # What is gone is shared no longer.
    found = [Entity({**full(one), "shared": [full(every[one.of])] if one.of in every else []}) for one in rows]
    return sorted(found, key=lambda one: one.at, reverse=True)


def _of(visit: Visit, **where: str) -> Shown:
    people = all_members(visit)
    near = {one.id for one in people.values() if one.link != "unknown" or one.followed}
    return {"posts": _shown(visit, [one for one in visit.store.where("Post", where) if one.author in near])}


def feed(visit: Visit) -> Shown:
    """Return the posts of everybody who is connected or followed, and one's own: the newest or the most liked first."""
    shown = _of(visit)
    if visit.args.get("order") != "top":
        return {**shown, "current": "feed_new"}
    # Posts with as many likes stay in the order of time.
    return {"posts": sorted(shown["posts"], key=lambda post: -post.all_likes), "current": "feed_top"}


def topic_feed(visit: Visit) -> Shown:
    """Return the posts of the feed about the page's topic."""
    return _of(visit, topic=visit.names["topic"].id)


def my_posts_here(visit: Visit) -> Shown:
    """Return one's own posts."""
    return _of(visit, author=mine(visit).id)


def posts_by(visit: Visit, member: str) -> Shown:
    """Return the posts of somebody."""
    return _of(visit, author=member)


def post(visit: Visit) -> Shown:
    """Return a post with its comments, the oldest first."""
    people, own = all_members(visit), mine(visit)
    said = [
        Entity({**one, "author_name": people[one.author].name, "mine": one.author == own.id})
        for one in visit.store.where("Comment", {"post": visit.names["post"].id})
    ]
    # Lists leave out who is neither known nor followed; here somebody has the address.
    (story,) = _shown(visit, [visit.names["post"]])
    return {"story": story, "comments": sorted(said, key=lambda one: one.at)}


def toggle_like(visit: Visit) -> None:
    """Like a post, or take that back."""
    row = visit.values["post"]
    visit.store.change("Post", {"id": row.id}, {"liked": 1 - row.liked})


def send_post(visit: Visit) -> None:
    """Publish a post."""
    said = visit.values
    _publish(visit, said["post_text"], topic=said["post_topic"], audience=said["audience"], of="")


def share_post(visit: Visit) -> None:
    """Pass a post on, with words of one's own; of one that is passed on already, what it is about."""
    row = visit.values["post"]
    said = {"topic": row.topic, "audience": "audience_all", "of": row.of or row.id}
    _publish(visit, visit.values["share_text"], **said)


def _publish(visit: Visit, text: str, **values: str) -> None:
    # The first sentence is what a post is called by.
    found = _HOOK.fullmatch(" ".join(text.split()))
    hook, rest = found.groups() if found and len(found[1]) <= _LONGEST_HOOK else (" ".join(text.split()), "")
    row = {"author": mine(visit).id, "hook": hook, "text": rest, "at": visit.store.now, **values}
    row |= {"likes": 0, "shares": 0, "liked": 0}
    visit.store.put("Post", {"id": visit.store.free_key("Post", {"hook": hook[:60]}), **row})


def drop_post(visit: Visit) -> None:
    """Delete a post of one's own, and what was said about it."""
    row = visit.values["post"]
    if row.author != mine(visit).id:
        raise RefusedError("error_allowed")
    visit.store.drop("Comment", {"post": row.id})
    visit.store.drop("Post", {"id": row.id})


def add_comment(visit: Visit) -> None:
    """Say something about a post."""
    row = visit.values["post"]
    numbers = [int(one.id.rpartition("/")[2]) for one in visit.store.where("Comment", {"post": row.id})]
    said = {"post": row.id, "author": mine(visit).id, "text": visit.values["comment_text"], "at": visit.store.now}
    visit.store.put("Comment", {"id": f"{row.id}/{max(numbers, default=0) + 1}", **said})


def drop_comment(visit: Visit) -> None:
    """Delete a comment of one's own."""
    row = visit.values["comment"]
    if row.author != mine(visit).id:
        raise RefusedError("error_allowed")
    visit.store.drop("Comment", {"id": row.id})
