"""What the mail site's spec cannot say: what pages show, and what several conversations undergo at once."""

from collections.abc import Callable, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.kit.logic.ticked import ticked
from stressweb.sites.kit.widgets.listing.model import words
from stressweb.sites.mail.derived_entities import days, gaps, letters, outgoing
from stressweb.sites.mail.mailbox import Shown, letters_of, listed, mails_of, me, preview, setting_of, when
from stressweb.sites.mail.plan import contacts, conversations, drafts, messages, scheduled, taggings
from stressweb.sites.mail.sending import addresses, answered, begin, recipients, send

# The spec names functions of this module; those that make the data live in modules of their own.
__all__ = [
    "contacts",
    "conversations",
    "days",
    "drafts",
    "gaps",
    "letters",
    "messages",
    "outgoing",
    "scheduled",
    "taggings",
]

_ASKED = ("q", "from", "after", "before", "folder", "unread")
"""What a search can ask for."""
_PLACES = {"inbox": "link_inbox", "archive": "link_archive", "sent": "link_sent", "trash": "link_trash"}
"""Label key of each folder's name."""


def inbox(visit: Visit) -> Shown:
    """Return the conversations of the inbox."""
    return listed(visit, lambda thread: thread.folder == "inbox")


def archive(visit: Visit) -> Shown:
    """Return the conversations of the archive."""
    return listed(visit, lambda thread: thread.folder == "archive")


def trash(visit: Visit) -> Shown:
    """Return the conversations in the trash."""
    return listed(visit, lambda thread: thread.folder == "trash")


def starred(visit: Visit) -> Shown:
    """Return the conversations with a star, those in the trash left out."""
    return listed(visit, lambda thread: thread.starred and thread.folder != "trash")


def labelled(visit: Visit) -> Shown:
    """Return the conversations that have the label of the page, those in the trash left out."""
    have = {tagging.thread for tagging in visit.store.where("Tagging", {"label": visit.names["mail_label"].id})}
    return listed(visit, lambda thread: thread.id in have and thread.folder != "trash")


def found(visit: Visit) -> Shown:
    """Return the conversations that fit what was asked for; who asks for nothing sees none."""
    query = Entity({name: visit.args.get(name, "").strip() for name in _ASKED})
    wanted, writer = words(query.q), words(query["from"])
    asking = wanted or writer or any(query[name] for name in ("after", "before", "folder", "unread"))
    mails = mails_of(visit)

    def fits(thread: Entity) -> bool:
        there = mails[thread.id]
        texts = [f"{mail.sender_name} {mail.to} {mail.body}" for mail in there]
        return bool(asking) and all((
            thread.folder == query.folder if query.folder else thread.folder != "trash",
            thread.unread or not query.unread,
            wanted <= words(" ".join([thread.subject, *texts])),
            not writer or any(writer <= words(f"{mail.sender_name} {mail.sender}") for mail in there),
            not query.after or there[-1].at[:10] >= query.after,
            not query.before or there[-1].at[:10] <= query.before,
        ))  # fmt: skip

    return {**listed(visit, fits), "asked": query}


def sent(visit: Visit) -> Shown:
    """Return the mails that were sent, the newest first, those in the trash left out."""
    mine, threads = me(visit).id, {thread.id: thread for thread in visit.store.where("Thread", {})}
    names = {contact.email: contact.name for contact in visit.store.where("Contact", {})}
    rows = [
        Entity({
            **mail,
            "subject": threads[mail.thread].subject,
            "names": ", ".join(names.get(to, to) for to in mail.to.split(", ")),
            "preview": preview(mail.body),
            "when": when(visit, mail.at),
        })
        for mail in visit.store.where("Message", {"sender": mine})
        if threads[mail.thread].folder != "trash"
    ]  # fmt: skip
    return {"letters": sorted(rows, key=lambda mail: mail.at, reverse=True)}


def thread(visit: Visit) -> Shown:
    """Return the mails and labels of a conversation."""
    row = visit.names["thread"]
    tags = visit.store.where("Tagging", {"thread": row.id})
    labels = [Entity({**(visit.store.one("MailLabel", tag.label) or {}), "tagging": tag.id}) for tag in tags]
    quoted = [
        Entity({**letter, "quoted": [mail] if (mail := visit.store.one("Message", letter.quotes)) else []})
        for letter in letters_of(visit, row.id)
    ]
    place = Entity(name=visit.say(_PLACES[row.folder]), path=visit.frame.sections[_PLACES[row.folder]])
    conversation = Entity({**row, "place": _PLACES[row.folder]})
    return {"conversation": conversation, "messages": quoted, "labels": labels, "place": place}


def compose(visit: Visit) -> Shown:
    """Return what stands in the form at first: a draft, or the recipient and the template that were asked for."""
    if draft := visit.store.one("Draft", visit.args.get("draft", "")):
        return {"draft": draft}
    template = visit.store.one("MailTemplate", visit.args.get("template", "")) or Entity(subject="", body="")
    return {"draft": Entity(id="", to=visit.args.get("to", ""), cc="", subject=template.subject, body=template.body)}


def drafts_here(visit: Visit) -> Shown:
    """Return the drafts as their list shows them, the one changed last first."""
    names = {contact.email: contact.name for contact in visit.store.where("Contact", {})}
    rows = [
        Entity({
            **draft,
            "title": draft.subject or visit.say("no_subject"),
            "names": ", ".join(names.get(address, address) for address in draft.to.split(", ")),
            "preview": preview(draft.body),
            "when": when(visit, draft.at),
        })
        for draft in visit.store.where("Draft", {})
    ]  # fmt: skip
    return {"drafts": sorted(rows, key=lambda draft: draft.at, reverse=True)}


def save_draft(visit: Visit) -> None:
    """Keep a mail that is not finished; a draft that was opened is written anew."""
    columns = {name: visit.values[name] for name in ("to", "cc", "subject", "body")} | {"at": visit.store.now}
    if visit.store.one("Draft", visit.values["draft"]):
        visit.store.change("Draft", {"id": visit.values["draft"]}, columns)
    else:
        visit.store.put("Draft", {"id": visit.store.free_key("Draft", columns), **columns})


def reply(visit: Visit) -> Shown:
    """Return whom an answer to the last mail goes to."""
    return {"draft": Entity(to=answered(visit)[0], cc="")}


def reply_all(visit: Visit) -> Shown:
    """Return whom an answer goes to, and who gets a copy: everybody else who has the last mail."""
    to, others = answered(visit)
    return {"draft": Entity(to=to, cc=others)}


def forward(visit: Visit) -> Shown:
    """Return an empty form."""
    return {"draft": Entity(to="", cc="")}


def settings(visit: Visit) -> Shown:
    """Return the settings, and which tab is open."""
    tabs = {"/settings": "link_general", "/settings/signature": "link_signature", "/settings/away": "link_away"}
    return {"setting": setting_of(visit), "current": tabs.get(visit.here.partition("?")[0], "")}


def unread_count(visit: Visit) -> Shown:
    """Return how many conversations of the inbox are unread."""
    return {"count": len([thread for thread in visit.store.where("Thread", {"unread": 1}) if thread.folder != "trash"])}


def toggle_star(visit: Visit) -> None:
    """Turn the star of a conversation over."""
    row = visit.values["thread"]
    visit.store.change("Thread", {"id": row.id}, {"starred": 1 - row.starred})


def star_ticked(visit: Visit) -> Shown:
    """Give everything that is ticked a star."""
    return _each(visit, lambda thread: {"starred": 1})


def read_ticked(visit: Visit) -> Shown:
    """Mark everything that is ticked as read."""
    return _each(visit, lambda thread: {"unread": 0})


def unread_ticked(visit: Visit) -> Shown:
    """Mark everything that is ticked as unread."""
    return _each(visit, lambda thread: {"unread": 1})


def archive_ticked(visit: Visit) -> Shown:
    """Move everything that is ticked to the archive."""
    return _each(visit, lambda thread: {"folder": "archive"})


def inbox_ticked(visit: Visit) -> Shown:
    """Move everything that is ticked to the inbox."""
    return _each(visit, lambda thread: {"folder": "inbox"})


def trash_ticked(visit: Visit) -> Shown:
    """Move everything that is ticked to the trash."""
    # What is in the trash already keeps the place that it came from.
    return _each(visit, lambda thread: {} if thread.folder == "trash" else {"folder": "trash", "was": thread.folder})


def restore_ticked(visit: Visit) -> Shown:
    """Put everything that is ticked back where it came from."""
    return _each(visit, lambda thread: {"folder": thread.was or "inbox", "was": ""} if thread.folder == "trash" else {})


def label_ticked(visit: Visit) -> Shown:
    """Put a label on everything that is ticked."""
    label = visit.values["put_label"]
    rows = ticked(visit, "threads")
    for thread in rows:
        visit.store.put("Tagging", {"id": f"{thread.id}/{label}", "thread": thread.id, "label": label})
    return {"count": len(rows)}


def drop_taggings(visit: Visit) -> None:
    """Take a label that is deleted off all conversations."""
    visit.store.drop("Tagging", {"label": visit.values["mail_label"].id})


def send_mail(visit: Visit) -> Shown:
    """Send a mail, which begins a conversation; a draft of it is gone."""
    to, cc = recipients(visit)
    visit.store.drop("Draft", {"id": visit.values["draft"]})
    return begin(visit, visit.values["subject"], to, cc, "")


def send_reply(visit: Visit) -> Shown:
    """Send an answer within a conversation."""
    to, cc = recipients(visit)
    return send(visit, visit.values["thread"].id, to, cc, "")


def send_forward(visit: Visit) -> Shown:
    """Send the last mail of a conversation on, which begins another one."""
    to, cc = recipients(visit)
    row = visit.values["thread"]
    return begin(visit, f"Fwd: {row.subject}", to, cc, letters_of(visit, row.id)[-1].id)


def check_later(visit: Visit) -> Shown:
    """Return the recipients of a mail for later; raise RefusedError if its time has passed."""
    if f"{visit.values['day']} {visit.values['time']}" <= visit.store.now[:16]:
        raise RefusedError("error_past", "day")
    return {"to": addresses(visit, "to")}


def check_days(visit: Visit) -> None:
    """Raise RefusedError if the last day away is before the first."""
    if visit.values["away_to"] < visit.values["away_from"]:
        raise RefusedError("error_days", "away_to")


def _each(visit: Visit, change: Callable[[Entity], Mapping[str, Any]]) -> Shown:
    rows = ticked(visit, "threads")
    for row in rows:
        if values := change(row):
            visit.store.change("Thread", {"id": row.id}, values)
    return {"count": len(rows)}
