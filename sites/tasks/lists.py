"""Lists of cards: which cards match a query, and how lists show them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from stressweb.core.entity import Entity
from stressweb.sites.kit import Visit
from stressweb.sites.kit.logic.tags import tags_by_row, tags_with_uses
from stressweb.sites.kit.widgets.listing.model import words
from stressweb.sites.tasks.plan import DONE, PRIORITIES, STATES

_STARTS = {"day_monday": 0, "day_saturday": 5, "day_sunday": 6}
NEVER = "9999"
"""Sorts after every day."""
_COLOURS = {
    "state_todo": "colour_grey", "state_doing": "colour_blue", "state_review": "colour_violet",
    "state_done": "colour_green",
    "priority_low": "colour_grey", "priority_normal": "colour_teal", "priority_high": "colour_amber",
    "priority_urgent": "colour_red",
}  # fmt: skip


def setting_of(visit: Visit) -> Entity:
    """Return the settings of the signed-in user."""
    setting = visit.store.one("Setting", visit.names["me"].id)
    assert setting is not None, "every account that can be signed in has settings"
    return setting


def spans(visit: Visit) -> dict[str, tuple[str, str]]:
    """Return the first and last day of each date range that a query can name."""
    today = date.fromisoformat(visit.today)
    first = today - timedelta(days=(today.weekday() - _STARTS[setting_of(visit).week_start]) % 7)

    def day(start: date, more: int) -> str:
        return (start + timedelta(days=more)).isoformat()

    return {
        "over": ("0", day(today, -1)),
        "today": (day(today, 0), day(today, 0)),
        "week": (day(first, 0), day(first, 6)),
        "next": (day(first, 7), day(first, 13)),
        "later": (day(first, 14), NEVER),
    }


def fitting(visit: Visit, query: Mapping[str, str]) -> Callable[[Entity], bool]:
    """Return a function that tells whether a card matches a query; unknown choices are ignored."""
    wanted, due = words(query.get("q", "")), query.get("due", "")
    week_ago = (date.fromisoformat(visit.today) - timedelta(days=7)).isoformat()
    first, last = spans(visit).get(due, ("", ""))
    state, priority, owner = (query.get(name, "") for name in ("state", "priority", "owner"))
    tag, project = query.get("tag", ""), query.get("project", "")
    tags = {tagging.item for tagging in visit.store.where("Tagging", {"tag": tag})} if tag else set()

    def fits(row: Entity) -> bool:
        return all((
            not project or row.project == project,
            state != "open" or row.state != DONE,
            f"state_{state}" not in STATES or row.state == f"state_{state}",
            f"priority_{priority}" not in PRIORITIES or row.priority == f"priority_{priority}",
            not owner or row.owner == ("" if owner == "none" else owner),
            not tag or row.id in tags,
            # Done cards are never due.
            not first or (row.state != DONE and bool(row.due) and first <= row.due <= last),
            due != "never" or (row.state != DONE and not row.due),
            due != "closed" or row.closed[:10] > week_ago,
            wanted <= words(f"{row.name} {row.about}"),
        ))  # fmt: skip

    return fits


def as_listed(visit: Visit, rows: Sequence[Entity]) -> list[Entity]:
    """Return cards as lists show them: with names instead of keys, tags, and progress of their steps."""
    projects, people = ({row.id: row for row in visit.store.where(entity, {})} for entity in ("Project", "Person"))
    tags_of = tags_by_row(visit, "item")
    done, total = Counter[str](), Counter[str]()
    comments, me = Counter(comment.item for comment in visit.store.where("Comment", {})), visit.names["me"].id
    for step in visit.store.where("Step", {}):
        total[step.item] += 1
        done[step.item] += step.done

    def listed_card(row: Entity) -> Entity:
        owner = people.get(row.owner)
        return Entity({
            **row,
            "project_name": projects[row.project].name,
            "owner_name": owner.name if owner else "",
            "labels": tags_of.get(row.id, []),
            "steps": f"{done[row.id]}/{total[row.id]}" if total[row.id] else "",
            "is_done": row.state == DONE,
            "state_colour": _COLOURS[row.state],
            "priority_colour": _COLOURS[row.priority],
            "talk": comments[row.id],
            "free_to_take": row.owner != me and row.state != DONE and not row.archived,
            "late": row.state != DONE and bool(row.due) and row.due < visit.today,
            "today": row.state != DONE and row.due == visit.today,
            "due_said": visit.plain_date(row.due) if row.due else "",
        })  # fmt: skip

    return [listed_card(row) for row in rows]


def with_uses(visit: Visit, rows: list[Entity]) -> list[Entity]:
    """Return tags with the number of open cards that bear them."""
    cards = {row.id for row in visit.store.where("Item", {"archived": ""}) if row.state != DONE}
    return tags_with_uses(visit, rows, "item", cards)
