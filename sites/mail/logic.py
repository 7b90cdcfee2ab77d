"""Data and actions of the mail site that its spec cannot express."""

from collections.abc import Callable, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.kit.logic.ticked import ticked
from stressweb.sites.kit.widgets.listing.model import words
from stressweb.sites.mail.derived_entities import days, gaps, letters, outgoing
from stressweb.sites.mail.mailbox import Shown, conversation_list, letters_of, mails_of, me, preview, setting_of, when
from stressweb.sites.mail.plan import contacts, conversations, drafts, messages, scheduled, taggings
from stressweb.sites.mail.sending import addresses, answered, begin, recipients, send

# The spec names functions of this module; those that make the data are defined in other modules.
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

_SEARCH_FIELDS = ("q", "from", "after", "before", "folder", "unread")
"""Fields of the search form."""
_PLACES = {"inbox": "link_inbox", "archive": "link_archive", "sent": "link_sent", "trash": "link_trash"}
"""Label key of each folder's name."""


def inbox(visit: Visit) -> Shown:
    """Return the conversations of the inbox."""
    return conversation_list(visit, lambda thread: thread.folder == "inbox")


def archive(visit: Visit) -> Shown:
    """Return the conversations of the archive."""
    return conversation_list(visit, lambda thread: thread.folder == "archive")


def trash(visit: Visit) -> Shown:
    """Return the conversations in the trash."""
    return conversation_list(visit, lambda thread: thread.folder == "trash")


def starred(visit: Visit) -> Shown:
    """Return the conversations with a star, except those in the trash."""
    return conversation_list(visit, lambda thread: thread.starred and thread.folder != "trash")


def labelled(visit: Visit) -> Shown:
    """Return the conversations with the page's label, except those in the trash."""
    tagged = {tagging.thread for tagging in visit.store.where("Tagging", {"label": visit.names["mail_label"].id})}
    return conversation_list(visit, lambda thread: thread.id in tagged and thread.folder != "trash")


def found(visit: Visit) -> Shown:
    """Return the conversations that match the query; none for an empty query."""
    query = Entity({name: visit.args.get(name, "").strip() for name in _SEARCH_FIELDS})
    wanted, writer = words(query.q), words(query["from"])
    is_query = wanted or writer or any(query[name] for name in ("after", "before", "folder", "unread"))
    mails = mails_of(visit)

    def fits(thread: Entity) -> bool:
        own_mails = mails[thread.id]
        texts = [f"{mail.sender_name} {mail.to} {mail.body}" for mail in own_mails]
        return bool(is_query) and all((
            thread.folder == query.folder if query.folder else thread.folder != "trash",
            thread.unread or not query.unread,
            wanted <= words(" ".join([thread.subject, *texts])),
            not writer or any(writer <= words(f"{mail.sender_name} {mail.sender}") for mail in own_mails),
            not query.after or own_mails[-1].at[:10] >= query.after,
            not query.before or own_mails[-1].at[:10] <= query.before,
        ))  # fmt: skip

    return {**conversation_list(visit, fits), "asked": query}


def sent(visit: Visit) -> Shown:
    """Return the sent mails except those in the trash, the newest first."""
    own_address, threads = me(visit).id, {thread.id: thread for thread in visit.store.where("Thread", {})}
    names = {contact.email: contact.name for contact in visit.store.where("Contact", {})}
    rows = [
        Entity({
            **mail,
            "subject": threads[mail.thread].subject,
            "names": ", ".join(names.get(to, to) for to in mail.to.split(", ")),
            "preview": preview(mail.body),
            "when": when(visit, mail.at),
        })
        for mail in visit.store.where("Message", {"sender": own_address})
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
    """Return the initial values of the form: a draft, or the recipient and the template in the query."""
    if draft := visit.store.one("Draft", visit.args.get("draft", "")):
        return {"draft": draft}
    template = visit.store.one("MailTemplate", visit.args.get("template", "")) or Entity(subject="", body="")
    return {"draft": Entity(id="", to=visit.args.get("to", ""), cc="", subject=template.subject, body=template.body)}


def drafts_here(visit: Visit) -> Shown:
    """Return the drafts for their list, the latest first."""
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
    """Save an unfinished mail; if it was opened from a draft, update the draft."""
    columns = {name: visit.values[name] for name in ("to", "cc", "subject", "body")} | {"at": visit.store.now}
    if visit.store.one("Draft", visit.values["draft"]):
        visit.store.change("Draft", {"id": visit.values["draft"]}, columns)
    else:
        visit.store.put("Draft", {"id": visit.store.free_key("Draft", columns), **columns})


def reply(visit: Visit) -> Shown:
    """Return the recipient of an answer to the last mail."""
    return {"draft": Entity(to=answered(visit)[0], cc="")}


def reply_all(visit: Visit) -> Shown:
    """Return the recipient of an answer, and as copies all other recipients of the last mail."""
    to, others = answered(visit)
    return {"draft": Entity(to=to, cc=others)}


def forward(visit: Visit) -> Shown:
    """Return an empty form."""
    return {"draft": Entity(to="", cc="")}


def settings(visit: Visit) -> Shown:
    """Return the settings and the open tab."""
    tabs = {"/settings": "link_general", "/settings/signature": "link_signature", "/settings/away": "link_away"}
    return {"setting": setting_of(visit), "current": tabs.get(visit.here.partition("?")[0], "")}


def unread_count(visit: Visit) -> Shown:
    """Return the number of unread conversations outside the trash."""
    return {"count": len([thread for thread in visit.store.where("Thread", {"unread": 1}) if thread.folder != "trash"])}


def toggle_star(visit: Visit) -> None:
    """Give a conversation a star, or remove it."""
    row = visit.values["thread"]
    visit.store.change("Thread", {"id": row.id}, {"starred": 1 - row.starred})


def star_ticked(visit: Visit) -> Shown:
    """Give all ticked conversations a star."""
    return _each(visit, lambda thread: {"starred": 1})


def read_ticked(visit: Visit) -> Shown:
    """Mark all ticked conversations as read."""
    return _each(visit, lambda thread: {"unread": 0})


def unread_ticked(visit: Visit) -> Shown:
    """Mark all ticked conversations as unread."""
    return _each(visit, lambda thread: {"unread": 1})


def archive_ticked(visit: Visit) -> Shown:
    """Move all ticked conversations to the archive."""
    return _each(visit, lambda thread: {"folder": "archive"})


def inbox_ticked(visit: Visit) -> Shown:
    """Move all ticked conversations to the inbox."""
    return _each(visit, lambda thread: {"folder": "inbox"})


def trash_ticked(visit: Visit) -> Shown:
    """Move all ticked conversations to the trash."""
    # Those already in the trash keep their previous folder.
    return _each(visit, lambda thread: {} if thread.folder == "trash" else {"folder": "trash", "was": thread.folder})


def restore_ticked(visit: Visit) -> Shown:
    """Move all ticked conversations back to their previous folders."""
    return _each(visit, lambda thread: {"folder": thread.was or "inbox", "was": ""} if thread.folder == "trash" else {})


def label_ticked(visit: Visit) -> Shown:
    """Put a label on all ticked conversations."""
    label = visit.values["put_label"]
    rows = ticked(visit, "threads")
    for thread in rows:
        visit.store.put("Tagging", {"id": f"{thread.id}/{label}", "thread": thread.id, "label": label})
    return {"count": len(rows)}


def drop_taggings(visit: Visit) -> None:
    """Remove a deleted label from all conversations."""
    visit.store.drop("Tagging", {"label": visit.values["mail_label"].id})


def send_mail(visit: Visit) -> Shown:
    """Send a mail, which begins a conversation; its draft is deleted."""
    to, cc = recipients(visit)
    visit.store.drop("Draft", {"id": visit.values["draft"]})
    return begin(visit, visit.values["subject"], to, cc, "")


def send_reply(visit: Visit) -> Shown:
    """Send an answer in a conversation."""
    to, cc = recipients(visit)
    return send(visit, visit.values["thread"].id, to, cc, "")


def send_forward(visit: Visit) -> Shown:
    """Forward the last mail of a conversation, which begins another conversation."""
    to, cc = recipients(visit)
    row = visit.values["thread"]
    return begin(visit, f"Fwd: {row.subject}", to, cc, letters_of(visit, row.id)[-1].id)


def check_later(visit: Visit) -> Shown:
    """Return the recipients of a scheduled mail; raises RefusedError if its time has passed."""
    if f"{visit.values['day']} {visit.values['time']}" <= visit.store.now[:16]:
        raise RefusedError("error_past", "day")
    return {"to": addresses(visit, "to")}


def check_days(visit: Visit) -> None:
    """Raise RefusedError if the last day of absence is before the first."""
    if visit.values["away_to"] < visit.values["away_from"]:
        raise RefusedError("error_days", "away_to")


def _each(visit: Visit, change: Callable[[Entity], Mapping[str, Any]]) -> Shown:
    rows = ticked(visit, "threads")
    for row in rows:
        if values := change(row):
            visit.store.change("Thread", {"id": row.id}, values)
    return {"count": len(rows)}
