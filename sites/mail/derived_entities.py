"""Entities that goals refer to but no table holds: conversations and sent mail with their ranks, and days."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from stressweb.sites.kit import Drawing
from stressweb.sites.kit.wording import dates
from stressweb.sites.mail.letters import corpus
from stressweb.sites.mail.plan import Values, me

_FIRST, _LAST = -150, 60
"""First and last day that goals can name, in days from the start of the world's time."""


def letters(drawing: Drawing) -> Iterator[Values]:
    """Yield every conversation with its first sender, its last day, its ranks, and the data for an answer."""
    phones = {person.id: person.phone for person in drawing.made["Person"]}
    kinds = {
        **{paper["id"]: "paper" for paper in corpus()["newsletters"]},
        **{service["id"]: "service" for service in corpus()["services"]},
        **dict.fromkeys(phones, "person"),
    }
    labels: dict[str, list[str]] = {thread.id: [] for thread in drawing.made["Thread"]}
    for tagging in drawing.made["Tagging"]:
        labels[tagging.thread].append(tagging.label)
    own_address = me(drawing).id
    nth: Counter[tuple[str, str]] = Counter()
    total = Counter((thread.folder, thread.letters[0]["sender"]) for thread in drawing.made["Thread"])
    known = {contact.email for contact in drawing.made["Contact"]}
    written = Counter((mail.sender, mail.at[:10]) for mail in drawing.made["Message"])
    # The newest first, so that ranks are those in the list.
    for thread in reversed(drawing.made["Thread"]):
        first, last = thread.letters[0], thread.letters[-1]
        nth[thread.folder, first["sender"]] += 1
        nth[thread.folder, ""] += 1
        day, phone = date.fromisoformat(last["at"][:10]), phones.get(thread.writer, "")
        yield {
            **{name: thread[name] for name in ("id", "subject", "folder", "starred", "unread", "writer")},
            "name": first["sender_name"],
            "email": first["sender"],
            "answer_to": last["sender"],
            "others": last["cc"],
            "last": f"{thread.id}/{len(thread.letters)}",
            "mails": len(thread.letters),
            "day": day.isoformat(),
            "ago": (drawing.start.date() - day).days,
            "nth": nth[thread.folder, ""],
            "nth_from": nth[thread.folder, first["sender"]],
            "of_sender": total[thread.folder, first["sender"]],
            "labels": len(labels[thread.id]),
            "label": "".join(labels[thread.id][:1]),
            # Only what the mails show can be asked for.
            "phone": phone if any(phone in mail["body"] for mail in thread.letters) else "",
            "by": "me" if first["sender"] == own_address else kinds[thread.writer],
            "sole": int(written[last["sender"], day.isoformat()] == 1),
            "known": int(first["sender"] in known),
        }


def gaps(drawing: Drawing) -> Iterator[Values]:
    """Yield every pair of a sender and a label that none of the sender's conversations in the inbox has."""
    threads_by_sender: dict[str, set[str]] = {}
    for conversation in drawing.made["Thread"]:
        if conversation.folder == "inbox":
            threads_by_sender.setdefault(conversation.letters[0]["sender"], set()).add(conversation.id)
    tagged = {(tagging.thread, tagging.label) for tagging in drawing.made["Tagging"]}
    for email, threads in threads_by_sender.items():
        for label in drawing.made["MailLabel"]:
            if not any((thread, label.id) in tagged for thread in threads):
                yield {"id": f"{email}/{label.id}", "email": email, "tag": label.id}


def outgoing(drawing: Drawing) -> Iterator[Values]:
    """Yield every sent mail that is not in the trash, with its rank among those to the same person."""
    own_address, names = me(drawing).id, {person.id: person.name for person in drawing.made["Person"]}
    conversations = {thread.id: thread for thread in drawing.made["Thread"] if thread.folder != "trash"}
    sent = [mail for mail in drawing.made["Message"] if mail.sender == own_address and mail.thread in conversations]
    total, nth = Counter(mail.to for mail in sent), Counter[str]()
    for mail in sorted(sent, key=lambda mail: mail.at, reverse=True):
        nth[mail.to] += 1
        subject = conversations[mail.thread].subject
        rank = {"nth": nth[mail.to], "of_person": total[mail.to]}
        yield {
            "id": mail.id,
            "thread": mail.thread,
            "subject": subject,
            "name": names[mail.to],
            "email": mail.to,
            **rank,
        }


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield the days before and after the start of the world's time."""
    today = drawing.start.date()
    later = Counter(mail.day for mail in drawing.made["ScheduledMail"])
    for days_ahead in range(_FIRST, _LAST + 1):
        day = today + timedelta(days=days_ahead)
        yield {
            "id": day.isoformat(),
            "name": dates.say(drawing.look.dates, day),
            "weekday": dates.WEEKDAYS[day.weekday()],
            "ahead": days_ahead,
            "ago": -days_ahead,
            # Weeks begin on Monday: next week may begin tomorrow.
            "weeks": (days_ahead + today.weekday()) // 7,
            "scheduled": later[day.isoformat()],
        }
