"""Generates a world's projects: their members, cards and comments."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

from stressweb.core.errors import UserError
from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing, moment, slug
from stressweb.sites.kit.data.phrases import LazyWords, past, phrase, times
from stressweb.sites.kit.mixins.people.logic import cast

STATES = ("state_todo", "state_doing", "state_review", "state_done")
DONE = STATES[-1]
PRIORITIES = ("priority_low", "priority_normal", "priority_high", "priority_urgent")
GAP = 1000
"""Distance between the positions of two cards; it leaves room for others."""
_MEMBERS, _ACCOUNTS, _PROJECTS = 9, 3, 5
_STAGES = ((8, 3, 1, 1), (5, 3, 2, 4), (4, 3, 3, 8), (3, 3, 2, 12), (1, 2, 1, 9))
"""Numbers of cards in each state, or one fewer, from a project that has just begun to one that is nearly done."""
_ARCHIVED = 3
"""Number of a project's cards in the archive."""
_DUE_RANGES = ("over", "over", "over", "today", "week", "next", "next", "later", "none")
"""Due dates of nine open cards of a project."""
_PRIORITY_CYCLE = (
    "priority_normal",
    "priority_urgent",
    "priority_low",
    "priority_high",
    "priority_normal",
    "priority_low",
)
"""Priorities of cards with the same range of due dates, in turn."""
_CLOSED_DAYS = (
    (33, 90), (8, 28), (33, 90), (0, 6), (8, 28), (0, 6), (8, 20), (0, 6), (33, 90), (8, 20), (0, 6), (8, 20)
)  # fmt: skip
"""Ranges of days since a project's cards were done, in turn; they avoid the boundaries of weeks and months."""
_SHAPES = 5
"""Number of descriptions of each kind of project."""
_UNASSIGNED, _STEPPED, _COMMENTED, _MENTIONING, _DESCRIBED = 0.2, 0.4, 0.45, 0.4, 0.55
"""Shares of cards without an owner, with steps and with comments, of comments with a mention, of described cards."""
_ATTEMPTS = 99
"""Maximum number of draws for a name that must be unique."""

_TOPIC_WORDS = ("co", "trade", "place", "room", "team", "store", "month")
"""Words that are the same in all texts of a project."""

type Values = dict[str, Any]
type Topic = tuple[Any, ...]
"""Key by which the words that a project's texts share are drawn."""


@cache
def _corpus(name: str) -> Mapping[str, Any]:
    texts: Mapping[str, Any] = load(Path(__file__).with_name("corpora") / f"{name}.yaml")
    return texts


def work() -> Mapping[str, Any]:
    """Return the corpus of projects and cards."""
    return _corpus("work")


def requests() -> Mapping[str, Any]:
    """Return the texts that goals ask for."""
    return _corpus("requests")


def fill_template(drawing: Drawing, template: str, topic: Topic, *key: Any) -> str:
    """Return a template filled with words; texts with the same topic share some of them."""
    # Not only members: texts also name people outside the projects.
    everybody, lists = cast(drawing), work()["words"]
    topic_words = LazyWords(drawing, topic, lists, **times(drawing, *topic, first=8, hours=10))
    shared: dict[str, Callable[[], Any]] = {name: partial(topic_words.__getitem__, name) for name in _TOPIC_WORDS}
    words = LazyWords(
        drawing,
        key,
        lists,
        co2=lambda: next(name for name in drawing.shuffled(lists["co"], *key, "co2") if name != topic_words["co"]),
        # First names only.
        p=lambda: drawing.shuffled(everybody, *key, "p")[0]["first"].split()[0],
        p2=lambda: drawing.shuffled(everybody, *key, "p")[1]["first"].split()[0],
        n=lambda: 2 + int(drawing.unit(*key, "n") * 44),
        **{**times(drawing, *key, first=8, hours=10), **shared},
    )
    return phrase(template, words)


def past_moment(drawing: Drawing, days: float) -> str:
    """Return the same moment as `past`, but at least 7 minutes before the world's start."""
    return min(past(drawing, days), moment(drawing.start - timedelta(minutes=7)))


def people(drawing: Drawing) -> Iterator[Values]:
    """Yield the members; the first ones have accounts, and two share a last name."""
    everybody = cast(drawing)
    own, others = everybody[0], drawing.shuffled(everybody[1:], "members")
    twin = next(
        person for person in others if any(person["last"] == peer["last"] for peer in others if peer is not person)
    )
    namesake = next(person for person in others if person is not twin and person["last"] == twin["last"])
    members = {person["name"]: person for person in (own, twin, *others[: _MEMBERS - 3], namesake)}
    for number, (name, person) in enumerate(members.items()):
        yield {
            "id": slug(name),
            "name": name,
            "first": person["first"].split()[0],
            "email": person["id"],
            "job": person["job"],
            "seat": number,
            "account": int(number < _ACCOUNTS),
        }


def projects(drawing: Drawing) -> Iterator[Values]:
    """Yield the projects."""
    used_names = set[str]()
    leads = drawing.shuffled(drawing.made["Person"], "leads")
    colours = drawing.shuffled(("blue", "green", "violet", "teal", "red", "pink"), "colours")
    # Descriptions at the same place of each list have one shape. No two projects share one; one may have none.
    shapes = drawing.shuffled(range(_SHAPES + 1), "shapes")
    for number, kind in enumerate(drawing.shuffled(work()["kinds"], "kinds")[:_PROJECTS]):
        topic = ("project", number)
        name = _unused_name(drawing, drawing.shuffled(kind["name"], *topic), used_names, topic, *topic)
        yield {
            "id": slug(name),
            "name": name,
            "about": fill_template(drawing, [*kind["about"], ""][shapes[number]], topic, *topic),
            "colour": f"colour_{colours[number]}",
            "lead": leads[number].id,
            "kind": kind,
            "topic": topic,
        }


def _unused_name(drawing: Drawing, templates: Sequence[str], used_names: set[str], topic: Topic, *key: Any) -> str:
    """Return an unused name from the templates, and add its slug to `used_names`; raises UserError if none is left."""
    for attempt in range(_ATTEMPTS):
        name = fill_template(drawing, templates[attempt % len(templates)], topic, *key, attempt)
        if slug(name) not in used_names:
            used_names.add(slug(name))
            return name
    raise UserError(f"tasks: no name left for {key} in {_ATTEMPTS} draws")


def items(drawing: Drawing) -> Iterator[Values]:
    """Yield the cards of all projects: each project's in the order of its board, then those in the archive."""
    used_names, plan, abouts = set[str](), _CardPlan(drawing), _CardAbouts(drawing)
    archived_days = iter(drawing.shuffled(range(2, 80), "archived"))
    members = [person.id for person in drawing.made["Person"]]
    for project, stage in zip(drawing.made["Project"], drawing.shuffled(_STAGES, "stages"), strict=True):
        states = plan.states(project.id, stage)
        # The lead owns the most cards, and three members own more than the others.
        team = [*[project.lead] * 5, *drawing.shuffled(members, "team", project.id)[:3]]
        titles = drawing.shuffled(project.kind["items"], "titles", project.id)
        for number, state in enumerate([*states, *[DONE] * _ARCHIVED]):
            is_archived = number >= len(states)
            key = ("item", project.id, number)
            name = _unused_name(drawing, [*titles[number:], *titles[:number]], used_names, project.topic, *key)
            schedule = plan.times(project.id, state, is_archived)
            unassigned = (
                schedule["due"] >= drawing.start.date().isoformat() and drawing.unit(*key, "free") < _UNASSIGNED
            )
            yield {
                "id": slug(name),
                "name": name,
                "project": project.id,
                "state": state,
                **schedule,
                "owner": "" if unassigned else drawing.pick([*team, *team, *members], *key, "owner"),
                "about": abouts.draw(name, state != DONE, project.topic, *key)
                if drawing.unit(*key, "about") < _DESCRIBED
                else "",
                "position": (number + 1) * GAP,
                "author": drawing.pick(members, *key, "author"),
                "created": past_moment(drawing, 95 + 60 * drawing.unit(*key, "created")),
                "changed": schedule["closed"] or past_moment(drawing, 1 + 80 * drawing.unit(*key, "changed")),
                "archived": past_moment(drawing, next(archived_days) + drawing.unit(*key, "put away"))
                if is_archived
                else "",
            }


class _CardAbouts:
    """Draws descriptions of cards that fit their titles; those that the fewest cards have come first."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.uses = drawing, Counter[str]()

    def draw(self, title: str, is_open: bool, topic: Topic, *key: Any) -> str:
        """Return a description for a title."""
        rows = work()["abouts"]
        row = next((row for row in rows if title.partition(" ")[0] in row["verbs"]), rows[-1])
        texts = self.drawing.shuffled([*row["texts"], *(row["open"] if is_open else ())], *key, "about")
        template = min(texts, key=self.uses.__getitem__)
        self.uses[template] += 1
        return fill_template(self.drawing, template, topic, *key, "about")


class _CardPlan:
    """Assigns states and dates to cards, so that every project has some of each kind."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.counts = drawing, Counter[str]()
        # No two cards are overdue by the same number of days.
        self.overdue_days = iter(drawing.shuffled(range(1, 75), "overdue"))

    def states(self, project: str, stage: Sequence[int]) -> list[str]:
        """Return the state of each card on a project's board, in a drawn order."""
        counts = [count + int(2 * self.drawing.unit("more", project, number)) for number, count in enumerate(stage)]
        states = [state for state, count in zip(STATES, counts, strict=True) for _ in range(count)]
        return self.drawing.shuffled(states, "board", project)

    def times(self, project: str, state: str, is_archived: bool) -> Values:
        """Return a card's due date, the moment at which it was done, and its priority."""
        number = self._next_number(f"{project} {state == DONE}")
        unit = self.drawing.unit("card", project, state == DONE, number)
        if state == DONE:
            low, high = _CLOSED_DAYS[0] if is_archived else _CLOSED_DAYS[number % len(_CLOSED_DAYS)]
            closed = past_moment(self.drawing, low + (high - low + 0.99) * unit)
            priority = self.drawing.pick(PRIORITIES, "rank", project, number)
            return {"due": self._day(int(unit * 90) - 80), "closed": closed, "priority": priority}
        nine_ranges = self.drawing.shuffled(_DUE_RANGES, "when", project, number // len(_DUE_RANGES))
        due_range = nine_ranges[number % len(_DUE_RANGES)]
        priority = _PRIORITY_CYCLE[self._next_number(due_range) % len(_PRIORITY_CYCLE)]
        return {"due": self._due(due_range, unit), "closed": "", "priority": priority}

    def _next_number(self, counter: str) -> int:
        self.counts[counter] += 1
        return self.counts[counter] - 1

    def _due(self, due_range: str, unit: float) -> str:
        weekday = self.drawing.start.weekday()
        if due_range == "none":
            return ""
        if due_range == "over":
            return self._day(-next(self.overdue_days))
        ranges = {"today": (0, 0), "week": (0, 6 - weekday), "next": (7 - weekday, 13 - weekday), "later": (15, 70)}
        low, high = ranges[due_range]
        return self._day(low + int(unit * (high - low + 1)))

    def _day(self, days_ahead: int) -> str:
        return (self.drawing.start.date() + timedelta(days=days_ahead)).isoformat()


def taggings(drawing: Drawing) -> Iterator[Values]:
    """Yield the tags of the cards: most have one or two, some none."""
    names = [tag.id for tag in drawing.made["Tag"]]
    for card in drawing.made["Item"]:
        tag_count = drawing.pick((0, 0, 1, 1, 2), "tags", card.id)
        for tag in drawing.shuffled(names, "tags", card.id)[:tag_count]:
            yield {"id": f"{card.id}/{tag}", "item": card.id, "tag": tag}


def steps(drawing: Drawing) -> Iterator[Values]:
    """Yield the steps of cards; those of done cards are all done."""
    topics = {project.id: project.topic for project in drawing.made["Project"]}
    for card in drawing.made["Item"]:
        if drawing.unit("stepped", card.id) >= _STEPPED:
            continue
        templates = drawing.shuffled(work()["steps"], "steps", card.id)
        for number, template in enumerate(templates[: 2 + int(drawing.unit("steps", card.id) * 4)]):
            name = fill_template(drawing, template, topics[card.project], "step", card.id, number)
            is_done = card.state == DONE or drawing.unit("step done", card.id, number) < 0.4
            yield {"id": f"{card.id}-{slug(name)}", "item": card.id, "name": name, "done": int(is_done)}


def comments(drawing: Drawing) -> Iterator[Values]:
    """Yield the comments on cards in chronological order; some mention a member."""
    members = [*drawing.made["Person"]]
    topics = {project.id: project.topic for project in drawing.made["Project"]}
    for card in drawing.made["Item"]:
        if drawing.unit("said", card.id) >= _COMMENTED:
            continue
        texts = drawing.shuffled(work()["comments"], "comments", card.id)
        total, mentioned_ids = 1 + int(drawing.unit("comments", card.id) * 4), set[str]()
        for number, template in enumerate(texts[:total]):
            key = ("comment", card.id, number)
            text = fill_template(drawing, template, topics[card.project], *key)
            author = drawing.pick(members, *key, "author")
            mentioned = drawing.pick([*members, *members[:3], *members[:1] * 3], *key, "told")
            # The comments on a card mention each person at most once.
            is_mention = (
                mentioned is not author
                and mentioned.id not in mentioned_ids
                and drawing.unit(*key, "tells") < _MENTIONING
            )
            mentioned_ids |= {mentioned.id} if is_mention else set()
            yield {
                "id": f"{card.id}-{number + 1}",
                "item": card.id,
                "author": author.id,
                "at": past_moment(drawing, (total - number) * 3 - 2 + drawing.unit(*key, "at")),
                "text": f"@{mentioned.name}: {text}" if is_mention else text,
                "mentions": mentioned.id if is_mention else "",
            }


def settings(drawing: Drawing) -> Iterator[Values]:
    """Yield the settings of each account."""
    for person in drawing.made["Person"]:
        if person.account:
            theme = drawing.pick(("theme_calm", "theme_dense"), "theme", person.id)
            yield {
                "id": person.id,
                "week_start": "day_monday",
                "theme": theme,
                "priority": "priority_normal",
                "digest": 0,
            }
