"""What goals name and no table holds: cards with what belongs to them, days, people's work, and texts to write."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from sites.kit import Drawing, slug
from sites.kit.wording.dates import say
from sites.tasks.plan import DONE, requests
from stressweb.core.entity import Entity

NEVER = 999
"""Days until what has no day."""
_SHORT, _LONG = 5, 100
"""Lines of the short list, and of the long one."""

type Values = Mapping[str, Any]


def week(day: date) -> date:
    """Return the Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def cards(drawing: Drawing) -> Iterator[Values]:
    """Yield every card that is not in the archive, with where it stands on its board and what belongs to it."""
    projects = {one.id: one.name for one in drawing.made["Project"]}
    names = {one.id: one.name for one in drawing.made["Person"]}
    steps, said = (
        Counter(one.item for one in drawing.made["Step"]),
        Counter(one.item for one in drawing.made["Comment"]),
    )
    left = Counter(one.item for one in drawing.made["Step"] if not one.done)
    tags = Counter(one.item for one in drawing.made["Tagging"])
    columns: dict[tuple[str, str], list[Entity]] = defaultdict(list)
    for row in drawing.made["Item"]:
        if not row.archived:
            columns[row.project, row.state].append(row)
    for column in columns.values():
        for at, row in enumerate(column):
            yield {
                **row,
                "project_name": projects[row.project],
                "owner_name": names.get(row.owner, ""),
                "is_open": int(row.state != DONE),
                **_times(drawing, row),
                "steps": steps[row.id],
                "left": left[row.id],
                "comments": said[row.id],
                "tags": tags[row.id],
                "nth": at + 1,
                "of_column": len(column),
                "before": row.position - 1,
                "after_last": (column[at - 1].position if at else 0) + 1,
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
    """Yield every card in the archive with the name of its project; `nth` counts from the one put there last."""
    projects = {one.id: one.name for one in drawing.made["Project"]}
    counts = Counter[str]()
    for row in sorted(drawing.made["Item"], key=lambda one: one.archived, reverse=True):
        if row.archived:
            counts[row.project] += 1
            yield {**row, "project_name": projects[row.project], "nth": counts[row.project]}


def todos(drawing: Drawing) -> Iterator[Values]:
    """Yield every step that is not done."""
    yield from (dict(one) for one in drawing.made["Step"] if not one.done)


def remarks(drawing: Drawing) -> Iterator[Values]:
    """Yield every comment that tells somebody, with its author; `nth` counts from the latest that tells them."""
    names, counts = {one.id: one.name for one in drawing.made["Person"]}, Counter[str]()
    cards = {one.id for one in drawing.made["Card"]}
    for row in sorted(drawing.made["Comment"], key=lambda one: one.at, reverse=True):
        if row.mentions and row.item in cards:
            counts[row.mentions] += 1
            yield {**row, "author_name": names[row.author], "nth": counts[row.mentions]}


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield today and the days after it, each as goals call it."""
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
    """Yield names for new cards, steps, tags and projects, and what descriptions and comments can say."""
    for sort in ("items", "abouts", "steps", "comments", "tags", "projects"):
        yield from ({"id": slug(name), "name": name, "sort": sort} for name in requests()[sort])


def lines(drawing: Drawing) -> Iterator[Values]:
    """Yield the lines of two lists that goals give: a short one with days, and a long one of names alone."""
    texts = requests()
    names = [f"{verb} the {thing.lower()}" for verb in texts["verbs"] for thing in texts["lines"]]
    days = drawing.shuffled(range(3, 60), "line days")
    for number, name in enumerate(drawing.shuffled(names, "lines")[: _SHORT + _LONG]):
        short = number < _SHORT
        due = (drawing.start.date() + timedelta(days=days[number])).isoformat() if short else ""
        yield {"id": slug(name), "list": "short" if short else "long", "nth": number + 1, "name": name, "due": due}


def papers(drawing: Drawing) -> Iterator[Values]:
    """Yield the long list as one text: as it is pasted, and as a goal says it."""
    names = [one.name for one in drawing.made["Line"] if one.list == "long"]
    yield {"id": "long", "text": "\n".join(names), "listed": " / ".join(names)}
