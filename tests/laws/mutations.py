"""Trajectories with one mistake: a step left out, or a value replaced by another valid one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from stressweb.core import draws
from stressweb.html.accessible_name import Names
from stressweb.log.recording import EpisodeRecord, Shown
from stressweb.perception.dom_view import DomView
from stressweb.perception.targets import targets
from stressweb.plugins.agent import Observation
from stressweb.plugins.offers import Offer, together
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.steps import Step
from stressweb.sites.kit.widgets.listing.model import words

type Way = tuple[Step, ...]


@dataclass(frozen=True)
class Mutation:
    """A trajectory with one mistake, and a description of it."""

    change: str
    steps: Way


def left_out(way: Way) -> Iterator[Mutation]:
    """Yield the way without each of its required steps; optional steps are never left out."""
    for index, step in enumerate(way):
        if not step.optional:
            yield Mutation(f"step {index + 1} left out: {_described(step)}", way[:index] + way[index + 1 :])


def changed(way: Way, played: EpisodeRecord, world: SiteWorld, offers: Sequence[Offer] = ()) -> Iterator[Mutation]:
    """Yield the way with each entered value, each item and each opened link replaced by another.

    `offers` are the task's files. `played` is an episode in which `naive` took the way, one action a step.
    """
    assert [step.action.final for step in played.steps if step.action] == [False] * len(way) + [True], played.message
    done: set[tuple[str, str | None]] = set()
    for step, before in zip(way, played.steps, strict=False):
        if step.optional or (step.verb, step.value) in done:
            continue
        if step.value is not None:
            done.add((step.verb, step.value))
            replacement = _other_files(step, offers) if step.files else _other_value(step, before.page, world)
            yield _revalued(way, step, replacement)
        if step.on is not None and (another := _other_item(way, step, before.page)) is not None:
            yield _replaced(way, step, another)
        if step.verb == "open" and step.target not in world.labels.values():
            yield from _opened(way, step, before.page)


def _revalued(way: Way, step: Step, replacement: str) -> Mutation:
    same = (step.verb, step.value)
    steps = tuple(
        each.model_copy(update={"value": replacement}) if (each.verb, each.value) == same else each for each in way
    )
    return Mutation(f"step {way.index(step) + 1} with {replacement!r} instead: {_described(step)}", steps)


def _replaced(way: Way, step: Step, name: str) -> Mutation:
    index = way.index(step)
    steps = (*way[:index], step.model_copy(update={"on": name}), *way[index + 1 :])
    return Mutation(f"step {index + 1} on {name!r} instead: {_described(step)}", steps)


def _opened(way: Way, step: Step, page: Shown) -> Iterator[Mutation]:
    """Yield the way with another link of the same kind followed, if the page has one."""
    reading = _reading(page)
    meant = targets(reading, step)[0].get("href") or ""
    links = {link.get("href") or "": reading.names.name(link) for link in reading.any_of(("link",))}
    others = {name for href, name in links.items() if href != meant and _kind(href) == _kind(meant)}
    if names := sorted(others - {"", step.target}):
        replacement = step.model_copy(update={"target": draws.pick(names, "other", _described(step))})
        index = way.index(step)
        yield Mutation(
            f"step {index + 1} with {replacement.target!r} instead: {_described(step)}",
            (*way[:index], replacement, *way[index + 1 :]),
        )


def _kind(href: str) -> tuple[str, int]:
    path = urlsplit(href).path
    return path.partition("/")[2].partition("/")[0], path.count("/")


def _other_files(step: Step, offers: Sequence[Offer]) -> str:
    others = [offer.name for offer in offers if offer.name not in step.files]
    return together((*step.files[:-1], draws.pick(others, "other", _described(step))))


def _other_value(step: Step, page: Shown, world: SiteWorld) -> str:
    reading = _reading(page)
    element = targets(reading, step)[0]
    current = step.value or ""
    if step.verb == "choose":
        return draws.pick(_options(reading, element, current), "other", world.seed, _described(step))
    if element.get("type") == "number":
        low, high = int(element.get("min") or 0), int(element.get("max") or 99)
        return str(int(current) + 1 if int(current) < high else max(int(current) - 1, low))
    if element.get("type") == "search":
        return _other_search(current, world)
    if element.get("type") == "date":
        return (date.fromisoformat(current) + timedelta(days=1)).isoformat()
    if element.get("placeholder") == "hh:mm":
        return (datetime.fromisoformat(f"2025-01-01T{current}") + timedelta(minutes=15)).strftime("%H:%M")
    return _near_miss(current)


def _options(reading: DomView, element: HtmlElement, value: str) -> list[str]:
    texts = (text for text, option in zip(reading.options(element), element.iter("option"), strict=True)
             if option.get("value") != "")  # fmt: skip
    return [text for text in texts if text != value]


def _other_search(query: str, world: SiteWorld) -> str:
    """Return another search: the same column of a row that no search for the query finds."""
    tables = (rows for rows in world.entities.values() if rows)
    columns = ((rows, column) for rows in tables for column in rows[0])
    rows, column = next((rows, column) for rows, column in columns if query in {row[column] for row in rows})
    meant = [words(" ".join(map(str, row.values()))) for row in rows if row[column] == query]
    others = sorted({str(row[column]) for row in rows})
    unrelated_texts = [text for text in others if not any(words(text) <= row_words for row_words in meant)]
    return draws.pick(unrelated_texts, "other", world.seed, query)


def _near_miss(text: str) -> str:
    """Return the text with its last digit changed, or its first letter if it has no digit."""
    places = [position for position, letter in enumerate(text) if letter.isdigit()]
    if places:
        position = places[-1]
        return f"{text[:position]}{(int(text[position]) + 1) % 10}{text[position + 1 :]}"
    first = "b" if text[0] in "aA" else "a"
    return (first.upper() if text[0].isupper() else first) + text[1:]


def _other_item(way: Way, step: Step, page: Shown) -> str | None:
    """Return another item of the page that has the step's target, and for which the way never uses it; else None."""
    # Once the way's other items have lost the target, the agent would take the only one left, that of this step.
    own = {each.on for each in way if each.target == step.target}
    reading = _reading(page)
    names = Names(reading.root)
    matches: Sequence[HtmlElement] = targets(reading, step.model_copy(update={"on": None}))
    scopes = [
        next((ancestor for ancestor in element.iterancestors() if ancestor.get("itemscope") is not None), None)
        for element in matches
    ]
    titles = [
        title for scope in scopes if scope is not None for title in scope.xpath("descendant::*[@itemprop='name']")
    ]
    others = [name for title in titles if (name := title.get("content") or names.text(title)) not in own]
    meant = targets(reading, step)[0]
    reached = [(name, targets(reading, step.model_copy(update={"on": name}))) for name in others]
    # An item may be nested in another and lead to the same place.
    other_names = [name for name, elements in reached if elements and elements[0] is not meant]
    return draws.pick(other_names, "other", _described(step)) if other_names else None


def _reading(page: Shown) -> DomView:
    """Return a page as the agent read it: with boxes, without which targets in closed menus count as visible."""
    assert page.boxes, page.url
    return DomView(Observation(page.url, page.html, boxes=page.boxes))


def _described(step: Step) -> str:
    where = f" on {step.on!r}" if step.on else ""
    return f"{step.verb} {step.target!r}" + (f" {step.value!r}" if step.value is not None else "") + where
