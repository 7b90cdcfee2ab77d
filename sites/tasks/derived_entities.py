"""Entities that goals refer to but no table holds: cards with counts and dates, days, and texts to write."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.wording.dates import say
from stressweb.sites.tasks.plan import DONE, requests

_NEVER_DUE = 999
"""Days or weeks until the due date of cards that have none."""
_NEVER_CLOSED = -1
"""Days since open cards were done."""
_DAYS = 60
"""Number of days that goals can name."""
_SHORT_LINES, _LONG_LINES = 5, 100
"""Numbers of lines in the short list and in the long one."""

type Values = Mapping[str, Any]


def _monday(day: date) -> date:
    """Return the Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def cards(drawing: Drawing) -> Iterator[Values]:
    """Yield every card outside the archive with its place on the board and numbers of steps, comments and tags."""
    projects = {project.id: project.name for project in drawing.made["Project"]}
    names = {person.id: person.name for person in drawing.made["Person"]}
    steps, comments, tags = (
        Counter(row.item for row in drawing.made[entity]) for entity in ("Step", "Comment", "Tagging")
    )
    undone_steps = Counter(step.item for step in drawing.made["Step"] if not step.done)
    columns: dict[tuple[str, str], list[Entity]] = defaultdict(list)
    for card in drawing.made["Item"]:
        if not card.archived:
            columns[card.project, card.state].append(card)
    for column in columns.values():
        for index, card in enumerate(column):
            yield {
                **card,
                "project_name": projects[card.project],
                "owner_name": names.get(card.owner, ""),
                "is_open": int(card.state != DONE),
                **_day_counts(drawing, card),
                "steps": steps[card.id],
                "left": undone_steps[card.id],
                "comments": comments[card.id],
                "tags": tags[card.id],
                "nth": index + 1,
                "of_column": len(column),
                "before": card.position - 1,
                "after_last": (column[index - 1].position if index else 0) + 1,
            }


def _day_counts(drawing: Drawing, card: Entity) -> Values:
    today = drawing.start.date()
    due_day = date.fromisoformat(card.due) if card.due else None
    closed_day = datetime.fromisoformat(card.closed).date() if card.closed else None
    return {
        "days": (due_day - today).days if due_day else _NEVER_DUE,
        "weeks": (_monday(due_day) - _monday(today)).days // 7 if due_day else _NEVER_DUE,
        "closed_ago": (today - closed_day).days if closed_day else _NEVER_CLOSED,
    }


def stored(drawing: Drawing) -> Iterator[Values]:
    """Yield every archived card; `nth` is its number among those of its project, from the latest."""
    projects = {project.id: project.name for project in drawing.made["Project"]}
    nth = Counter[str]()
    for card in sorted(drawing.made["Item"], key=lambda item: item.archived, reverse=True):
        if card.archived:
            nth[card.project] += 1
            yield {**card, "project_name": projects[card.project], "nth": nth[card.project]}


def todos(drawing: Drawing) -> Iterator[Values]:
    """Yield every step that is not done."""
    yield from (dict(step) for step in drawing.made["Step"] if not step.done)


def remarks(drawing: Drawing) -> Iterator[Values]:
    """Yield every comment that mentions a person; `nth` is its number among those for this person, from the latest."""
    names, nth = {person.id: person.name for person in drawing.made["Person"]}, Counter[str]()
    card_ids = {card.id for card in drawing.made["Card"]}
    for comment in sorted(drawing.made["Comment"], key=lambda row: row.at, reverse=True):
        if comment.mentions and comment.item in card_ids:
            nth[comment.mentions] += 1
            yield {**comment, "author_name": names[comment.author], "nth": nth[comment.mentions]}


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield today and the days after it, with the names that goals use."""
    today = drawing.start.date()
    for days_ahead in range(_DAYS):
        day = today + timedelta(days=days_ahead)
        weeks = (_monday(day) - _monday(today)).days // 7
        yield {
            "id": day.isoformat(),
            "ahead": days_ahead,
            "weeks": weeks,
            "weekday": say("{weekday}", day),
            "name": say(drawing.look.dates, day),
        }


def new_words(drawing: Drawing) -> Iterator[Values]:
    """Yield names for new cards, steps, tags and projects, and texts for descriptions and comments."""
    for sort in ("items", "abouts", "steps", "comments", "tags", "projects"):
        yield from ({"id": slug(name), "name": name, "sort": sort} for name in requests()[sort])


def lines(drawing: Drawing) -> Iterator[Values]:
    """Yield the lines of two lists that goals contain: a short one with due dates, a long one with names only."""
    texts = requests()
    names = [f"{verb} the {noun.lower()}" for verb in texts["verbs"] for noun in texts["lines"]]
    due_days = drawing.shuffled(range(3, 60), "line days")
    for number, name in enumerate(drawing.shuffled(names, "lines")[: _SHORT_LINES + _LONG_LINES]):
        is_short = number < _SHORT_LINES
        due = (drawing.start.date() + timedelta(days=due_days[number])).isoformat() if is_short else ""
        yield {"id": slug(name), "list": "short" if is_short else "long", "nth": number + 1, "name": name, "due": due}


def papers(drawing: Drawing) -> Iterator[Values]:
    """Yield the long list as one text, in the form to paste and in the form that goals use."""
    names = [line.name for line in drawing.made["Line"] if line.list == "long"]
    yield {"id": "long", "text": "\n".join(names), "listed": " / ".join(names)}
