"""Detours that save a wrong value and then correct it in the site's own form for that row."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from urllib.parse import unquote, urljoin, urlsplit

from lxml.html import HtmlElement

from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.runner.verify.detour import Detour
from stressweb.runner.verify.further import rows
from stressweb.runner.verify.walks import described
from stressweb.walking.walker import LostError, Walker
from stressweb.walking.xpath import elements, strings

PAGES = 25
"""Maximum number of pages on which to search for the form that corrects a value."""
_TEXTS = ("text", "long", "")


def corrections(goal: Goal, places: Sequence[Walker]) -> Iterator[Detour]:
    """Yield a detour for each value of the trajectory for which a wrong value can be saved.

    `places` has the walker before each step of the trajectory.
    """
    way, tried = goal.ways[0], set[tuple[str, str]]()
    # A goal without changes of rows has nothing to correct.
    if not goal.expect:
        return
    for number, (step, place) in enumerate(zip(way, places, strict=False)):
        if step.verb not in ("enter", "choose") or not step.value or (step.verb, step.target) in tried:
            continue
        # Only one field per label.
        tried.add((step.verb, step.target))
        field = place.find(step)
        form = next(field.iterancestors("form"), None)
        wrong = wrong_value(field, step.value)
        if form is None or (form.get("method") or "get") != "post" or wrong is None:
            continue
        is_text = step.verb == "enter" and field.get("type", "") in _TEXTS
        mistaken = [
            *way[:number],
            step.model_copy(update={"value": wrong}),
            # Later steps refer to the row by its wrong text.
            *(with_name(later_step, step.value, wrong) if is_text else later_step for later_step in way[number + 1 :]),
        ]
        correct = partial(
            _correct, goal=goal, steps=mistaken, name=field.get("name") or "", wrong=wrong, right=step.value
        )
        yield Detour("saved wrongly and corrected", f"{described(step)}, first as {wrong!r}", correct)


def wrong_value(field: HtmlElement, right: str) -> str | None:
    """Return a valid value that a person could enter by mistake instead of `right`; None if there is none."""
    if field.tag == "select":
        texts = [str(option.text_content()).strip() for option in field.iter("option") if option.get("value")]
        return next((text for text in texts if text != right and texts.count(text) == 1), None)
    kind = field.get("type", "")
    if kind == "date":
        return (date.fromisoformat(right) + timedelta(days=1)).isoformat()
    if kind == "time" or field.get("placeholder") == "hh:mm":
        return (datetime.fromisoformat(f"2025-01-01T{right}") + timedelta(minutes=15)).strftime("%H:%M")
    if kind == "number":
        return str(int(right) + (-1 if field.get("max") == right else 1)) if right.isdecimal() else None
    return mistyped(right) if kind in _TEXTS else None


def mistyped(text: str) -> str:
    """Return a text with another last letter before its first dot, so that it stays a valid address."""
    stem, dot, ending = text.partition(".")
    return stem[:-1] + ("x" if stem[-1:] != "x" else "y") + dot + ending


def with_name(step: Step, name: str, wrong: str) -> Step:
    """Return a step with the right name replaced by a wrong one."""
    return step.model_copy(
        update={
            "target": step.target.replace(name, wrong),
            "value": wrong if step.value == name else step.value,
            "on": step.on and step.on.replace(name, wrong),
        }
    )


def _correct(walker: Walker, goal: Goal, steps: Sequence[Step], name: str, wrong: str, right: str) -> None:
    """Walk with a wrong value and correct it; raises LostError if the site has no form for the correction."""
    walker.walk(steps)
    changes = rows(walker).values()
    keys = {str(row.id) for change in changes for row in (*change.added, *(after for _, after in change.altered))}
    for address, number in _editing(walker.fork(), goal, keys, name, wrong):
        with walker.trial():
            _send(walker, address, number, wrong, right)
            is_right = _is_reached(walker, goal)
        if is_right:
            _send(walker, address, number, wrong, right)
            return
    raise LostError(f"no form corrects {wrong!r}")


def _is_reached(walker: Walker, goal: Goal) -> bool:
    assert goal.expect is not None
    outcome = goal.expect.compare(walker.changes())
    return not outcome.missing and not outcome.harms


def _editing(walker: Walker, goal: Goal, keys: set[str], name: str, wrong: str) -> Iterator[tuple[str, int]]:
    """Yield page and index of each field with the wrong value, on pages about the changed rows."""
    # Pages in the navigation, such as the account's, come last.
    navigation = [urljoin(walker.url, link) for link in strings(walker.page, "//nav//a/@href | //header//a/@href")]
    queue, visited = [walker.url, *goal.paths(walker.changes()).values()], set[str]()
    while (queue or navigation) and len(visited) < PAGES:
        address = (queue or navigation).pop(0)
        if address in visited:
            continue
        visited.add(address)
        if walker.get(address).status_code != 200:
            continue
        for number, field in enumerate(elements(walker.page, _FIELDS)):
            if _text(field) == wrong and (field.get("name") == name or field.get("type", "") in _TEXTS):
                yield address, number
        links = [urljoin(walker.url, link) for link in strings(walker.page, "//a/@href") if not link.startswith("#")]
        queue += [link for link in links if keys & {*unquote(urlsplit(link).path).split("/")}]


_FIELDS = "//form[@method='post']//*[(self::input and not(@type='hidden')) or self::select or self::textarea][@name]"


def _text(field: HtmlElement) -> str:
    if field.tag == "textarea":
        return field.text or ""
    if field.tag == "select":
        return next(
            (option.text_content().strip() for option in field.iter("option") if option.get("selected") is not None), ""
        )
    return field.get("value") or ""


def _send(walker: Walker, address: str, number: int, wrong: str, right: str) -> None:
    walker.get(address)
    field = elements(walker.page, _FIELDS)[number]
    if field.tag == "select":
        for option in field.iter("option"):
            option.attrib.pop("selected", None)
            if option.text_content().strip() == right:
                option.set("selected", "")
    elif field.tag == "textarea":
        field.text = right
    else:
        field.set("value", right)
    form = next(field.iterancestors("form"))
    buttons = elements(form, ".//button[not(@type) or @type='submit']")
    if not buttons:
        raise LostError(f"the form on {address} has no button")
    walker.submit(form, buttons[0])
