"""What the spec of the projects cannot say: what pages show. What their buttons do is in changing.py."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from sites.kit.dates import say
from sites.kit.mixins.search.logic import search_words
from sites.kit.visit import Visit
from sites.kit.widgets.listing.model import words
from sites.tasks.changing import (
    add_comment,
    add_item,
    add_lines,
    add_step,
    add_tagging,
    archive_item,
    archive_ticked,
    change_item,
    done_ticked,
    drop_taggings,
    edit_ticked,
    move_item,
    restore_item,
    restore_ticked,
    shift_item,
    toggle_done,
    toggle_step,
)
from sites.tasks.derived_entities import cards, days, lines, new_words, papers, remarks, stored, todos
from sites.tasks.plan import DONE, PRIORITIES, STATES, comments, items, people, projects, settings, steps, taggings
from stressweb.core.entity import Entity

# The spec names functions of this module; some of them live in modules of their own.
__all__ = [
    "add_comment", "add_item", "add_lines", "add_step", "add_tagging", "archive_item", "archive_ticked", "cards",
    "change_item", "comments", "days", "done_ticked", "drop_taggings", "edit_ticked", "items", "lines", "move_item",
    "new_words", "papers", "people", "projects", "remarks", "restore_item", "restore_ticked", "settings",
    "shift_item", "steps", "stored", "taggings", "todos", "toggle_done", "toggle_step",
]  # fmt: skip

_ASKED = ("q", "project", "state", "priority", "owner", "tag", "due", "sort")
"""What a list can be asked for."""
_STARTS = {"day_monday": 0, "day_saturday": 5, "day_sunday": 6}
_NEVER = "9999"
_COLOURS = {
    "state_todo": "colour_grey", "state_doing": "colour_blue", "state_review": "colour_violet", "state_done": "colour_green",
    "priority_low": "colour_grey", "priority_normal": "colour_teal", "priority_high": "colour_amber",
    "priority_urgent": "colour_red",
}  # fmt: skip
_SORTS: Mapping[str, Callable[[Entity], Any]] = {
    "due": lambda row: (row.due or _NEVER, row.name),
    "priority": lambda row: (-PRIORITIES.index(row.priority), row.due or _NEVER, row.name),
    "name": lambda row: row.name.casefold(),
    "closed": lambda row: tuple(-ord(letter) for letter in row.closed),
}

type Shown = Mapping[str, Any]


def setting_of(visit: Visit) -> Entity:
    """Return the settings of who is signed in."""
    setting = visit.store.one("Setting", visit.names["me"].id)
    assert setting is not None, "every account that can be signed in has settings"
    return setting


def spans(visit: Visit) -> dict[str, tuple[str, str]]:
    """Return the first and last day of each span of time that a list can be asked for; nothing where it has no end."""
    today = date.fromisoformat(visit.today)
    first = today - timedelta(days=(today.weekday() - _STARTS[setting_of(visit).week_start]) % 7)

    def day(start: date, more: int) -> str:
        return (start + timedelta(days=more)).isoformat()

    return {
        "over": ("0", day(today, -1)),
        "today": (day(today, 0), day(today, 0)),
        "week": (day(first, 0), day(first, 6)),
        "next": (day(first, 7), day(first, 13)),
        "later": (day(first, 14), _NEVER),
    }


def home(visit: Visit) -> Shown:
    """Return the cards of the overview with their counts, how much everybody has to do, and the projects."""
    rows, me = _rows(visit, {"archived": ""}), visit.names["me"].id
    undone = [row for row in rows if row.state != DONE]
    asked = {
        "card_over": "due=over",
        "card_today": "due=today",
        "card_week": "due=week",
        "card_next": "due=next",
        "card_mine": f"state=open&owner={me}",
        "card_free": "state=open&owner=none",
        "card_urgent": "state=open&priority=urgent",
        "card_review": "state=review",
        "card_closed": "due=closed",
    }
    told = []
    for label, query in asked.items():
        fits = _fits(visit, dict(one.split("=") for one in query.split("&")))
        told.append(Entity(id=label, said=visit.say(label), href=f"/items?{query}", count=sum(map(fits, rows))))
    many = Counter(row.owner for row in undone)
    names = visit.store.where("Person", {})
    loads = [Entity(id=one.id, name=one.name, count=many[one.id], said=str(many[one.id])) for one in names]
    return {"told": told, "loads": loads, "projects": _projects(visit)}


def found(visit: Visit) -> Shown:
    """Return the cards that fit what was asked for, in the order asked for."""
    asked = Entity({name: visit.args.get(name, "").strip() for name in _ASKED})
    rows = filter(_fits(visit, asked), _rows(visit, {"archived": ""}))
    asked["sort"] = asked.sort if asked.sort in _SORTS else "due"
    shown = sorted(rows, key=_SORTS[asked.sort])
    return {"asked": asked, "items": _told(visit, shown), "many": len(shown)}


def found_words(visit: Visit) -> Shown:
    """Return the cards in whose name or description the words of a search stand; who says none finds none."""
    said = search_words(visit)
    return {**said, **(found(visit) if words(said["args"]["q"]) else {"items": []})}


def archive(visit: Visit) -> Shown:
    """Return the cards in the archive, those first that were put there last."""
    rows = [row for row in _rows(visit, {}) if row.archived]
    return {"items": _told(visit, sorted(rows, key=lambda row: row.archived, reverse=True))}


def board(visit: Visit) -> Shown:
    """Return the cards of a project in the order of its board, and how the board looks."""
    rows = _rows(visit, {"project": visit.names["project"].id, "archived": ""})
    lead = visit.store.one("Person", visit.names["project"].lead)
    theme = setting_of(visit).theme.removeprefix("theme_")
    return {
        "items": _told(visit, sorted(rows, key=lambda row: row.position)),
        "style": f"kit-board-{theme}",
        "shown": Entity({**visit.names["project"], "lead": lead}),
    }


def all_projects(visit: Visit) -> Shown:
    """Return every project with how much of it is done."""
    return {"rows": _projects(visit)}


def item(visit: Visit) -> Shown:
    """Return what belongs to a card: steps, comments, tags, and who it concerns."""
    row = visit.names["item"]
    (shown,) = _told(visit, [row])
    author = visit.store.one("Person", row.author)
    written = [visit.store.joined(one, {"author": "Person"}) for one in visit.store.where("Comment", {"item": row.id})]
    return {
        "shown": Entity({**shown, "author": author, "project_row": visit.store.one("Project", row.project)}),
        "row": row,
        "steps": visit.store.where("Step", {"item": row.id}),
        "comments": _naming(visit, written),
    }


def mentions(visit: Visit) -> Shown:
    """Return the comments that tell who is signed in, the latest first."""
    rows = [one for one in visit.store.where("Comment", {}) if visit.names["me"].id in one.mentions.split(", ")]
    joined = [visit.store.joined(one, {"author": "Person", "item": "Item"}) for one in rows]
    return {"comments": sorted(_naming(visit, joined), key=lambda one: one.at, reverse=True)}


def mention_count(visit: Visit) -> Shown:
    """Return how many comments tell who is signed in."""
    return {"count": len(mentions(visit)["comments"])}


def draft(visit: Visit) -> Shown:
    """Return what stands in the form for a new card: its project and the usual priority."""
    return {"draft": Entity(project=visit.args.get("project", ""), priority=setting_of(visit).priority)}


def preferences(visit: Visit) -> Shown:
    """Return the settings."""
    return {"setting": setting_of(visit)}


def _rows(visit: Visit, where: Mapping[str, Any]) -> list[Entity]:
    return visit.store.where("Item", where)


def _naming(visit: Visit, rows: Iterable[Entity]) -> list[Entity]:
    names = {one.id: one.name for one in visit.store.where("Person", {})}
    return [Entity({**one, "tells": ", ".join(names[key] for key in one.mentions.split(", ") if key)}) for one in rows]


def _fits(visit: Visit, asked: Mapping[str, str]) -> Callable[[Entity], bool]:
    """Return whether a card fits what was asked for; what is not on offer is passed over."""
    wanted, due = words(asked.get("q", "")), asked.get("due", "")
    week_ago = (date.fromisoformat(visit.today) - timedelta(days=7)).isoformat()
    first, last = spans(visit).get(due, ("", ""))
    state, priority, owner = (asked.get(name, "") for name in ("state", "priority", "owner"))
    tag, project = asked.get("tag", ""), asked.get("project", "")
    tags = {one.item for one in visit.store.where("Tagging", {"tag": tag})} if tag else set()

    def fits(row: Entity) -> bool:
        return all((
            not project or row.project == project,
            state != "open" or row.state != DONE,
            f"state_{state}" not in STATES or row.state == f"state_{state}",
            f"priority_{priority}" not in PRIORITIES or row.priority == f"priority_{priority}",
            not owner or row.owner == ("" if owner == "none" else owner),
            not tag or row.id in tags,
            # What is done is not due any more.
            not first or (row.state != DONE and bool(row.due) and first <= row.due <= last),
            due != "never" or (row.state != DONE and not row.due),
            due != "closed" or row.closed[:10] > week_ago,
            wanted <= words(f"{row.name} {row.about}"),
        ))  # fmt: skip

    return fits


def _told(visit: Visit, rows: Sequence[Entity]) -> list[Entity]:
    """Return cards as lists show them: with names in place of keys, tags, and how far their steps are."""
    projects, people, tags = (
        {one.id: one for one in visit.store.where(entity, {})} for entity in ("Project", "Person", "Tag")
    )
    put: dict[str, list[Entity]] = {}
    for one in visit.store.where("Tagging", {}):
        put.setdefault(one.item, []).append(Entity({**tags[one.tag], "tagging": one.id}))
    done, total = Counter[str](), Counter[str]()
    for step in visit.store.where("Step", {}):
        total[step.item] += 1
        done[step.item] += step.done

    def told(row: Entity) -> Entity:
        owner = people.get(row.owner)
        return Entity({
            **row,
            "project_name": projects[row.project].name,
            "owner_name": owner.name if owner else "",
            "labels": put.get(row.id, []),
            "steps": f"{done[row.id]}/{total[row.id]}" if total[row.id] else "",
            "is_done": row.state == DONE,
            "state_colour": _COLOURS[row.state],
            "priority_colour": _COLOURS[row.priority],
            "late": row.state != DONE and bool(row.due) and row.due < visit.today,
            "due_said": say("{day} {month:.3} {year}", date.fromisoformat(row.due)) if row.due else "",
        })  # fmt: skip

    return [told(row) for row in rows]


def _projects(visit: Visit) -> list[Entity]:
    rows = _rows(visit, {"archived": ""})
    total, done = Counter(row.project for row in rows), Counter(row.project for row in rows if row.state == DONE)
    return [
        Entity({**one, "lead": visit.store.one("Person", one.lead), "done": done[one.id], "total": total[one.id]})
        for one in visit.store.where("Project", {})
    ]
