"""Posts: the feed, and actions on posts."""

import re
from collections import Counter
from collections.abc import Iterable

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.network.circle import Shown, all_members, own_member

_HOOK = re.compile(r"(.*?[.!?])\s+(.*)", re.DOTALL)
_LONGEST_HOOK = 140


def _shown_posts(visit: Visit, rows: Iterable[Entity]) -> list[Entity]:
    """Return posts with the columns that pages show, the newest first."""
    people, own = all_members(visit), own_member(visit)
    topics = {topic.id: topic.name for topic in visit.store.where("Topic", {})}
    every = {post.id: post for post in visit.store.where("Post", {})}
    comments = Counter(comment.post for comment in visit.store.where("Comment", {}))
    shared = Counter(post.of for post in every.values())

    def full(post: Entity) -> Entity:
        return Entity({
            **post,
            "author_name": people[post.author].name,
            "author_headline": people[post.author].headline,
            "topic_name": topics.get(post.topic, ""),
            "comments": comments[post.id],
            "all_likes": post.likes + post.liked,
            "all_shares": post.shares + shared[post.id],
            "mine": post.author == own.id,
        })  # fmt: skip

    # Deleted posts are no longer shown as shared.
    posts = [Entity({**full(post), "shared": [full(every[post.of])] if post.of in every else []}) for post in rows]
    return sorted(posts, key=lambda post: post.at, reverse=True)


def _of(visit: Visit, **where: str) -> Shown:
    people = all_members(visit)
    near_ids = {member.id for member in people.values() if member.link != "unknown" or member.followed}
    posts = _shown_posts(visit, [post for post in visit.store.where("Post", where) if post.author in near_ids])
    return {"posts": posts, "own": own_member(visit)}


def feed(visit: Visit) -> Shown:
    """Return the posts of connections, followed people and oneself, the newest or the most liked first."""
    newest = _of(visit)
    if visit.args.get("order") != "top":
        return {**newest, "current": "feed_new"}
    # Sorting is stable: of posts with the same number of likes, the newest comes first.
    return {**newest, "posts": sorted(newest["posts"], key=lambda post: -post.all_likes), "current": "feed_top"}


def topic_feed(visit: Visit) -> Shown:
    """Return the posts of the feed about the page's topic."""
    return _of(visit, topic=visit.names["topic"].id)


def my_posts_here(visit: Visit) -> Shown:
    """Return one's own posts."""
    return _of(visit, author=own_member(visit).id)


def posts_by(visit: Visit, member: str) -> Shown:
    """Return the posts of a person."""
    return _of(visit, author=member)


def post(visit: Visit) -> Shown:
    """Return a post with its comments, the oldest first."""
    people, own = all_members(visit), own_member(visit)
    comments = [
        Entity({**comment, "author_name": people[comment.author].name, "mine": comment.author == own.id})
        for comment in visit.store.where("Comment", {"post": visit.names["post"].id})
    ]
    # Lists omit posts of unknown people, but their pages can be opened by address.
    (story,) = _shown_posts(visit, [visit.names["post"]])
    return {"story": story, "comments": sorted(comments, key=lambda comment: comment.at)}


def toggle_like(visit: Visit) -> None:
    """Like a post, or remove the like."""
    row = visit.values["post"]
    visit.store.change("Post", {"id": row.id}, {"liked": 1 - row.liked})


def send_post(visit: Visit) -> None:
    """Publish a post."""
    entered = visit.values
    _publish(visit, entered["post_text"], topic=entered["post_topic"], audience=entered["audience"], of="")


def share_post(visit: Visit) -> None:
    """Share a post with a comment; for a shared post, share its original."""
    row = visit.values["post"]
    columns = {"topic": row.topic, "audience": "audience_all", "of": row.of or row.id}
    _publish(visit, visit.values["share_text"], **columns)


def _publish(visit: Visit, text: str, **values: str) -> None:
    # The first sentence of a post is its name.
    split = _HOOK.fullmatch(" ".join(text.split()))
    hook, rest = split.groups() if split and len(split[1]) <= _LONGEST_HOOK else (" ".join(text.split()), "")
    row = {"author": own_member(visit).id, "hook": hook, "text": rest, "at": visit.store.now, **values}
    row |= {"likes": 0, "shares": 0, "liked": 0}
    visit.store.put("Post", {"id": visit.store.free_key("Post", {"hook": hook[:60]}), **row})


def drop_post(visit: Visit) -> None:
    """Delete one's own post with its comments."""
    row = visit.values["post"]
    if row.author != own_member(visit).id:
        raise RefusedError("error_allowed")
    visit.store.drop("Comment", {"post": row.id})
    visit.store.drop("Post", {"id": row.id})


def add_comment(visit: Visit) -> None:
    """Comment on a post."""
    row = visit.values["post"]
    numbers = [int(comment.id.rpartition("/")[2]) for comment in visit.store.where("Comment", {"post": row.id})]
    columns = {
        "post": row.id,
        "author": own_member(visit).id,
        "text": visit.values["comment_text"],
        "at": visit.store.now,
    }
    visit.store.put("Comment", {"id": f"{row.id}/{max(numbers, default=0) + 1}", **columns})


def drop_comment(visit: Visit) -> None:
    """Delete one's own comment."""
    row = visit.values["comment"]
    if row.author != own_member(visit).id:
        raise RefusedError("error_allowed")
    visit.store.drop("Comment", {"id": row.id})
