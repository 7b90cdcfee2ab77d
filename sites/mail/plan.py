"""Generates a world's mail: conversations with people and companies, labels, contacts, drafts and scheduled mail."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.sites.kit import Drawing, moment, slug
from stressweb.sites.mail.letters import Frames, Subject, corpus, fitting_labels, greeting, is_person, is_service

_FREQUENT = 12
"""Number of people who write often."""
_OTHERS = 24
"""Maximum number of people who have written once."""
_NEWSLETTERS = 3
_SERVICES = 6
"""Number of companies that send receipts, bills or codes."""
_DRAFTS = 3
_SPANS = {"inbox": (0.05, 45), "archive": (10, 150), "trash": (1, 29), "sent": (1, 80)}
"""Minimum and maximum age in days of the last mail of a conversation, by folder."""
_AS_NEW = 9
"""Number of conversations at the top of the inbox without a star."""
_OLD_STARS = (3, 6)
"""Conversations in the inbox with a star, counted from the oldest."""
_UNREAD = (4, 7)
"""How many of how many conversations at the top of the inbox are unread."""
_KNOWN = 0.75
"""Share of people in the address book."""
_ATTEMPTS = 60

type Values = dict[str, Any]


def conversations(drawing: Drawing) -> list[Values]:
    """Return every conversation with its mails, the oldest first."""
    threads: list[Values] = []
    subjects, people = _Subjects(set()), writers(drawing)
    pairs = [*_conversation_writers(drawing, people)]
    for number, ((folder, writer), share) in enumerate(zip(pairs, _age_shares(drawing, pairs), strict=True)):
        key = ("conversation", number)
        about = subjects.draw(drawing, writer, folder, *key)
        subject = about.says("subject")
        low, high = _SPANS[folder]
        # Minutes are 1 modulo 7, and seconds depend on the conversation, so that mails have different times.
        minutes = int((low + share * (high - low)) * 1440) // 7 * 7 + 1
        copied = _copy_addresses(drawing, people, writer, *key)
        letters = _letters(drawing, folder, writer, copied, minutes, about)
        columns = {"id": slug(subject), "subject": subject, "folder": folder}
        fits = fitting_labels()[about.topic["subject"]]
        threads.append({**columns, "letters": letters, "writer": writer.id, "fits": fits, "about": (about, writer)})
    threads.sort(key=lambda thread: thread["letters"][-1]["at"], reverse=True)
    _write_letters(drawing, threads)
    inbox = [thread for thread in threads if thread["folder"] == "inbox"]
    unread = drawing.shuffled(inbox[: _UNREAD[1]], "unread")[: _UNREAD[0]]
    for thread in threads:
        key = ("flags", thread["id"])
        free = thread in inbox[:_AS_NEW] or thread["folder"] == "trash"
        is_old_star = thread in [inbox[-place] for place in _OLD_STARS]
        thread |= {
            "starred": int(is_old_star or (not free and drawing.unit(*key, "star") < 0.18)),
            "unread": int(thread["folder"] == "inbox" and (thread in unread or drawing.unit(*key, "unread") < 0.25)),
            "was": "inbox" if thread["folder"] == "trash" else "",
        }
    # The oldest first, because rows that people add come last.
    return threads[::-1]


def me(drawing: Drawing) -> Entity:
    """Return the owner of the mailbox: the world's own person."""
    return drawing.made["Person"][0]


def writers(drawing: Drawing) -> list[Entity]:
    """Return people with different names, frequent writers first; some have names that are easily confused."""
    people = drawing.shuffled(drawing.made["Person"][1:], "people")
    frequent = people[:_FREQUENT]
    firsts, lasts = {person.first for person in frequent}, {person.last for person in frequent}
    namesakes = [person for person in people if person.first in firsts or person.last in lasts]
    # Make names unique, because goals and lists identify people by name.
    by_name = {person.name: person for person in reversed([*frequent, *namesakes, *people])}
    names = dict.fromkeys(person.name for person in [*frequent, *namesakes, *people])
    return [by_name[name] for name in names][: _FREQUENT + _OTHERS]


def _conversation_writers(drawing: Drawing, people: Sequence[Entity]) -> Iterator[tuple[str, Entity]]:
    """Yield the folder and the writer of every conversation."""
    papers = [Entity(row) for row in drawing.shuffled(corpus()["newsletters"], "newsletters")[:_NEWSLETTERS]]
    services = [Entity(row) for row in drawing.shuffled(corpus()["services"], "services")[:_SERVICES]]
    frequent = {"inbox": (2, 4), "archive": (1, 3), "trash": (0, 2), "sent": (0, 2)}
    issues = {"inbox": (4, 5), "archive": (1, 2), "trash": (1, 2)}
    notices = {"inbox": (1, 2), "archive": (0, 1), "trash": (0, 1)}
    for writer, folders in [
        *((person, frequent) for person in people[:_FREQUENT]),
        *((paper, issues) for paper in papers),
        *((service, notices) for service in services),
    ]:
        for folder, (low, high) in folders.items():
            for _ in range(low + int(drawing.unit("count", writer.id, folder) * (high - low + 1))):
                yield folder, writer
    for person in people[_FREQUENT:]:
        yield drawing.pick(("inbox", "inbox", "archive", "sent"), "once", person.id), person


def _age_shares(drawing: Drawing, pairs: Sequence[tuple[str, Entity]]) -> list[float]:
    """Return where in the span of its folder each conversation is; mail of companies comes to the inbox regularly."""
    shares = [drawing.unit("conversation", number, "ago") for number in range(len(pairs))]
    companies = [number for number, (folder, who) in enumerate(pairs) if folder == "inbox" and not is_person(who)]
    services = [number for number in companies if is_service(pairs[number][1])]
    for numbers in (services, [number for number in companies if number not in services]):
        for place, number in enumerate(drawing.shuffled(numbers, "regular")):
            shares[number] = (place + shares[number]) / len(numbers)
    return shares


class _Subjects:
    """Draws subjects; as long as there are others, a topic comes once for each writer and once in the inbox."""

    def __init__(self, used_slugs: set[str]) -> None:
        """Take the keys of subjects that exist already."""
        self._used_slugs, self._uses = used_slugs, Counter[str]()
        self._used_topics = set[tuple[str, str]]()
        """Pairs of a folder or a writer, and a topic."""

    def draw(self, drawing: Drawing, writer: Entity, folder: str, *key: Any) -> Subject:
        """Return an unused subject for a folder; raises UserError if none is left."""
        kinds = corpus()["kinds"]
        usual = writer.get("topics") or drawing.pick(kinds, "kind", writer.id)["topics"]
        every = writer.get("topics") or [topic for kind in kinds for topic in kind["topics"]]
        topics = drawing.shuffled(every, *key, "topics")
        topics.sort(
            key=lambda topic: (self._is_used(writer, folder, topic), topic not in usual, self._uses[topic["subject"]])
        )
        for attempt in range(_ATTEMPTS):
            about = Subject(drawing, topics[attempt % len(topics)], *key, "about", attempt)
            name, topic = slug(about.says("subject")), about.topic["subject"]
            # A subject must not contain another one, or a search would find both.
            if not any(name in other or other in name for other in self._used_slugs):
                self._used_slugs.add(name)
                self._uses[topic] += 1
                self._used_topics |= {(folder, topic), (writer.id, topic)}
                return about
        raise UserError(f"mail: no subject left for {writer.id} in {_ATTEMPTS} draws")

    def _is_used(self, writer: Entity, folder: str, topic: Values) -> bool:
        return not self._used_topics.isdisjoint({(folder, topic["subject"]), (writer.id, topic["subject"])})


def _copy_addresses(drawing: Drawing, people: Sequence[Entity], writer: Entity, *key: Any) -> str:
    """Return the addresses that get a copy of a conversation's mails."""
    if not is_person(writer):
        return ""
    others = drawing.shuffled([person.id for person in people if person.id != writer.id], *key, "copied")
    return ", ".join(sorted(others[: drawing.pick((0, 0, 1, 2), *key, "copies")]))


def _letters(drawing: Drawing, folder: str, writer: Entity, cc: str, minutes: int, about: Subject) -> list[Values]:
    """Return the mails of a conversation in chronological order, without texts; the last is `minutes` minutes old."""
    owner, person, key = me(drawing), is_person(writer), about.key
    number = key[1]
    count = drawing.pick((1, 1, 3), *key, "turns") if person else 1
    # The writer's mail is the last one, except in sent conversations without an answer.
    turns = [owner] if folder == "sent" else [writer, owner, writer][:count]
    mails: list[Values] = []
    for later, who in enumerate(reversed(turns)):
        # Each mail is some hours older than the next one.
        minutes += int((0.3 + drawing.unit(*key, "gap", later)) * 1440) if later else 0
        age = timedelta(minutes=minutes, seconds=number % 60)
        sent = moment(_by_day(drawing, drawing.start - age))
        mails.append({**_sender(who), "to": writer.id if who is owner else owner.id, "cc": cc, "at": sent})
    return mails[::-1]


def _write_letters(drawing: Drawing, threads: Sequence[Values]) -> None:
    """Give every mail its text; `threads` has the newest conversation first, as lists show them."""
    owner, frames = me(drawing), Frames(drawing)
    for thread in threads:
        about, writer = thread.pop("about")
        writers = [owner if letter["sender"] == owner.id else writer for letter in thread["letters"]]
        parts = [*zip(writers, ("text", "answer", "back"), strict=False)]
        chosen = frames.choose(thread["folder"], about, parts, is_contact(drawing, writer))
        for turn, (letter, (who, part), frame) in enumerate(zip(thread["letters"], parts, chosen, strict=True)):
            letter["body"] = about.framed(frame, part, who, writer if who is owner else owner, turn)


def _by_day(drawing: Drawing, arrival: datetime) -> datetime:
    """Map a moment to between 7:00 and 23:00 on the same day, and before now; order is preserved."""
    midnight = datetime.combine(arrival.date(), time())
    today = midnight.date() == drawing.start.date()
    begin = midnight + timedelta(hours=7)
    # Today's mail arrived between 7:00 and 9:00, the start of the world's time.
    share = 2 / drawing.start.hour if today else 16 / 24
    return begin + timedelta(minutes=int((arrival - midnight).seconds // 60 * share), seconds=arrival.second)


def _sender(writer: Entity) -> Values:
    if is_person(writer):
        return {"sender": writer.id, "sender_name": writer.name}
    return {"sender": f"{writer.get('box', 'news')}@{writer.domain}", "sender_name": writer.id}


def messages(drawing: Drawing) -> Iterator[Values]:
    """Yield every mail of every conversation."""
    for thread in drawing.made["Thread"]:
        for place, letter in enumerate(thread.letters, 1):
            yield {"id": f"{thread.id}/{place}", "thread": thread.id, **letter, "quotes": "", "signature": ""}


def taggings(drawing: Drawing) -> Iterator[Values]:
    """Yield the labels of conversations, which fit their topics; a few have two, many have none."""
    for thread in drawing.made["Thread"]:
        fitting = [label.id for label in drawing.made["MailLabel"] if label.name in thread.fits]
        many = drawing.pick((0, 1, 1, 2), "labels", thread.id)
        for label in drawing.shuffled(fitting, "labels", thread.id)[:many]:
            yield {"id": f"{thread.id}/{label}", "thread": thread.id, "label": label}


def is_contact(drawing: Drawing, writer: Entity) -> bool:
    """Return whether a writer is in the address book."""
    return drawing.unit("known", writer.id) < _KNOWN


def contacts(drawing: Drawing) -> Iterator[Values]:
    """Yield the address book: most writers, some without a phone number."""
    for person in sorted(writers(drawing), key=lambda person: person.name):
        if is_contact(drawing, person):
            phone = person.phone if drawing.unit("phone", person.id) < 0.75 else ""
            columns = {"name": person.name, "email": person.id, "phone": phone, "company": person.employer, "notes": ""}
            yield {"id": slug(person.name), **columns}


def drafts(drawing: Drawing) -> Iterator[Values]:
    """Yield unsent mails that were started in the last days."""
    people = {person.id: person for person in drawing.made["Person"]}
    addressees = [people[row.email] for row in drawing.shuffled(drawing.made["Contact"], "drafts")]
    subjects = _Subjects({slug(row.subject) for entity in ("Thread", "ScheduledMail") for row in drawing.made[entity]})
    for number, person in enumerate(addressees[:_DRAFTS]):
        key = ("draft", number)
        about = subjects.draw(drawing, person, "drafts", *key)
        begin = drawing.start - timedelta(days=1 + 3 * number, minutes=int(drawing.unit(*key, "ago") * 900))
        text = f"{greeting(drawing, person.first, *key)}\n\n{about.says('text')}"
        mail = {"to": person.id, "cc": "", "subject": about.says("subject"), "body": text}
        yield {"id": slug(mail["subject"]), **mail, "at": moment(_by_day(drawing, begin))}


def scheduled(drawing: Drawing) -> Iterator[Values]:
    """Yield mails scheduled for the next weeks; two of them are on the same day."""
    people = {person.id: person for person in drawing.made["Person"]}
    chosen = [people[contact.email] for contact in drawing.shuffled(drawing.made["Contact"], "later")]
    days_ahead = drawing.shuffled(range(2, 24), "later", "days")[:7]
    days = [*days_ahead, days_ahead[0]]
    subjects = _Subjects({slug(thread.subject) for thread in drawing.made["Thread"]})
    for number, (ahead, person) in enumerate(zip(days, chosen, strict=False)):
        key = ("later", number)
        about = subjects.draw(drawing, person, "scheduled", *key)
        subject = about.says("subject")
        text = about.framed(corpus()["frames"]["known"][number], "text", me(drawing), person)
        day = (drawing.start + timedelta(days=ahead)).date().isoformat()
        clock = f"{8 + number:02d}:{drawing.pick(('00', '30'), *key, 'time')}"
        yield {"id": slug(subject), "to": person.id, "subject": subject, "body": text, "day": day, "time": clock}
