"""Trajectories with one thing wrong: a step left out, or a value replaced by another one that the page takes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from sites.kit.widgets.listing.model import words
from stressweb.core import draws
from stressweb.html.accessible_name import Names
from stressweb.log.recording import EpisodeRecord, Shown
from stressweb.perception.dom_view import DomView
from stressweb.perception.targets import targets
from stressweb.plugins.agent import Observation
from stressweb.plugins.offers import Offer, together
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.steps import Step

type Way = tuple[Step, ...]


@dataclass(frozen=True)
class Mutation:
    """A trajectory with one thing wrong, and what that is."""

    what: str
    steps: Way


def left_out(way: Way) -> Iterator[Mutation]:
    """Yield the way without each step that matters; a step with a reason why it may be left out is kept."""
    for at, step in enumerate(way):
        if not step.optional:
            yield Mutation(f"step {at + 1} left out: {_said(step)}", way[:at] + way[at + 1 :])


def changed(way: Way, played: EpisodeRecord, world: SiteWorld, offers: Sequence[Offer] = ()) -> Iterator[Mutation]:
    """Yield the way with each value, wherever it is entered, and each item and each thing opened replaced by another.

    `offers` are the files of the task. `played` is an episode in which `naive` did the way, one action for each step: it has the page of every step.
    """
    assert [step.action.final for step in played.steps if step.action] == [False] * len(way) + [True], played.message
    done: set[tuple[str, str | None]] = set()
    for step, before in zip(way, played.steps, strict=False):
        if step.optional or (step.verb, step.value) in done:
            continue
        if step.value is not None:
            done.add((step.verb, step.value))
            value = _other_files(step, offers) if step.files else _other_value(step, before.page, world)
            yield _revalued(way, step, value)
        if step.on is not None and (another := _other_item(step, before.page)) is not None:
            yield _replaced(way, step, another)
        if step.verb == "open" and step.target not in world.labels.values():
            yield from _opened(way, step, before.page)


def _revalued(way: Way, step: Step, value: str) -> Mutation:
    same = (step.verb, step.value)
    steps = tuple(one.model_copy(update={"value": value}) if (one.verb, one.value) == same else one for one in way)
    return Mutation(f"step {way.index(step) + 1} with {value!r} instead: {_said(step)}", steps)


def _replaced(way: Way, step: Step, item: str) -> Mutation:
    at = way.index(step)
    steps = (*way[:at], step.model_copy(update={"on": item}), *way[at + 1 :])
    return Mutation(f"step {at + 1} on {item!r} instead: {_said(step)}", steps)


def _opened(way: Way, step: Step, page: Shown) -> Iterator[Mutation]:
    """Yield the way with another link followed, to a thing of the same kind, if the page has one."""
    reading = DomView(Observation(page.url, page.html))
    meant = targets(reading, step)[0].get("href") or ""
    links = {link.get("href") or "": reading.names.name(link) for link in reading.any_of(("link",))}
    others = {name for href, name in links.items() if href != meant and _kind(href) == _kind(meant)}
    if said := sorted(others - {"", step.target}):
        other = step.model_copy(update={"target": draws.pick(said, "other", _said(step))})
        at = way.index(step)
        yield Mutation(
            f"step {at + 1} with {other.target!r} instead: {_said(step)}", (*way[:at], other, *way[at + 1 :])
        )


def _kind(href: str) -> tuple[str, int]:
    path = urlsplit(href).path
    return path.partition("/")[2].partition("/")[0], path.count("/")


def _other_files(step: Step, offers: Sequence[Offer]) -> str:
    others = [offer.name for offer in offers if offer.name not in step.files]
    return together((*step.files[:-1], draws.pick(others, "other", _said(step))))


def _other_value(step: Step, page: Shown, world: SiteWorld) -> str:
    reading = DomView(Observation(page.url, page.html))
    element = targets(reading, step)[0]
    value = step.value or ""
    if step.verb == "choose":
        return draws.pick(_options(reading, element, value), "other", world.seed, _said(step))
    if element.get("type") == "number":
        low, high = int(element.get("min") or 0), int(element.get("max") or 99)
        return str(int(value) + 1 if int(value) < high else max(int(value) - 1, low))
    if element.get("type") == "search":
        return _other_search(value, world)
    if element.get("type") == "date":
        return (date.fromisoformat(value) + timedelta(days=1)).isoformat()
    if element.get("placeholder") == "hh:mm":
        return (datetime.fromisoformat(f"2025-01-01T{value}") + timedelta(minutes=15)).strftime("%H:%M")
    return _near_miss(value)


def _options(reading: DomView, element: HtmlElement, value: str) -> list[str]:
    texts = (text for text, option in zip(reading.options(element), element.iter("option"), strict=True)
             if option.get("value") != "")  # fmt: skip
    return [text for text in texts if text != value]


def _other_search(value: str, world: SiteWorld) -> str:
    """Return what else could be searched for: the same column of a row that nobody finds among those with the value."""
    tables = (rows for rows in world.entities.values() if rows)
    columns = ((rows, column) for rows in tables for column in rows[0])
    rows, column = next((rows, column) for rows, column in columns if value in {row[column] for row in rows})
    meant = [words(" ".join(map(str, row.values()))) for row in rows if row[column] == value]
    others = sorted({str(row[column]) for row in rows})
    elsewhere = [other for other in others if not any(words(other) <= said for said in meant)]
    return draws.pick(elsewhere, "other", world.seed, value)


def _near_miss(value: str) -> str:
    """Return the same with its last digit another one, or its first letter if it has no digit."""
    places = [at for at, letter in enumerate(value) if letter.isdigit()]
    if places:
        at = places[-1]
        return f"{value[:at]}{(int(value[at]) + 1) % 10}{value[at + 1 :]}"
    first = "b" if value[0] in "aA" else "a"
    return (first.upper() if value[0].isupper() else first) + value[1:]


def _other_item(step: Step, page: Shown) -> str | None:
    """Return another item of the page that has what the step is about; None if the page has no other."""
    reading = DomView(Observation(page.url, page.html))
    names = Names(reading.root)
    found: Sequence[HtmlElement] = targets(reading, step.model_copy(update={"on": None}))
    scopes = [next((one for one in each.iterancestors() if one.get("itemscope") is not None), None) for each in found]
    titles = [
        title for scope in scopes if scope is not None for title in scope.xpath("descendant::*[@itemprop='name']")
    ]
    others = [name for title in titles if (name := title.get("content") or names.text(title)) != step.on]
    meant = targets(reading, step)[0]
    reached = [(name, targets(reading, step.model_copy(update={"on": name}))) for name in others]
    # What an item holds is an item too, and leads to the same place.
    there = [name for name, elements in reached if elements and elements[0] is not meant]
    return draws.pick(there, "other", _said(step)) if there else None


def _said(step: Step) -> str:
    where = f" on {step.on!r}" if step.on else ""
    return f"{step.verb} {step.target!r}" + (f" {step.value!r}" if step.value is not None else "") + where
