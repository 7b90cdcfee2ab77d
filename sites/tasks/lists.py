"""Lists of cards: which cards match a query, and how lists show them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from stressweb.core.entity import Entity
from stressweb.sites.kit import Visit
from stressweb.sites.kit.logic.tags import tags_by_row, tags_with_uses
from stressweb.sites.kit.widgets.listing.model import words
from stressweb.sites.tasks.plan import DONE, PRIORITIES, STATES

_WEEK_STARTS = {"day_monday": 0, "day_saturday": 5, "day_sunday": 6}
"""Weekday on which a week starts, by setting; Monday is 0."""
AFTER_ALL_DAYS = "9999"
"""A text that sorts after every day."""
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


def date_ranges(visit: Visit) -> dict[str, tuple[str, str]]:
    """Return the first and last day of each date range that a query can name."""
    today = date.fromisoformat(visit.today)
    week_start = today - timedelta(days=(today.weekday() - _WEEK_STARTS[setting_of(visit).week_start]) % 7)

    def day(start: date, days_later: int) -> str:
        return (start + timedelta(days=days_later)).isoformat()

    return {
        "over": ("0", day(today, -1)),
        "today": (day(today, 0), day(today, 0)),
        "week": (day(week_start, 0), day(week_start, 6)),
        "next": (day(week_start, 7), day(week_start, 13)),
        "later": (day(week_start, 14), AFTER_ALL_DAYS),
    }


def card_filter(visit: Visit, query: Mapping[str, str]) -> Callable[[Entity], bool]:
    """Return a function that tests whether a card matches a query; unknown choices are ignored."""
    wanted, due = words(query.get("q", "")), query.get("due", "")
    week_ago = (date.fromisoformat(visit.today) - timedelta(days=7)).isoformat()
    first_day, last_day = date_ranges(visit).get(due, ("", ""))
    state, priority, owner = (query.get(name, "") for name in ("state", "priority", "owner"))
    tag, project = query.get("tag", ""), query.get("project", "")
    tagged_ids = {tagging.item for tagging in visit.store.where("Tagging", {"tag": tag})} if tag else set()

    def matches(card: Entity) -> bool:
        return all((
            not project or card.project == project,
            state != "open" or card.state != DONE,
            f"state_{state}" not in STATES or card.state == f"state_{state}",
            f"priority_{priority}" not in PRIORITIES or card.priority == f"priority_{priority}",
            not owner or card.owner == ("" if owner == "none" else owner),
            not tag or card.id in tagged_ids,
            # Done cards are never due.
            not first_day or (card.state != DONE and bool(card.due) and first_day <= card.due <= last_day),
            due != "never" or (card.state != DONE and not card.due),
            due != "closed" or card.closed[:10] > week_ago,
            wanted <= words(f"{card.name} {card.about}"),
        ))  # fmt: skip

    return matches


def list_rows(visit: Visit, cards: Sequence[Entity]) -> list[Entity]:
    """Return cards with the columns of lists: names for keys, tags, colours, progress of steps, and due date."""
    projects, people = ({row.id: row for row in visit.store.where(entity, {})} for entity in ("Project", "Person"))
    tags_of = tags_by_row(visit, "item")
    done, total = Counter[str](), Counter[str]()
    comments, me = Counter(comment.item for comment in visit.store.where("Comment", {})), visit.names["me"].id
    for step in visit.store.where("Step", {}):
        total[step.item] += 1
        done[step.item] += step.done

    def list_row(card: Entity) -> Entity:
        owner = people.get(card.owner)
        return Entity({
            **card,
            "project_name": projects[card.project].name,
            "owner_name": owner.name if owner else "",
            "labels": tags_of.get(card.id, []),
            "steps": f"{done[card.id]}/{total[card.id]}" if total[card.id] else "",
            "is_done": card.state == DONE,
            "state_colour": _COLOURS[card.state],
            "priority_colour": _COLOURS[card.priority],
            "talk": comments[card.id],
            "free_to_take": card.owner != me and card.state != DONE and not card.archived,
            "late": card.state != DONE and bool(card.due) and card.due < visit.today,
            "today": card.state != DONE and card.due == visit.today,
            "due_said": visit.plain_date(card.due) if card.due else "",
        })  # fmt: skip

    return [list_row(card) for card in cards]


def with_uses(visit: Visit, tags: list[Entity]) -> list[Entity]:
    """Return tags with the number of open cards that have them."""
    open_cards = {card.id for card in visit.store.where("Item", {"archived": ""}) if card.state != DONE}
    return tags_with_uses(visit, tags, "item", open_cards)
