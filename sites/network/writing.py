"""Generates a world's posts, comments, messages and notifications."""

from collections.abc import Iterator

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.network.plan import ago, between, connected, filled, me
from stressweb.sites.network.stories import Stories
from stressweb.sites.network.trades import Values, corpus

_AUTHORS, _POSTS = 15, (4, 7)
"""Number of people who post often, and minimum and maximum number of their posts."""
_ONCE = 10
"""Number of people with one post."""
_MINE = 6
_FRESH = 9
"""Number of posts at the top of the feed that are neither one's own nor liked."""
_SHARED = 0.12
"""Share of posts that share another one."""
_FIRST_SHARE, _SHARED_WITHIN = 10, (4, 18)
"""Number of the oldest posts that share nothing, and how many posts before a share its original can be."""
_LIKED = 0.22
_CHATS = 11
_NOTICES = {"comment": (6, 8), "like": (5, 8), "mention": (4, 6), "accepted": (4, 7), "jubilee": (4, 6), "job": (5, 7)}
"""Minimum and maximum number of notifications of each kind."""
_UNREAD = 0.5


def topics(drawing: Drawing) -> Iterator[Values]:
    """Yield the topics of posts."""
    for topic in corpus("posts")["topics"]:
        yield {"id": slug(topic["name"]), "name": topic["name"]}


def posts(drawing: Drawing) -> list[Values]:
    """Return every post, the oldest first."""
    friends = drawing.shuffled(connected(drawing), "authors")
    authors = [(friend, between(drawing, _POSTS, "posts of", friend.id)) for friend in friends[:_AUTHORS]]
    authors += [(friend, 1) for friend in friends[_AUTHORS : _AUTHORS + _ONCE]]
    slots = drawing.shuffled([author for author, many in authors for _ in range(many)], "slots")
    # Days count towards the past. One's own posts are between those of others, below the newest.
    own_numbers = {_FRESH + 3 + step * 11 for step in range(_MINE)}
    posts: list[Values] = []
    stories = Stories(drawing)
    remaining_authors, days = iter(slots), 0.0
    for number in range(len(slots) + len(own_numbers)):
        author = me(drawing) if number in own_numbers else next(remaining_authors)
        days += 0.15 + drawing.unit("pause", number) * (0.6 if number < 2 * _FRESH else 2.0)
        posts.append(_post(drawing, stories, author, number, days))
    for post, likes in zip(posts, drawing.shuffled(range(2, 190), "likes"), strict=False):
        post["likes"] = likes
    posts.reverse()
    return _with_shared(drawing, stories, posts)


def _post(drawing: Drawing, stories: Stories, author: Entity, number: int, days: float) -> Values:
    key = ("post", number)
    return {
        **stories.tell(author, *key),
        "author": author.id,
        "audience": "audience_all" if drawing.unit(*key, "audience") < 0.7 else "audience_linked",
        "of": "",
        "at": ago(drawing, days, number),
        "shares": int(drawing.unit(*key, "shares") * 12),
        "liked": int(number >= _FRESH and author.link != "me" and drawing.unit(*key, "liked") < _LIKED),
    }


def _with_shared(drawing: Drawing, stories: Stories, posts: list[Values]) -> list[Values]:
    """Turn some posts into shares of somebody else's recent post, with words that are about it."""
    people = {member.id: member for member in drawing.made["Member"]}
    used_ids, shared_ids = {post["id"] for post in posts}, set[str]()
    latest, earliest = _SHARED_WITHIN
    for place, repost in enumerate(posts):
        if place <= _FIRST_SHARE or repost["author"] == me(drawing).id:
            continue
        if drawing.unit("shared", repost["id"]) >= _SHARED:
            continue
        key = ("shared", repost["id"])
        originals = [
            other for other in posts[max(place - earliest, 0) : place - latest]
            if not other["of"] and other["author"] != repost["author"] and other["id"] not in shared_ids
        ]  # fmt: skip
        original = drawing.pick(originals, *key, "which")
        known = stories.facts(people[repost["author"]], *key)
        known["who"] = people[original["author"]].name.split()[0]
        echoes = (
            {name: filled(drawing, echo[name], *key, **known) for name in ("hook", "text")}
            for echo in drawing.shuffled(original["echoes"], *key, "echo")
        )
        echo = next((echo for echo in echoes if slug(echo["hook"]) not in used_ids), None)
        if echo is None:
            continue
        repost |= {**echo, "id": slug(echo["hook"]), "topic": original["topic"], "of": original["id"]}
        repost["answers"] = [{"says": text} for text in drawing.shuffled(corpus("posts")["reposts"], *key, "comments")]
        used_ids.add(repost["id"])
        shared_ids.add(original["id"])
        posts[place] = repost
    return posts


def comments(drawing: Drawing) -> Iterator[Values]:
    """Yield the comments on posts; one's own oldest post has none."""
    friends, own = connected(drawing), me(drawing).id
    authors = {post.id: post.author for post in drawing.made["Post"]}
    oldest = next(post for post in drawing.made["Post"] if post.author == own)
    for post in drawing.made["Post"]:
        if post is oldest:
            continue
        answers = drawing.shuffled(post.answers, "answers", post.id)
        concerned = {post.author, authors.get(post.of)}
        people = drawing.shuffled([who for who in friends if who.id not in concerned], "commenting", post.id)
        count = drawing.pick((0, 1, 1, 2, 2, 3, 3), "comments", post.id)
        lines: list[tuple[str, str]] = []
        for who, answer in zip(people, answers[:count], strict=False):
            lines.append((who.id, answer["says"]))
            # One's own comments can be deleted, and goals count on the others.
            if "reply" in answer and post.author != own:
                lines.append((post.author, answer["reply"]))
        written = post.at
        for number, (author, text) in enumerate(lines):
            written = _after(drawing, written, number)
            yield {"id": f"{post.id}/{number + 1}", "post": post.id, "author": author, "text": text, "at": written}


def _after(drawing: Drawing, moment: str, number: int) -> str:
    """Return a moment a little later on the same day; today, only two minutes later."""
    hour, minute = int(moment[11:13]), int(moment[14:16])
    pause = (
        2 if moment[:10] == drawing.start.date().isoformat() else 4 + int(drawing.unit("pause", moment, number) * 70)
    )
    minutes = min(hour * 60 + minute + pause, 24 * 60 - 9 + number)
    return f"{moment[:11]}{minutes // 60:02d}:{minutes % 60:02d}:{moment[17:]}"


def messages(drawing: Drawing) -> Iterator[Values]:
    """Yield the messages of conversations, the oldest of each first."""
    talks = drawing.shuffled(corpus("posts")["conversations"], "talks")
    for place, friend in enumerate(drawing.shuffled(connected(drawing), "chats")[:_CHATS]):
        texts = talks[place]
        many = 2 + int(drawing.unit("chat", friend.id, "many") * 5)
        days = 0.4 + place * 2.3 + drawing.unit("chat", friend.id, "days")
        for number, text in enumerate(texts[:many]):
            yield {
                "id": f"{friend.id}/{number + 1}",
                "member": friend.id,
                "mine": (number + place) % 2,
                # Words are the same throughout a conversation.
                "text": filled(drawing, text, "chat", friend.id, place=friend.city),
                "at": ago(drawing, days + (many - number) * 0.9, number),
            }


def notices(drawing: Drawing) -> list[Values]:
    """Return the notifications, the oldest first, with links to their subjects."""
    friends = connected(drawing)
    own_posts = [post for post in drawing.made["Post"] if post.author == me(drawing).id][1:]
    others = [post for post in drawing.made["Post"] if post.author != me(drawing).id]
    jobs = drawing.shuffled(drawing.made["Job"], "notices")
    firms = {firm.id: firm.name for firm in drawing.made["Company"]}
    notices: dict[str, Values] = {}
    for kind, bounds in _NOTICES.items():
        wording = drawing.pick(corpus("posts")["notices"][kind], "notice", kind)
        people = drawing.shuffled(friends, "notice", kind)
        for number in range(between(drawing, bounds, "notices", kind)):
            draw_key = ("notice", kind, number)
            who, job = people[number], jobs[number]
            post = drawing.pick(others if kind == "mention" else own_posts, *draw_key, "post")
            path = {"job": f"/jobs/{job.id}", "accepted": f"/in/{who.id}", "jubilee": f"/in/{who.id}"}.get(kind)
            firm = firms[job.company if kind == "job" else who.company]
            known = {"hook": post.hook, "others": max(2, post.likes - 1), "firm": firm, "joined": who.joined}
            text = filled(drawing, wording, *draw_key, name=who.name, role=job.title, **known)
            columns = {"kind": f"kind_{kind}", "text": text, "path": path or f"/post/{post.id}"}
            days = 0.4 + drawing.unit(*draw_key, "days") ** 1.5 * 44
            notices[slug(text)] = {**columns, "days": days, "unread": int(drawing.unit(*draw_key, "unread") < _UNREAD)}
    ordered = sorted(notices.items(), key=lambda entry: -entry[1]["days"])
    return [
        {
            "id": key,
            **{name: columns[name] for name in ("kind", "text", "path", "unread")},
            "at": ago(drawing, columns["days"], number),
        }
        for number, (key, columns) in enumerate(ordered)
    ]
