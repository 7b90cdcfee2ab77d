"""Sending mail: its recipients, and the rows that it adds."""

import re

from stressweb.core.entity import Entity
from stressweb.sites.kit import MissingError, RefusedError, Visit
from stressweb.sites.mail.mailbox import Shown, letters_of, me, setting_of

_ADDRESS = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[a-z]{2,}")


def answered(visit: Visit) -> tuple[str, str]:
    """Return the recipient of an answer to the last mail of a conversation, and the mail's other recipients."""
    own_address, mails = me(visit).id, letters_of(visit, visit.names["thread"].id)
    if not mails:
        raise MissingError
    last = mails[-1]
    to = last.to if last.sender == own_address else last.sender
    others = {*last.to.split(", "), *last.cc.split(", ")} - {own_address, "", *to.split(", ")}
    return to, ", ".join(sorted(others))


def addresses(visit: Visit, field: str) -> str:
    """Return the addresses in a field, sorted; raises RefusedError for an unknown or ambiguous name."""
    # Keep all addresses of a name: if two contacts have the same name, it is ambiguous.
    known: dict[str, list[str]] = {}
    for contact in visit.store.where("Contact", {}):
        known.setdefault(contact.name.casefold(), []).append(contact.email)
    chosen: set[str] = set()
    for text in filter(None, (part.strip() for part in re.split(r"[,;]", visit.values[field]))):
        named = known.get(text.casefold(), [])
        # People paste addresses such as "Anna Berg <anna@berg.com>".
        address = re.sub(r"^[^<>]*<([^<>]*)>$", r"\1", text).lower()
        if len(named) != 1 and not _ADDRESS.fullmatch(address):
            raise RefusedError("error_to", field)
        chosen.add(named[0] if len(named) == 1 else address)
    if visit.values[field] and not chosen:
        raise RefusedError("error_to", field)
    return ", ".join(sorted(chosen))


def recipients(visit: Visit) -> tuple[str, str]:
    """Return the recipients of a mail, and those of copies."""
    return addresses(visit, "to"), addresses(visit, "cc")


def begin(visit: Visit, subject: str, to: str, cc: str, quotes: str) -> Shown:
    """Add a conversation with its first mail."""
    row = {"subject": subject, "folder": "sent", "was": "", "starred": 0, "unread": 0}
    key = visit.store.free_key("Thread", row)
    visit.store.put("Thread", {"id": key, **row})
    return {**send(visit, key, to, cc, quotes), "made": Entity(id=key)}


def send(visit: Visit, key: str, to: str, cc: str, quotes: str) -> Shown:
    """Add a mail to a conversation."""
    who = me(visit)
    row = {"thread": key, "sender": who.id, "sender_name": who.name, "to": to, "cc": cc, "at": visit.store.now,
        "body": visit.values["body"], "quotes": quotes, "signature": setting_of(visit).signature}  # fmt: skip
    visit.store.put("Message", {"id": visit.store.free_key("Message", row), **row})
    return {"to": to}
