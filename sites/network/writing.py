"""What people of a world have written: posts, comments, messages, and what notifications tell."""

from collections.abc import Iterator
from typing import Any

from sites.kit import Drawing, slug
from sites.network.plan import Values, ago, connected, corpus, me, of_trade, said, trade_words
from stressweb.core.entity import Entity

_AUTHORS, _POSTS = 15, (4, 7)
"""People who write often, and how much each of them has written."""
_ONCE = 10
"""People who have written once."""
_MINE = 6
_FRESH = 9
"""Posts at the top of the feed: none of one's own, and none that one has liked."""
_SHARED = 0.12
_LIKED = 0.22
_CHATS = 11
_NOTICES = {"comment": (6, 8), "like": (5, 8), "mention": (4, 6), "accepted": (4, 7), "jubilee": (4, 6), "job": (5, 7)}
"""How many notifications of each kind there are, at least and at most."""
_UNREAD = 0.5
_ATTEMPTS = 60


def topics(drawing: Drawing) -> Iterator[Values]:
    """Yield what posts are about."""
    for one in corpus("posts")["topics"]:
        yield {"id": slug(one["name"]), "name": one["name"]}


def posts(drawing: Drawing) -> list[Values]:
    """Return every post, the oldest first."""
    friends = drawing.shuffled(connected(drawing), "authors")
    authors = [(one, _between(drawing, _POSTS, "posts of", one.id)) for one in friends[:_AUTHORS]]
    authors += [(one, 1) for one in friends[_AUTHORS : _AUTHORS + _ONCE]]
    slots = drawing.shuffled([one for one, many in authors for _ in range(many)], "slots")
    # Days grow towards the past; one's own posts stand between those of others, below the newest.
    mine = {_FRESH + 3 + at * 11 for at in range(_MINE)}
    made: list[Values] = []
    taken: set[str] = set()
    left, days = iter(slots), 0.0
    for number in range(len(slots) + len(mine)):
        author = me(drawing) if number in mine else next(left)
        days += 0.15 + drawing.unit("pause", number) * (0.6 if number < 2 * _FRESH else 2.0)
        made.append(_post(drawing, author, taken, number, days))
    for one, likes in zip(made, drawing.shuffled(range(2, 190), "likes"), strict=False):
        one["likes"] = likes
    made.reverse()
    return _with_shared(drawing, made)


def _between(drawing: Drawing, bounds: tuple[int, int], *key: Any) -> int:
    low, high = bounds
    return low + int(drawing.unit(*key) * (high - low + 1))


def _post(drawing: Drawing, author: Entity, taken: set[str], number: int, days: float) -> Values:
    at = ("post", number)
    topic = drawing.pick(corpus("posts")["topics"], *at, "topic")
    business = not trade_words(author.trade.replace("-", " ")).get("public")
    stories = [story for story in topic["stories"] if business or not story.get("business")]
    for attempt in range(_ATTEMPTS):
        story = drawing.pick(stories, *at, attempt)
        words = of_trade(drawing, author, *at, attempt)
        hook = said(drawing, story["hook"], *at, attempt, **words)
        # Each story is used once, as long as there are others.
        if slug(hook) not in taken and (story["hook"] not in taken or attempt > _ATTEMPTS // 2):
            break
    taken |= {slug(hook), story["hook"]}
    return {
        "id": slug(hook),
        "author": author.id,
        "hook": hook,
        # With the same words as the hook.
        "text": said(drawing, story["text"], *at, attempt, **words),
        "topic": slug(topic["name"]),
        "audience": "audience_all" if drawing.unit(*at, "audience") < 0.7 else "audience_linked",
        "of": "",
        "at": ago(drawing, days, number),
        "shares": int(drawing.unit(*at, "shares") * 12),
        "liked": int(number >= _FRESH and author.link != "me" and drawing.unit(*at, "liked") < _LIKED),
        "answers": [
            said(drawing, text, *at, attempt, who=author.name.split()[0], **words) for text in story["comments"]
        ],
    }


def _with_shared(drawing: Drawing, made: list[Values]) -> list[Values]:
    """Let some posts pass on an earlier one of somebody else."""
    people = {member.id: member for member in drawing.made["Member"]}
    texts, taken = corpus("posts")["reposts"], {post["id"] for post in made}
    for at, one in enumerate(made):
        if at > 10 and one["author"] != me(drawing).id and drawing.unit("shared", one["id"]) < _SHARED:
            key = ("shared", one["id"])
            earlier = [other for other in made[:at] if not other["of"] and other["author"] != one["author"]]
            original = drawing.pick(earlier, *key, "which")
            words = of_trade(drawing, people[one["author"]], *key) | {"who": people[original["author"]].name.split()[0]}
            hooks = (said(drawing, hook, *key, **words) for hook in drawing.shuffled(texts["hooks"], *key, "hook"))
            hook = next((hook for hook in hooks if slug(hook) not in taken), one["hook"])
            taken.add(slug(hook))
            text = said(drawing, drawing.pick(texts["texts"], *key, "text"), *key, **words)
            one |= {"id": slug(hook), "hook": hook, "text": text, "topic": original["topic"], "of": original["id"]}
            one["answers"] = drawing.shuffled(texts["comments"], *key, "comments")
            made[at] = one
    return made


def comments(drawing: Drawing) -> Iterator[Values]:
    """Yield what was said about posts; one's own oldest post has been left alone."""
    friends, members = connected(drawing), {member.id: member for member in drawing.made["Member"]}
    general = {slug(topic["name"]): topic["comments"] for topic in corpus("posts")["topics"]}
    oldest = next(one for one in drawing.made["Post"] if one.author == me(drawing).id)
    for one in drawing.made["Post"]:
        about = general[one.topic] if not one.of else []
        texts = [*drawing.shuffled(one.answers, "answers", one.id), *drawing.shuffled(about, "comments", one.id)]
        people = drawing.shuffled([who for who in friends if who.id != one.author], "commenting", one.id)
        who = members[one.author].name.split()[0]
        for number, text in enumerate(texts[: drawing.pick((0, 0, 1, 1, 2, 3, 5), "comments", one.id)]):
            at = ("comment", one.id, number)
            if one is not oldest:
                yield {
                    "id": f"{one.id}/{number + 1}",
                    "post": one.id,
                    "author": people[number].id,
                    "text": said(drawing, text, *at, who=who),
                    "at": _after(drawing, one.at, number),
                }


def _after(drawing: Drawing, at: str, number: int) -> str:
    """Return the same day a little later, and no later than that day's end; today, time has hardly gone on."""
    hour, minute = int(at[11:13]), int(at[14:16])
    pause = 2 if at[:10] == drawing.start.date().isoformat() else 4 + int(drawing.unit("pause", at, number) * 70)
    minutes = min(hour * 60 + minute + (1 + number) * pause, 24 * 60 - 9 + number)
    return f"{at[:11]}{minutes // 60:02d}:{minutes % 60:02d}:{at[17:]}"


def messages(drawing: Drawing) -> Iterator[Values]:
    """Yield what was written to and fro, the oldest of each conversation first."""
    talks = drawing.shuffled(corpus("posts")["conversations"], "talks")
    for at, one in enumerate(drawing.shuffled(connected(drawing), "chats")[:_CHATS]):
        texts = talks[at]
        many = 2 + int(drawing.unit("chat", one.id, "many") * 5)
        days = 0.4 + at * 2.3 + drawing.unit("chat", one.id, "days")
        for number, text in enumerate(texts[:many]):
            yield {
                "id": f"{one.id}/{number + 1}",
                "member": one.id,
                "mine": (number + at) % 2,
                # With the same words throughout a conversation.
                "text": said(drawing, text, "chat", one.id),
                "at": ago(drawing, days + (many - number) * 0.9, number),
            }


def notices(drawing: Drawing) -> list[Values]:
    """Return what has happened, the oldest first; what tells of somebody leads there."""
    friends = connected(drawing)
    mine = [one for one in drawing.made["Post"] if one.author == me(drawing).id][1:]
    others = [one for one in drawing.made["Post"] if one.author != me(drawing).id]
    jobs = drawing.shuffled(drawing.made["Job"], "notices")
    firms = {one.id: one.name for one in drawing.made["Company"]}
    made: dict[str, Values] = {}
    for kind, bounds in _NOTICES.items():
        wording = drawing.pick(corpus("posts")["notices"][kind], "notice", kind)
        people = drawing.shuffled(friends, "notice", kind)
        for number in range(_between(drawing, bounds, "notices", kind)):
            at = ("notice", kind, number)
            who, job = people[number], jobs[number]
            post = drawing.pick(others if kind == "mention" else mine, *at, "post")
            path = {"job": f"/jobs/{job.id}", "accepted": f"/in/{who.id}", "jubilee": f"/in/{who.id}"}.get(kind)
            firm = firms[job.company if kind == "job" else who.company]
            text = said(drawing, wording, *at, name=who.name, hook=post.hook, firm=firm, role=job.title)
            told = {"kind": f"kind_{kind}", "text": text, "path": path or f"/post/{post.id}"}
            days = 0.4 + drawing.unit(*at, "days") ** 1.5 * 44
            made[slug(text)] = {**told, "days": days, "unread": int(drawing.unit(*at, "unread") < _UNREAD)}
    ordered = sorted(made.items(), key=lambda one: -one[1]["days"])
    return [
        {
            "id": key,
            **{name: one[name] for name in ("kind", "text", "path", "unread")},
            "at": ago(drawing, one["days"], at),
        }
        for at, (key, one) in enumerate(ordered)
    ]
