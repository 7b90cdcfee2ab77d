"""People: who is connected, who asks to be, who is followed, and what is written to and fro."""

from collections.abc import Iterable, Mapping
from typing import Any

from sites.kit import RefusedError, Visit
from sites.kit.widgets.listing.model import words
from stressweb.core.entity import Entity

type Shown = Mapping[str, Any]

_SUGGESTED = 8


def all_members(visit: Visit) -> dict[str, Entity]:
    """Return everybody by key; oneself with the profile as it is now."""
    found = {one.id: one for one in visit.store.where("Member", {})}
    (profile,) = visit.store.where("Profile", {})
    return found | {profile.id: Entity({**found[profile.id], **profile})}


def mine(visit: Visit) -> Entity:
    """Return whose network it is."""
    (own,) = visit.store.where("Member", {"link": "me"})
    return own


def shown_members(visit: Visit, rows: Iterable[Entity]) -> list[Entity]:
    """Return people as pages show them."""
    trades = {one.id: one.name for one in visit.store.where("Trade", {})}
    firms = {one.id: one.name for one in visit.store.where("Company", {})}
    known = ({"trade_name": trades[one.trade], "company_name": firms[one.company]} | one for one in rows)
    return with_followers(map(Entity, known))


def by_name(rows: Iterable[Entity]) -> list[Entity]:
    """Return rows in the order of their names."""
    return sorted(rows, key=lambda one: one.name)


def with_followers(rows: Iterable[Entity]) -> list[Entity]:
    """Return rows with the number of their followers, oneself included."""
    return [Entity({**one, "all_followers": one.followers + one.followed}) for one in rows]


def _linked(visit: Visit) -> list[Entity]:
    return by_name(visit.store.where("Member", {"link": "linked"}))


def invitations_here(visit: Visit) -> Shown:
    """Return who asks to be connected, the latest first, and a few whom one may know."""
    known = {one.id: one for one in shown_members(visit, visit.store.where("Member", {}))}
    asking = sorted(visit.store.where("Invitation", {}), key=lambda one: one.at, reverse=True)
    rows = [Entity({**known[one.member], "note": one.note, "at": one.at}) for one in asking]
    others = sorted((one for one in known.values() if one.link == "unknown"), key=lambda one: -one.mutual)
    return {"invitations": rows, "suggested": others[:_SUGGESTED]}


def invitation_count(visit: Visit) -> Shown:
    """Return how many people ask to be connected."""
    return {"count": len(visit.store.where("Invitation", {}))}


def asked_here(visit: Visit) -> Shown:
    """Return whom one has asked to be connected."""
    return {"asked": shown_members(visit, by_name(visit.store.where("Member", {"link": "asked"})))}


def connections_here(visit: Visit) -> Shown:
    """Return the connections that fit what was asked for, by name or the latest first."""
    asked = Entity({name: visit.args.get(name, "").strip() for name in ("words", "trade", "order")})
    rows = shown_members(visit, _linked(visit))
    fits = [
        one for one in rows
        if words(asked.words) <= words(f"{one.name} {one.headline}") and (not asked.trade or one.trade == asked.trade)
    ]  # fmt: skip
    if asked.order == "recent":
        fits.sort(key=lambda member: member.since, reverse=True)
    return {"people": fits, "asked": asked, "count": len(fits)}


def following_here(visit: Visit) -> Shown:
    """Return the people and companies that are followed, by name."""
    firms = by_name(visit.store.where("Company", {"followed": 1}))
    people = by_name(visit.store.where("Member", {"followed": 1}))
    return {"people": shown_members(visit, people), "companies": with_followers(firms)}


def accept(visit: Visit) -> Shown:
    """Become connected with somebody who asks to be."""
    return _answer(visit, {"link": "linked", "since": visit.today})


def decline(visit: Visit) -> Shown:
    """Turn an invitation down."""
    return _answer(visit, {"link": "unknown"})


def _answer(visit: Visit, values: Mapping[str, Any]) -> Shown:
    key = visit.values["invitation"].member
    visit.store.drop("Invitation", {"id": visit.values["invitation"].id})
    visit.store.change("Member", {"id": key}, values)
    return {"who": visit.store.one("Member", key)}


def toggle_follow(visit: Visit) -> None:
    """Follow somebody, or stop."""
    row = visit.values["member"]
    if row.link == "me":
        raise RefusedError("error_allowed")
    visit.store.change("Member", {"id": row.id}, {"followed": 1 - row.followed})


def toggle_follow_company(visit: Visit) -> None:
    """Follow a company, or stop."""
    row = visit.values["company"]
    visit.store.change("Company", {"id": row.id}, {"followed": 1 - row.followed})


def chats(visit: Visit) -> Shown:
    """Return the last message of each conversation, the latest first."""
    known, last = all_members(visit), {}
    for one in sorted(visit.store.where("Message", {}), key=lambda one: one.at):
        last[one.member] = Entity({**one, "name": known[one.member].name})
    return {"chats": sorted(last.values(), key=lambda one: one.at, reverse=True)}


def chat(visit: Visit) -> Shown:
    """Return what was written to and by the person of the page, the oldest first."""
    other, own = visit.names["member"], mine(visit)
    rows = [
        Entity({**one, "by": own.name if one.mine else other.name})
        for one in visit.store.where("Message", {"member": other.id})
    ]
    return {"messages": sorted(rows, key=lambda one: one.at)}


def send_message(visit: Visit) -> None:
    """Answer in a conversation."""
    _write(visit, visit.values["member"])


def write_message(visit: Visit) -> Shown:
    """Write to a connection who is named; raise RefusedError if nobody is called that."""
    wanted = " ".join(visit.values["to"].casefold().split())
    found = [one for one in _linked(visit) if one.name.casefold() == wanted]
    if not found:
        raise RefusedError("error_nobody", "to")
    _write(visit, found[0])
    return {"addressee": found[0]}


def _write(visit: Visit, to: Entity) -> None:
    numbers = [int(one.id.rpartition("/")[2]) for one in visit.store.where("Message", {"member": to.id})]
    said = {"member": to.id, "mine": 1, "text": visit.values["message_text"], "at": visit.store.now}
    visit.store.put("Message", {"id": f"{to.id}/{max(numbers, default=0) + 1}", **said})
