"""People: connections, invitations, followed people, and messages."""

from collections.abc import Iterable, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.kit.widgets.listing.model import words

type Shown = Mapping[str, Any]

_SUGGESTED = 8


def all_members(visit: Visit) -> dict[str, Entity]:
    """Return all members by key; the own member has the current profile."""
    members = {member.id: member for member in visit.store.where("Member", {})}
    (profile,) = visit.store.where("Profile", {})
    return members | {profile.id: Entity({**members[profile.id], **profile})}


def own_member(visit: Visit) -> Entity:
    """Return the person whose network it is."""
    (own,) = visit.store.where("Member", {"link": "me"})
    return own


def shown_members(visit: Visit, rows: Iterable[Entity]) -> list[Entity]:
    """Return people with the columns that pages show."""
    trades = {trade.id: trade.name for trade in visit.store.where("Trade", {})}
    firms = {firm.id: firm.name for firm in visit.store.where("Company", {})}
    known = ({"trade_name": trades[member.trade], "company_name": firms[member.company]} | member for member in rows)
    return with_followers(map(Entity, known))


def by_name(rows: Iterable[Entity]) -> list[Entity]:
    """Return rows sorted by name."""
    return sorted(rows, key=lambda row: row.name)


def with_followers(rows: Iterable[Entity]) -> list[Entity]:
    """Return rows with their number of followers, including oneself."""
    return [Entity({**row, "all_followers": row.followers + row.followed}) for row in rows]


def _linked_members(visit: Visit) -> list[Entity]:
    return by_name(visit.store.where("Member", {"link": "linked"}))


def invitations_here(visit: Visit) -> Shown:
    """Return the invitations, the latest first, and a few suggested people."""
    known = {member.id: member for member in shown_members(visit, visit.store.where("Member", {}))}
    latest = sorted(visit.store.where("Invitation", {}), key=lambda invitation: invitation.at, reverse=True)
    rows = [Entity({**known[invitation.member], "note": invitation.note, "at": invitation.at}) for invitation in latest]
    others = sorted(
        (member for member in known.values() if member.link == "unknown"), key=lambda member: -member.mutual
    )
    return {"invitations": rows, "suggested": others[:_SUGGESTED]}


def invitation_count(visit: Visit) -> Shown:
    """Return the number of invitations."""
    return {"count": len(visit.store.where("Invitation", {}))}


def asked_here(visit: Visit) -> Shown:
    """Return the people to whom invitations were sent."""
    return {"asked": shown_members(visit, by_name(visit.store.where("Member", {"link": "asked"})))}


def connections_here(visit: Visit) -> Shown:
    """Return the connections that match the query, by name or the latest first."""
    query = Entity({name: visit.args.get(name, "").strip() for name in ("words", "trade", "order")})
    rows = shown_members(visit, _linked_members(visit))
    fits = [
        member for member in rows
        if words(query.words) <= words(f"{member.name} {member.headline}")
        and (not query.trade or member.trade == query.trade)
    ]  # fmt: skip
    if query.order == "recent":
        fits.sort(key=lambda member: member.since, reverse=True)
    return {"people": fits, "asked": query, "count": len(fits)}


def following_here(visit: Visit) -> Shown:
    """Return the followed people and companies, by name."""
    firms = by_name(visit.store.where("Company", {"followed": 1}))
    people = by_name(visit.store.where("Member", {"followed": 1}))
    return {"people": shown_members(visit, people), "companies": with_followers(firms)}


def accept(visit: Visit) -> Shown:
    """Accept an invitation."""
    return _answer(visit, {"link": "linked", "since": visit.today})


def decline(visit: Visit) -> Shown:
    """Decline an invitation."""
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
    for message in sorted(visit.store.where("Message", {}), key=lambda message: message.at):
        last[message.member] = Entity({**message, "name": known[message.member].name})
    return {"chats": sorted(last.values(), key=lambda message: message.at, reverse=True)}


def chat(visit: Visit) -> Shown:
    """Return the messages to and from the page's person, the oldest first."""
    other, own = visit.names["member"], own_member(visit)
    rows = [
        Entity({**message, "by": own.name if message.mine else other.name})
        for message in visit.store.where("Message", {"member": other.id})
    ]
    return {"messages": sorted(rows, key=lambda message: message.at)}


def send_message(visit: Visit) -> None:
    """Answer in a conversation."""
    _write(visit, visit.values["member"])


def write_message(visit: Visit) -> Shown:
    """Write to the connection with this name; raises RefusedError if there is none."""
    wanted = " ".join(visit.values["to"].casefold().split())
    friends = [friend for friend in _linked_members(visit) if friend.name.casefold() == wanted]
    if not friends:
        raise RefusedError("error_nobody", "to")
    _write(visit, friends[0])
    return {"addressee": friends[0]}


def _write(visit: Visit, to: Entity) -> None:
    numbers = [int(message.id.rpartition("/")[2]) for message in visit.store.where("Message", {"member": to.id})]
    columns = {"member": to.id, "mine": 1, "text": visit.values["message_text"], "at": visit.store.now}
    visit.store.put("Message", {"id": f"{to.id}/{max(numbers, default=0) + 1}", **columns})
