"""What goals name and no table holds: conversations and sent mail as they stand to each other, and days."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from sites.kit import Drawing
from sites.kit.wording import dates
from sites.mail.plan import Values, me

_FIRST, _LAST = -150, 60
"""The days, counted from the start of the world's time, that goals can name."""


def letters(drawing: Drawing) -> Iterator[Values]:
    """Yield every conversation with who began it, when its last mail came, and what an answer to it needs."""
    phones = {one.id: one.phone for one in drawing.made["Person"]}
    labels: dict[str, list[str]] = {one.id: [] for one in drawing.made["Thread"]}
    for one in drawing.made["Tagging"]:
        labels[one.thread].append(one.label)
    mine = me(drawing).id
    nth: Counter[tuple[str, str]] = Counter()
    total = Counter((one.folder, one.letters[0]["sender"]) for one in drawing.made["Thread"])
    known = {one.email for one in drawing.made["Contact"]}
    written = Counter((one.sender, one.at[:10]) for one in drawing.made["Message"])
    # The newest first, so that a person counts them as the list shows them.
    for one in reversed(drawing.made["Thread"]):
        first, last = one.letters[0], one.letters[-1]
        nth[one.folder, first["sender"]] += 1
        nth[one.folder, ""] += 1
        day = date.fromisoformat(last["at"][:10])
        yield {
            **{name: one[name] for name in ("id", "subject", "folder", "starred", "unread", "writer")},
            "name": first["sender_name"],
            "email": first["sender"],
            "answer_to": last["sender"],
            "others": last["cc"],
            "last": f"{one.id}/{len(one.letters)}",
            "mails": len(one.letters),
            "day": day.isoformat(),
            "ago": (drawing.start.date() - day).days,
            "nth": nth[one.folder, ""],
            "nth_from": nth[one.folder, first["sender"]],
            "of_sender": total[one.folder, first["sender"]],
            "labels": len(labels[one.id]),
            "label": "".join(labels[one.id][:1]),
            "phone": phones.get(one.writer, ""),
            "by": "me" if first["sender"] == mine else "person" if one.writer in phones else "paper",
            "sole": int(written[last["sender"], day.isoformat()] == 1),
            "known": int(first["sender"] in known),
        }


def gaps(drawing: Drawing) -> Iterator[Values]:
    """Yield every writer with each label that none of the writer's conversations in the inbox has."""
    theirs: dict[str, set[str]] = {}
    for one in drawing.made["Thread"]:
        if one.folder == "inbox":
            theirs.setdefault(one.letters[0]["sender"], set()).add(one.id)
    tagged = {(one.thread, one.label) for one in drawing.made["Tagging"]}
    for email, threads in theirs.items():
        for label in drawing.made["MailLabel"]:
            if not any((thread, label.id) in tagged for thread in threads):
                yield {"id": f"{email}/{label.id}", "email": email, "tag": label.id}


def outgoing(drawing: Drawing) -> Iterator[Values]:
    """Yield every mail that was sent and is not in the trash, with its number among those to the same person."""
    mine, names = me(drawing).id, {one.id: one.name for one in drawing.made["Person"]}
    kept = {one.id: one for one in drawing.made["Thread"] if one.folder != "trash"}
    sent = [one for one in drawing.made["Message"] if one.sender == mine and one.thread in kept]
    total, nth = Counter(one.to for one in sent), Counter[str]()
    for one in sorted(sent, key=lambda one: one.at, reverse=True):
        nth[one.to] += 1
        subject = kept[one.thread].subject
        place = {"nth": nth[one.to], "of_person": total[one.to]}
        yield {"id": one.id, "thread": one.thread, "subject": subject, "name": names[one.to], "email": one.to, **place}


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield the days before and after the start of the world's time."""
    today = drawing.start.date()
    later = Counter(one.day for one in drawing.made["ScheduledMail"])
    for ahead in range(_FIRST, _LAST + 1):
        day = today + timedelta(days=ahead)
        yield {
            "id": day.isoformat(),
            "name": dates.say(drawing.look.dates, day),
            "weekday": dates.WEEKDAYS[day.weekday()],
            "ahead": ahead,
            "ago": -ahead,
            # Weeks begin on Monday: next week may begin tomorrow.
            "weeks": (ahead + today.weekday()) // 7,
            "scheduled": later[day.isoformat()],
        }
