"""Lists of conversations with their mails and labels."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Visit
from stressweb.sites.kit.logic.tags import tags_by_row
from stressweb.sites.kit.wording import dates

_PREVIEW = 90
"""Maximum number of characters of a mail in a list."""

SHOWS: Mapping[str, Callable[[Entity], object]] = {
    "all": lambda row: True,
    "unread": lambda row: row.unread,
    "starred": lambda row: row.starred,
}
"""The filters of a list."""
ORDERS = ("new", "old", "sender")
"""The sort orders of a list."""

type Shown = Mapping[str, Any]


def me(visit: Visit) -> Entity:
    """Return the owner of the mailbox."""
    return visit.world.entities["Person"][0]


def setting_of(visit: Visit) -> Entity:
    """Return the settings."""
    (setting,) = visit.store.where("Setting", {})
    return setting


def preview(body: str) -> str:
    """Return the beginning of a mail."""
    text = " ".join(body.replace("**", "").split())
    return text if len(text) <= _PREVIEW else f"{text[:_PREVIEW].rsplit(' ', 1)[0]} ..."


def when(visit: Visit, arrival: str) -> str:
    """Return a mail's time for a list: the time of day, `Yesterday`, or the day, with the year if it is another one."""
    day, today = date.fromisoformat(arrival[:10]), date.fromisoformat(visit.today)
    if day == today:
        return arrival[11:16]
    if day == today - timedelta(days=1):
        return visit.say("yesterday")
    return (dates.brief if day.year == today.year else dates.plain)(visit.look.dates, day)


def letters_of(visit: Visit, thread: str) -> list[Entity]:
    """Return the mails of a conversation in chronological order."""
    return sorted(visit.store.where("Message", {"thread": thread}), key=lambda mail: mail.at)


def mails_of(visit: Visit) -> dict[str, list[Entity]]:
    """Return the mails of every conversation in chronological order."""
    mails: dict[str, list[Entity]] = {}
    for mail in sorted(visit.store.where("Message", {}), key=lambda mail: mail.at):
        mails.setdefault(mail.thread, []).append(mail)
    return mails


def _list_paths(visit: Visit) -> tuple[Entity, tuple[str, str]]:
    """Return paths that filter or sort a list and keep the rest, and the labels of the current filter and order."""
    path = visit.here.partition("?")[0]
    show, order = (visit.args.get(name, "") for name in ("show", "order"))
    show, order = show if show in SHOWS else "all", order if order in ORDERS else "new"
    paths = {f"show_{name}": f"{path}?show={name}&order={order}" for name in SHOWS}
    paths |= {f"order_{name}": f"{path}?show={show}&order={name}" for name in ORDERS}
    return Entity(paths), (f"show_{show}", f"order_{order}")


def conversation_list(visit: Visit, wanted: Callable[[Entity], object]) -> Shown:
    """Return the matching conversations for a list, filtered and sorted by the query."""
    setting, mails, own_address = setting_of(visit), mails_of(visit), me(visit).id
    labels_of = tags_by_row(visit, "thread", of="MailLabel", tag_column="label")
    names = {contact.email: contact.name for contact in visit.store.where("Contact", {})}

    def list_row(thread: Entity) -> Entity:
        first, last = mails[thread.id][0], mails[thread.id][-1]
        who = first.sender_name if first.sender != own_address else names.get(first.to, first.to)
        many = f" ({len(mails[thread.id])})" if len(mails[thread.id]) > 1 else ""
        seen = {
            "at": last.at,
            "when": when(visit, last.at),
            "person": who,
            "who": who + many,
            "preview": preview(last.body),
            "labels": labels_of.get(thread.id, []),
        }
        return Entity({**thread, **seen, "strong": "kit-strong" if thread.unread else ""})

    paths, current = _list_paths(visit)
    is_shown, order = SHOWS[current[0].removeprefix("show_")], current[1]
    rows = [list_row(thread) for thread in visit.store.where("Thread", {}) if wanted(thread) and is_shown(thread)]
    rows.sort(key=lambda row: row.at, reverse=order != "order_old")
    if order == "order_sender":
        # The conversations of a sender remain in chronological order.
        rows.sort(key=lambda row: row.person.casefold())
    return {
        "threads": rows,
        "count": len(rows),
        "ways": paths,
        "current": current,
        "size": setting.page_size.removeprefix("size_"),
        "spacing": setting.density.replace("density_", "kit-"),
    }
