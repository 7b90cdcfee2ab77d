"""How a world's projects come about: who shares them, what there is to do in them, and what was said about it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from sites.kit import Drawing, moment, slug
from sites.kit.data.phrases import LazyWords, past, phrase, times
from sites.kit.mixins.people.logic import cast
from stressweb.core.errors import UserError
from stressweb.core.yaml_models import load

STATES = ("state_todo", "state_doing", "state_review", "state_done")
DONE = STATES[-1]
PRIORITIES = ("priority_low", "priority_normal", "priority_high", "priority_urgent")
GAP = 1000
"""Between the positions of two cards, so that others have room between them."""
_MEMBERS, _ACCOUNTS, _PROJECTS, _TAGS = 9, 3, 5, 8
_ITEMS = (12, 15)
"""Cards of a project that are not in the archive, least and most."""
_ARCHIVED = 3
_BOARD = [STATES[0]] * 4 + [STATES[1]] * 3 + [STATES[2]] * 2 + [DONE] * 3
"""The states of a dozen cards."""
_WHEN = ("over", "over", "over", "today", "week", "next", "next", "later", "none")
"""When nine cards of a project that are not done are due."""
_RANKS = ("priority_normal", "priority_urgent", "priority_low", "priority_high", "priority_normal", "priority_low")
"""The priorities of cards that are due at about the same time, in turn."""
_CLOSED = ((33, 90), (8, 28), (33, 90), (0, 6))
"""Days since the cards of a project were done, in turn; none lies near the end of a week or a month."""
_FREE, _STEPPED, _SAID, _TOLD, _DESCRIBED = 0.2, 0.4, 0.45, 0.4, 0.6
_ATTEMPTS = 99

type Values = dict[str, Any]


@cache
def _corpus(name: str) -> Mapping[str, Any]:
    texts: Mapping[str, Any] = load(Path(__file__).with_name("corpora") / f"{name}.yaml")
    return texts


def work() -> Mapping[str, Any]:
    """Return what projects are about."""
    return _corpus("work")


def requests() -> Mapping[str, Any]:
    """Return what goals ask people to write."""
    return _corpus("requests")


def said(drawing: Drawing, template: str, *key: Any) -> str:
    """Return a template with words of the world in the place of its letters."""
    # Not from the members, who are drawn before anything else: people from elsewhere are spoken of, too.
    everybody = cast(drawing)
    words = LazyWords(
        drawing,
        key,
        work()["words"],
        # Without a middle name.
        p=lambda: drawing.shuffled(everybody, *key, "p")[0]["first"].split()[0],
        p2=lambda: drawing.shuffled(everybody, *key, "p")[1]["first"].split()[0],
        n=lambda: 2 + int(drawing.unit(*key, "n") * 44),
        **times(drawing, *key, first=8, hours=10),
    )
    return phrase(template, words)


def before(drawing: Drawing, days: float) -> str:
    """Return a moment as `past` does, but none after the beginning of the site's time."""
    return min(past(drawing, days), moment(drawing.start - timedelta(minutes=7)))


def people(drawing: Drawing) -> Iterator[Values]:
    """Yield who shares the projects; the first ones are signed in here, and two have a name in common."""
    everybody = cast(drawing)
    first, others = everybody[0], drawing.shuffled(everybody[1:], "members")
    twin = next(one for one in others if any(one["last"] == two["last"] for two in others if two is not one))
    like = next(one for one in others if one is not twin and one["last"] == twin["last"])
    chosen = {row["name"]: row for row in (first, twin, *others[: _MEMBERS - 3], like)}
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
        name, key = _free(drawing, kind["name"], taken, "project", number)
        yield {
            "id": slug(name),
            "name": name,
            # With the same words as the name.
            "about": said(drawing, drawing.pick(kind["about"], "about", number), *key),
            "colour": f"colour_{colours[number]}",
            "lead": leads[number].id,
            "kind": kind,
        }


def _free(drawing: Drawing, choices: Sequence[str], taken: set[str], *key: Any) -> tuple[str, tuple[Any, ...]]:
    """Return a name that none has yet, and the key that its words were drawn by."""
    for attempt in range(_ATTEMPTS):
        name = said(drawing, drawing.pick(choices, *key, attempt), *key, attempt)
        if slug(name) not in taken:
            taken.add(slug(name))
            return name, (*key, attempt)
    raise UserError(f"tasks: no name left for {key} in {_ATTEMPTS} draws")


def items(drawing: Drawing) -> Iterator[Values]:
    """Yield the cards of all projects, each project's in the order of its board; some are in the archive."""
    taken, plan = set[str](), _Plan(drawing)
    stamps = iter(drawing.shuffled(range(2, 80), "archived"))
    members = [one.id for one in drawing.made["Person"]]
    for project in drawing.made["Project"]:
        many = _ITEMS[0] + int(drawing.unit("items", project.id) * (_ITEMS[1] - _ITEMS[0] + 1))
        # Three people do most of a project, and who leads it most of all.
        team = [*[project.lead] * 5, *drawing.shuffled(members, "team", project.id)[:3]]
        for number, state in enumerate([*plan.states(project.id, many), *[DONE] * _ARCHIVED]):
            key = ("item", project.id, number)
            name, _ = _free(drawing, project.kind["items"], taken, *key)
            times = plan.times(project.id, state, number >= many)
            free = times["due"] >= drawing.start.date().isoformat() and drawing.unit(*key, "free") < _FREE
            about = drawing.unit(*key, "about") < _DESCRIBED
            yield {
                "id": slug(name),
                "name": name,
                "project": project.id,
                "state": state,
                **times,
                "owner": "" if free else drawing.pick([*team, *team, *members], *key, "owner"),
                "about": said(drawing, drawing.pick(work()["abouts"], *key, "about"), *key, "about") if about else "",
                "position": (number + 1) * GAP,
                "author": drawing.pick(members, *key, "author"),
                "created": before(drawing, 95 + 60 * drawing.unit(*key, "created")),
                "changed": times["closed"] or before(drawing, 1 + 80 * drawing.unit(*key, "changed")),
                "archived": before(drawing, next(stamps) + drawing.unit(*key, "put away")) if number >= many else "",
            }


class _Plan:
    """Gives cards their states and days, so that every project has some of each kind."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.at = drawing, Counter[str]()
        # No two cards are overdue by the same number of days.
        self.over = iter(drawing.shuffled(range(1, 75), "overdue"))

    def states(self, project: str, many: int) -> list[str]:
        """Return the state of each card of a project."""
        board = self.drawing.shuffled(_BOARD, "board", project)
        more = self.drawing.shuffled(_BOARD, "more", project)[: many - len(_BOARD)]
        return self.drawing.shuffled([*board, *more], "mixed", project)

    def times(self, project: str, state: str, is_old: bool) -> Values:
        """Return when a card is due, when it was done, and how much it matters."""
        nth = self._next(f"{project} {state == DONE}")
        unit = self.drawing.unit("card", project, state == DONE, nth)
        if state == DONE:
            low, high = _CLOSED[0] if is_old else _CLOSED[nth % len(_CLOSED)]
            closed = before(self.drawing, low + (high - low + 0.99) * unit)
            rank = self.drawing.pick(PRIORITIES, "rank", project, nth)
            return {"due": self._day(int(unit * 90) - 80), "closed": closed, "priority": rank}
        when = self.drawing.shuffled(_WHEN, "when", project, nth // len(_WHEN))[nth % len(_WHEN)]
        return {"due": self._due(when, unit), "closed": "", "priority": _RANKS[self._next(when) % len(_RANKS)]}

    def _next(self, what: str) -> int:
        self.at[what] += 1
        return self.at[what] - 1

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
    names = [one.id for one in drawing.made["Tag"]]
    for one in drawing.made["Item"]:
        many = drawing.pick((0, 0, 1, 1, 2), "tags", one.id)
        for tag in drawing.shuffled(names, "tags", one.id)[:many]:
            yield {"id": f"{one.id}/{tag}", "item": one.id, "tag": tag}


def steps(drawing: Drawing) -> Iterator[Values]:
    """Yield the steps of the cards that have some; of what is done, they are, too."""
    for one in drawing.made["Item"]:
        if drawing.unit("stepped", one.id) >= _STEPPED:
            continue
        templates = drawing.shuffled(work()["steps"], "steps", one.id)
        for number, template in enumerate(templates[: 2 + int(drawing.unit("steps", one.id) * 4)]):
            name = said(drawing, template, "step", one.id, number)
            done = one.state == DONE or drawing.unit("step done", one.id, number) < 0.4
            yield {"id": f"{one.id}-{slug(name)}", "item": one.id, "name": name, "done": int(done)}


def comments(drawing: Drawing) -> Iterator[Values]:
    """Yield what people say about cards, in the order of time; some tell somebody by name."""
    members = [*drawing.made["Person"]]
    for one in drawing.made["Item"]:
        if drawing.unit("said", one.id) >= _SAID:
            continue
        texts = drawing.shuffled(work()["comments"], "comments", one.id)
        total, named = 1 + int(drawing.unit("comments", one.id) * 4), set[str]()
        for number, template in enumerate(texts[:total]):
            key = ("comment", one.id, number)
            text, author = said(drawing, template, *key), drawing.pick(members, *key, "author")
            told = drawing.pick([*members, *members[:3], *members[:1] * 3], *key, "told")
            # A card names each person in one comment at the most.
            tells = told is not author and told.id not in named and drawing.unit(*key, "tells") < _TOLD
            named |= {told.id} if tells else set()
            yield {
                "id": f"{one.id}-{number + 1}",
                "item": one.id,
                "author": author.id,
                "at": before(drawing, (total - number) * 3 - 2 + drawing.unit(*key, "at")),
                "text": f"@{told.name}: {text}" if tells else text,
                "mentions": told.id if tells else "",
            }


def settings(drawing: Drawing) -> Iterator[Values]:
    """Yield the settings of each account."""
    for one in drawing.made["Person"]:
        if one.account:
            theme = drawing.pick(("theme_calm", "theme_dense"), "theme", one.id)
            yield {"id": one.id, "week_start": "day_monday", "theme": theme, "priority": "priority_normal", "digest": 0}
