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
_MEMBERS, _ACCOUNTS, _PROJECTS, _TAGS = 9, 3, 5, 8
_ITEMS = (12, 15)
"""Minimum and maximum number of a project's cards outside the archive."""
_ARCHIVED = 3
_BOARD = [STATES[0]] * 4 + [STATES[1]] * 3 + [STATES[2]] * 2 + [DONE] * 3
"""The states of a dozen cards."""
_WHEN = ("over", "over", "over", "today", "week", "next", "next", "later", "none")
"""Due dates of nine open cards of a project."""
_RANKS = ("priority_normal", "priority_urgent", "priority_low", "priority_high", "priority_normal", "priority_low")
"""Priorities of cards that are due at about the same time, in turn."""
_CLOSED = ((33, 90), (8, 28), (33, 90), (0, 6))
"""Ranges of days since a project's cards were done, in turn; they avoid the boundaries of weeks and months."""
_UNASSIGNED, _STEPPED, _COMMENTED, _MENTIONING, _DESCRIBED = 0.2, 0.4, 0.45, 0.4, 0.6
_ATTEMPTS = 99

_FIXED = ("co", "trade", "place", "room", "team", "store", "month")
"""Words that are the same in all texts of a project."""

type Values = dict[str, Any]
type Topic = tuple[Any, ...]
"""The key by which the fixed words of a project are drawn."""


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
    """Return a template filled with words of the world; some are those of the topic."""
    # Not only members: texts also name people outside the projects.
    everybody, lists = cast(drawing), work()["words"]
    about = LazyWords(drawing, topic, lists, **times(drawing, *topic, first=8, hours=10))
    fixed: dict[str, Callable[[], Any]] = {name: partial(about.__getitem__, name) for name in _FIXED}
    words = LazyWords(
        drawing,
        key,
        lists,
        co2=lambda: next(name for name in drawing.shuffled(lists["co"], *key, "co2") if name != about["co"]),
        # Without a middle name.
        p=lambda: drawing.shuffled(everybody, *key, "p")[0]["first"].split()[0],
        p2=lambda: drawing.shuffled(everybody, *key, "p")[1]["first"].split()[0],
        n=lambda: 2 + int(drawing.unit(*key, "n") * 44),
        **{**times(drawing, *key, first=8, hours=10), **fixed},
    )
    return phrase(template, words)


def past_moment(drawing: Drawing, days: float) -> str:
    """Return a moment as `past` does, but at least 7 minutes before the world's start."""
    return min(past(drawing, days), moment(drawing.start - timedelta(minutes=7)))


def people(drawing: Drawing) -> Iterator[Values]:
    """Yield the members; the first ones have accounts, and two share a last name."""
    everybody = cast(drawing)
    first, others = everybody[0], drawing.shuffled(everybody[1:], "members")
    twin = next(
        person for person in others if any(person["last"] == peer["last"] for peer in others if peer is not person)
    )
    namesake = next(person for person in others if person is not twin and person["last"] == twin["last"])
    chosen = {row["name"]: row for row in (first, twin, *others[: _MEMBERS - 3], namesake)}
    for number, (name, row) in enumerate([*chosen.items()]):
        yield {
            "id": slug(name),
            "name": name,
            "email": row["id"],
            "job": row["job"],
            "seat": number,
            "account": int(number < _ACCOUNTS),
        }


def projects(drawing: Drawing) -> Iterator[Values]:
    """Yield the projects."""
    taken = set[str]()
    leads = drawing.shuffled(drawing.made["Person"], "leads")
    colours = drawing.shuffled(("blue", "green", "violet", "teal", "red", "pink"), "colours")
    for number, kind in enumerate(drawing.shuffled(work()["kinds"], "kinds")[:_PROJECTS]):
        topic = ("project", number)
        name = _unused_name(drawing, drawing.shuffled(kind["name"], *topic), taken, topic, *topic)
        yield {
            "id": slug(name),
            "name": name,
            "about": fill_template(drawing, drawing.pick(kind["about"], "about", number), topic, *topic),
            "colour": f"colour_{colours[number]}",
            "lead": leads[number].id,
            "kind": kind,
            "topic": topic,
        }


def _unused_name(drawing: Drawing, choices: Sequence[str], taken: set[str], topic: Topic, *key: Any) -> str:
    """Return an unused name, made of the first choice that gives one."""
    for attempt in range(_ATTEMPTS):
        name = fill_template(drawing, choices[attempt % len(choices)], topic, *key, attempt)
        if slug(name) not in taken:
            taken.add(slug(name))
            return name
    raise UserError(f"tasks: no name left for {key} in {_ATTEMPTS} draws")


def items(drawing: Drawing) -> Iterator[Values]:
    """Yield the cards of all projects, each project's in the order of its board; some are in the archive."""
    taken, plan = set[str](), _CardPlan(drawing)
    stamps = iter(drawing.shuffled(range(2, 80), "archived"))
    members = [person.id for person in drawing.made["Person"]]
    for project in drawing.made["Project"]:
        many = _ITEMS[0] + int(drawing.unit("items", project.id) * (_ITEMS[1] - _ITEMS[0] + 1))
        # Three people own most cards of a project, its lead most of all.
        team = [*[project.lead] * 5, *drawing.shuffled(members, "team", project.id)[:3]]
        titles = drawing.shuffled(project.kind["items"], "titles", project.id)
        for number, state in enumerate([*plan.states(project.id, many), *[DONE] * _ARCHIVED]):
            key = ("item", project.id, number)
            name = _unused_name(drawing, [*titles[number:], *titles[:number]], taken, project.topic, *key)
            schedule = plan.times(project.id, state, number >= many)
            unassigned = (
                schedule["due"] >= drawing.start.date().isoformat() and drawing.unit(*key, "free") < _UNASSIGNED
            )
            about = drawing.unit(*key, "about") < _DESCRIBED
            yield {
                "id": slug(name),
                "name": name,
                "project": project.id,
                "state": state,
                **schedule,
                "owner": "" if unassigned else drawing.pick([*team, *team, *members], *key, "owner"),
                "about": fill_template(
                    drawing, drawing.pick(work()["abouts"], *key, "about"), project.topic, *key, "about"
                )
                if about
                else "",
                "position": (number + 1) * GAP,
                "author": drawing.pick(members, *key, "author"),
                "created": past_moment(drawing, 95 + 60 * drawing.unit(*key, "created")),
                "changed": schedule["closed"] or past_moment(drawing, 1 + 80 * drawing.unit(*key, "changed")),
                "archived": past_moment(drawing, next(stamps) + drawing.unit(*key, "put away"))
                if number >= many
                else "",
            }


class _CardPlan:
    """Assigns states and dates to cards, so that every project has some of each kind."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.counts = drawing, Counter[str]()
        # No two cards are overdue by the same number of days.
        self.over = iter(drawing.shuffled(range(1, 75), "overdue"))

    def states(self, project: str, many: int) -> list[str]:
        """Return the state of each card of a project."""
        board = self.drawing.shuffled(_BOARD, "board", project)
        more = self.drawing.shuffled(_BOARD, "more", project)[: many - len(_BOARD)]
        return self.drawing.shuffled([*board, *more], "mixed", project)

    def times(self, project: str, state: str, is_old: bool) -> Values:
        """Return a card's due date, the time at which it was done, and its priority."""
        nth = self._next(f"{project} {state == DONE}")
        unit = self.drawing.unit("card", project, state == DONE, nth)
        if state == DONE:
            low, high = _CLOSED[0] if is_old else _CLOSED[nth % len(_CLOSED)]
            closed = past_moment(self.drawing, low + (high - low + 0.99) * unit)
            rank = self.drawing.pick(PRIORITIES, "rank", project, nth)
            return {"due": self._day(int(unit * 90) - 80), "closed": closed, "priority": rank}
        when = self.drawing.shuffled(_WHEN, "when", project, nth // len(_WHEN))[nth % len(_WHEN)]
        return {"due": self._due(when, unit), "closed": "", "priority": _RANKS[self._next(when) % len(_RANKS)]}

    def _next(self, counter: str) -> int:
        self.counts[counter] += 1
        return self.counts[counter] - 1

    def _due(self, when: str, unit: float) -> str:
        weekday = self.drawing.start.weekday()
        if when == "none":
            return ""
        if when == "over":
            return self._day(-next(self.over))
        days = {"today": (0, 0), "week": (0, 6 - weekday), "next": (7 - weekday, 13 - weekday), "later": (15, 70)}
        low, high = days[when]
        return self._day(low + int(unit * (high - low + 1)))

    def _day(self, ahead: int) -> str:
        return (self.drawing.start.date() + timedelta(days=ahead)).isoformat()


def taggings(drawing: Drawing) -> Iterator[Values]:
    """Yield the tags of the cards: most have one or two, some none."""
    names = [tag.id for tag in drawing.made["Tag"]]
    for card in drawing.made["Item"]:
        tag_count = drawing.pick((0, 0, 1, 1, 2), "tags", card.id)
        for tag in drawing.shuffled(names, "tags", card.id)[:tag_count]:
            yield {"id": f"{card.id}/{tag}", "item": card.id, "tag": tag}


def steps(drawing: Drawing) -> Iterator[Values]:
    """Yield the steps of cards; all steps of a done card are done."""
    topics = {project.id: project.topic for project in drawing.made["Project"]}
    for card in drawing.made["Item"]:
        if drawing.unit("stepped", card.id) >= _STEPPED:
            continue
        templates = drawing.shuffled(work()["steps"], "steps", card.id)
        for number, template in enumerate(templates[: 2 + int(drawing.unit("steps", card.id) * 4)]):
            name = fill_template(drawing, template, topics[card.project], "step", card.id, number)
            done = card.state == DONE or drawing.unit("step done", card.id, number) < 0.4
            yield {"id": f"{card.id}-{slug(name)}", "item": card.id, "name": name, "done": int(done)}


def comments(drawing: Drawing) -> Iterator[Values]:
    """Yield the comments on cards in chronological order; some mention a member."""
    members = [*drawing.made["Person"]]
    topics = {project.id: project.topic for project in drawing.made["Project"]}
    for card in drawing.made["Item"]:
        if drawing.unit("said", card.id) >= _COMMENTED:
            continue
        texts = drawing.shuffled(work()["comments"], "comments", card.id)
        total, named = 1 + int(drawing.unit("comments", card.id) * 4), set[str]()
        for number, template in enumerate(texts[:total]):
            key = ("comment", card.id, number)
            text = fill_template(drawing, template, topics[card.project], *key)
            author = drawing.pick(members, *key, "author")
            mentioned = drawing.pick([*members, *members[:3], *members[:1] * 3], *key, "told")
            # The comments on a card mention each person at most once.
            is_mention = (
                mentioned is not author and mentioned.id not in named and drawing.unit(*key, "tells") < _MENTIONING
            )
            named |= {mentioned.id} if is_mention else set()
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
