"""Entities that goals refer to but no table holds: cards with counts and dates, days, and texts to write."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.wording.dates import say
from stressweb.sites.tasks.plan import DONE, requests

NEVER = 999
"""Days until the due date of a card that has none."""
_SHORT, _LONG = 5, 100
"""Numbers of lines in the short list and in the long one."""

type Values = Mapping[str, Any]


def week(day: date) -> date:
    """Return the Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def cards(drawing: Drawing) -> Iterator[Values]:
    """Yield every card outside the archive with its place on the board and counts of what belongs to it."""
    projects = {project.id: project.name for project in drawing.made["Project"]}
    names = {person.id: person.name for person in drawing.made["Person"]}
    steps, comments = (
        Counter(step.item for step in drawing.made["Step"]),
        Counter(comment.item for comment in drawing.made["Comment"]),
    )
    left = Counter(step.item for step in drawing.made["Step"] if not step.done)
    tags = Counter(tagging.item for tagging in drawing.made["Tagging"])
    columns: dict[tuple[str, str], list[Entity]] = defaultdict(list)
    for row in drawing.made["Item"]:
        if not row.archived:
            columns[row.project, row.state].append(row)
    for column in columns.values():
        for index, row in enumerate(column):
            yield {
                **row,
                "project_name": projects[row.project],
                "owner_name": names.get(row.owner, ""),
                "is_open": int(row.state != DONE),
                **_times(drawing, row),
                "steps": steps[row.id],
                "left": left[row.id],
                "comments": comments[row.id],
                "tags": tags[row.id],
                "nth": index + 1,
                "of_column": len(column),
                "before": row.position - 1,
                "after_last": (column[index - 1].position if index else 0) + 1,
            }


def _times(drawing: Drawing, row: Entity) -> Values:
    today = drawing.start.date()
    due = date.fromisoformat(row.due) if row.due else None
    closed = datetime.fromisoformat(row.closed).date() if row.closed else None
    return {
        "days": (due - today).days if due else NEVER,
        "weeks": (week(due) - week(today)).days // 7 if due else NEVER,
        "closed_ago": (today - closed).days if closed else -1,
    }


def stored(drawing: Drawing) -> Iterator[Values]:
    """Yield every archived card with its project's name; `nth` counts a project's from the latest."""
    projects = {project.id: project.name for project in drawing.made["Project"]}
    counts = Counter[str]()
    for row in sorted(drawing.made["Item"], key=lambda card: card.archived, reverse=True):
        if row.archived:
            counts[row.project] += 1
            yield {**row, "project_name": projects[row.project], "nth": counts[row.project]}


def todos(drawing: Drawing) -> Iterator[Values]:
    """Yield every step that is not done."""
    yield from (dict(step) for step in drawing.made["Step"] if not step.done)


def remarks(drawing: Drawing) -> Iterator[Values]:
    """Yield every comment that mentions somebody, with its author; `nth` counts a person's from the latest."""
    names, counts = {person.id: person.name for person in drawing.made["Person"]}, Counter[str]()
    cards = {card.id for card in drawing.made["Card"]}
    for row in sorted(drawing.made["Comment"], key=lambda comment: comment.at, reverse=True):
        if row.mentions and row.item in cards:
            counts[row.mentions] += 1
            yield {**row, "author_name": names[row.author], "nth": counts[row.mentions]}


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield today and the days after it, named as in goals."""
    today = drawing.start.date()
    for ahead in range(60):
        day = today + timedelta(days=ahead)
        weeks = (week(day) - week(today)).days // 7
        name = say("{weekday}", day)
        yield {
            "id": day.isoformat(),
            "ahead": ahead,
            "weeks": weeks,
            "weekday": name,
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
    days = drawing.shuffled(range(3, 60), "line days")
    for number, name in enumerate(drawing.shuffled(names, "lines")[: _SHORT + _LONG]):
        short = number < _SHORT
        due = (drawing.start.date() + timedelta(days=days[number])).isoformat() if short else ""
        yield {"id": slug(name), "list": "short" if short else "long", "nth": number + 1, "name": name, "due": due}


def papers(drawing: Drawing) -> Iterator[Values]:
    """Yield the long list as one text: as it is pasted, and as goals write it."""
    names = [line.name for line in drawing.made["Line"] if line.list == "long"]
    yield {"id": "long", "text": "\n".join(names), "listed": " / ".join(names)}
