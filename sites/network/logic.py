"""Data and actions of the network that its spec cannot express: profile and notifications; others are imported."""

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.network.circle import *  # noqa: F403 - the spec names functions of this module
from stressweb.sites.network.circle import Shown, all_members, own_member, shown_members
from stressweb.sites.network.derived_entities import *  # noqa: F403
from stressweb.sites.network.feed import *  # noqa: F403
from stressweb.sites.network.feed import posts_by
from stressweb.sites.network.market import *  # noqa: F403
from stressweb.sites.network.plan import *  # noqa: F403
from stressweb.sites.network.suggestions import *  # noqa: F403
from stressweb.sites.network.vacancies import *  # noqa: F403
from stressweb.sites.network.writing import *  # noqa: F403


def member_here(visit: Visit) -> Shown:
    """Return a person and their posts."""
    row = all_members(visit)[visit.names["member"].id]
    person = Entity({**shown_members(visit, [row])[0], "mine": row.link == "me"})
    return {"person": person, **posts_by(visit, row.id)}


def unread_count(visit: Visit) -> Shown:
    """Return the number of unread notifications."""
    return {"count": len(visit.store.where("Notice", {"unread": 1}))}


def notices_here(visit: Visit) -> Shown:
    """Return the notifications that match the query, the latest first."""
    query = Entity({name: visit.args.get(name, "").strip() for name in ("kind", "unread")})
    # Filter here, because a condition of the store would treat the query's text as a template.
    every = visit.store.where("Notice", {})
    rows = [
        notice
        for notice in every
        if (not query.kind or notice.kind == query.kind) and (notice.unread or not query.unread)
    ]
    return {"notices": sorted(rows, key=lambda notice: notice.at, reverse=True), "asked": query}


def profile_here(visit: Visit) -> Shown:
    """Return one's own profile."""
    return {"profile": all_members(visit)[own_member(visit).id]}


def save_profile(visit: Visit) -> None:
    """Change one's own profile."""
    visit.store.change("Profile", {"id": own_member(visit).id}, dict(visit.values))


def settings_here(visit: Visit) -> Shown:
    """Return the settings."""
    return {"setting": visit.store.one("Setting", "account")}


def check_dates(visit: Visit) -> None:
    """Raise RefusedError if a position ends before it begins."""
    if visit.values["end"] and visit.values["end"] < visit.values["start"]:
        raise RefusedError("error_days", "end")


def next_place(visit: Visit) -> Shown:
    """Return the place of a new skill, after all others."""
    return {"last_place": 1 + len(visit.store.where("Skill", {}))}


def close_gap(visit: Visit) -> None:
    """Move all skills below a deleted skill up."""
    for skill in visit.store.where("Skill", {}):
        if skill.place > visit.values["skill"].place:
            visit.store.change("Skill", {"id": skill.id}, {"place": skill.place - 1})


def skill_up(visit: Visit) -> None:
    """Swap a skill with the one above."""
    _swap(visit, -1)


def skill_down(visit: Visit) -> None:
    """Swap a skill with the one below."""
    _swap(visit, 1)


def _swap(visit: Visit, by: int) -> None:
    row = visit.values["skill"]
    neighbours = visit.store.where("Skill", {"place": str(row.place + by)})
    if not neighbours:
        raise RefusedError("error_place")
    visit.store.change("Skill", {"id": row.id}, {"place": row.place + by})
    visit.store.change("Skill", {"id": neighbours[0].id}, {"place": row.place})
