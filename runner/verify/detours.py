"""Detours: other ways to a goal that a person would take, made of a task's trajectory and of the site's own pages.

None of them changes what is reached, so none may change the grade. They are walked without a browser.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import urljoin

from lxml.html import HtmlElement

from runner.verify.crawling import addresses, kind_of
from runner.verify.documents import parsed
from runner.verify.found_forms import FoundForm, data_of, found_forms
from runner.verify.further import rows
from runner.verify.walker import BrokenError, LostError, Walker
from runner.verify.walks import TaskWalks, failed, said
from runner.verify.xpath import elements
from stressweb.core import draws
from stressweb.plugins.database import TableChange
from stressweb.plugins.steps import Step

TYPO = " x"
"""What is typed behind a value by mistake, and taken away again."""
_TYPED = ("text", "long", "search", "")

ACTIONS = 12
"""Actions of a task's pages that are tried for something that takes them back."""

type Walk = Callable[[Walker], object]


@dataclass(frozen=True)
class Detour:
    """One other way: what a person does, and how it is walked from the first page."""

    kind: str
    what: str
    walk: Walk


class Detours:
    """The detours of one task in one world."""

    def __init__(self, walks: TaskWalks) -> None:
        """Take the task; raises LostError or BrokenError if its trajectory cannot be walked."""
        self._walks, self._way = walks, walks.goal.ways[0]
        self._specs = (
            {one.path: one for one in walks.world.spec.actions.values()} if hasattr(walks.world, "spec") else {}
        )
        self._places = [*self._walked()]
        self._rows = rows(self._places[-1])

    def _walked(self) -> Iterator[Walker]:
        """Yield the walker as it stands before each step, and after the last."""
        walker = self._walks.walker()
        for step in self._way:
            yield walker.fork()
            walker.do(step)
        yield walker

    def all(self) -> Iterator[Detour]:
        """Yield every detour."""
        yield from self._looks()
        yield from self._corrected()
        yield from self._swapped()
        yield from self._undone()
        yield from self._addressed()

    def drawn(self, most: int) -> list[Detour]:
        """Return at most so many detours, of every kind if there is room, drawn by the task and the world."""
        goal = self._walks.goal
        left = sorted(self.all(), key=lambda one: draws.unit("detour", goal.task, goal.world_seed, one.kind, one.what))
        chosen: list[Detour] = []
        while left and len(chosen) < most:
            kinds: set[str] = set()
            for one in left:
                if one.kind not in kinds and len(chosen) < most:
                    kinds.add(one.kind)
                    chosen.append(one)
            left = [one for one in left if one not in chosen]
        return chosen

    def wrong(self, detour: Detour) -> str:
        """Walk a detour; return what is wrong with its grade, "" if nothing is or the detour does not lead there."""
        walker = self._walks.walker()
        try:
            detour.walk(walker)
        except LostError:
            # A page that is another one after the detour may have no such control: it is no way to the goal then.
            return ""
        except BrokenError as error:
            return f"{detour.kind}, {detour.what}: {error}"
        if self._plain(rows(walker)) != self._plain(self._rows):
            return ""
        grade = self._walks.grade(walker.run(self._walks.goal))
        return "" if grade.success else f"{detour.kind}, {detour.what}: {failed(grade)}"

    def _plain(self, changes: dict[str, TableChange]) -> dict[str, list[str]]:
        """Return what changed without the columns that the site fills in itself, such as times."""
        found: dict[str, list[str]] = {}
        for table, change in changes.items():
            free = self._walks.world.generated.get(table, frozenset())
            pairs = [*((None, row) for row in change.added), *((row, None) for row in change.removed), *change.altered]
            found[table] = sorted(
                str([row and {k: v for k, v in row.items() if k not in free} for row in pair]) for pair in pairs
            )
        return found

    def _looks(self) -> Iterator[Detour]:
        """Look at other pages before the first step, in between, and at the end in a second tab."""
        for number, place in enumerate(self._places):
            kinds: set[str] = set()
            unsent = _values(place.page) != _values(parsed(place.html))
            for address in addresses(place):
                if (kind := kind_of(address)) in kinds:
                    continue
                kinds.add(kind)
                before = f"before {said(self._way[number])}" if number < len(self._way) else "after the last step"
                tab = f"{address} in a second tab {before}"
                # What a goal asks to be left open must be in front at the end; what it asks to be done must be done.
                stay = number == len(self._way) and bool(self._walks.goal.expect)
                yield Detour("second tab", tab, self._with(number, partial(_tab, path=address, stay=stay)))
                # Who leaves a form that is half filled in must fill it in again.
                if number < len(self._way) and not unsent:
                    look = self._with(number, partial(_there_and_back, to=address))
                    yield Detour("look", f"{address} {before}, and back", look)

    def _with(self, number: int, between: Walk, onwards: int | None = None) -> Walk:
        """Return the way with something between two steps; it goes on with the step `onwards`."""

        def walk(walker: Walker) -> None:
            walker.walk(self._way[:number])
            between(walker)
            walker.walk(self._way[number if onwards is None else onwards :])

        return walk

    def _corrected(self) -> Iterator[Detour]:
        """Enter another value first, and correct it before the form is sent, or after it was refused or saved."""
        for number, step in enumerate(self._way):
            place = self._places[number]
            other = self._other(place, step)
            if other is None:
                continue
            wrong = step.model_copy(update={"value": other})
            yield Detour("typed anew", said(step), self._with(number, partial(Walker.do, step=wrong)))
        for number, step in enumerate(self._way):
            if step.verb == "enter" and (end := self._sent(number)) is not None:
                yield Detour("sent empty first", said(step), self._emptied(number, end))

    def _other(self, place: Walker, step: Step) -> str | None:
        if step.verb not in ("enter", "choose") or step.value is None:
            return None
        field = place.find(step)
        if step.verb == "choose":
            texts = [str(one.text_content()).strip() for one in field.iter("option") if one.get("selected") is None]
            return next((text for text in texts if text and text != step.value and texts.count(text) == 1), None)
        return f"{step.value}{TYPO}" if field.get("type", "") in _TYPED else None

    def _sent(self, number: int) -> int | None:
        """Return the step that sends the form into which this one enters something."""
        return next((at for at in range(number, len(self._way)) if self._way[at].verb == "press"), None)

    def _emptied(self, number: int, end: int) -> Walk:
        """Leave a value out, send the form, and fill in what is missing once it was refused."""

        def walk(walker: Walker) -> None:
            walker.walk((*self._way[:number], *self._way[number + 1 : end]))
            before = rows(walker)
            walker.do(self._way[end])
            if rows(walker) != before:
                raise LostError("the form was taken")
            walker.walk((self._way[number], *self._way[end:]))

        return walk

    def _swapped(self) -> Iterator[Detour]:
        """Do two neighbouring steps on one page in the other order."""
        free = ("enter", "choose", "tick", "untick", "upload")
        for number, (step, after) in enumerate(zip(self._way, self._way[1:], strict=False)):
            if step.verb in free and after.verb in free:
                way = (*self._way[:number], after, step, *self._way[number + 2 :])
                yield Detour("other order", f"{said(after)} before {said(step)}", partial(Walker.walk, steps=way))

    def _undone(self) -> Iterator[Detour]:
        """Do something that a button of a page on the way does, and take it back by another button."""
        tried: set[str] = set()
        # At the start and at the end: what can be done in between can be done there.
        for number, place in ((0, self._places[0]), (len(self._way), self._places[-1])):
            for form in found_forms(place, self._specs):
                if not form.get and not form.fields and form.action not in tried and len(tried) < ACTIONS:
                    tried.add(form.action)
                    for back in self._ways_back(place, form):
                        before = f"before {said(self._way[number])}" if number < len(self._way) else "at the end"
                        what = f"{form.action} and {back.action} about {dict(form.about)} {before}"
                        yield Detour("done and undone", what, self._with(number, partial(_both, form=form, back=back)))

    def _ways_back(self, place: Walker, form: FoundForm) -> Iterator[FoundForm]:
        """Yield the first form that takes back what another does, on the page that follows or on the one it was on."""
        before = rows(place)
        with place.trial():
            try:
                place.post(form.action, data_of(form, {}))
            except BrokenError:
                return
            if rows(place) == before:
                return
            pages = [place.url, *_lists(place)]
            for page in dict.fromkeys(pages):
                place.get(page)
                for back in [one for one in found_forms(place, self._specs) if not one.get and not one.fields]:
                    if back.about and form.about and {v for _, v in back.about} & {v for _, v in form.about}:
                        with place.trial():
                            try:
                                place.post(back.action, data_of(back, {}))
                            except BrokenError:
                                continue
                            if rows(place) == before:
                                yield back
                                return

    def _addressed(self) -> Iterator[Detour]:
        """Go by the address in the place of a link."""
        for number, step in enumerate(self._way):
            if step.verb == "open":
                to = self._places[number + 1].url
                yield Detour("by address", to, self._with(number, partial(Walker.get, path=to), number + 1))


def _values(page: HtmlElement) -> list[list[tuple[str, str]]]:
    """Return what stands in the forms of a page."""
    return [[(name, value or "") for name, value in form.form_values()] for form in elements(page, "//form")]


def _tab(walker: Walker, path: str, *, stay: bool) -> None:
    """Open a page in a second tab; raises LostError if it is none."""
    _is_page(walker, path)
    walker.look(path, stay=stay)


def _is_page(walker: Walker, path: str) -> None:
    with walker.trial():
        answer = walker.fetch(path)
    # To download a file is to do something, and no look at a page.
    if answer.status_code != 200 or "attachment" in answer.headers.get("Content-Disposition", ""):
        raise LostError(f"{path} is no page")


def _there_and_back(walker: Walker, to: str) -> None:
    _is_page(walker, to)
    here = walker.url
    walker.get(to)
    walker.get(here)


def _both(walker: Walker, form: FoundForm, back: FoundForm) -> None:
    here = walker.url
    for one in (form, back):
        walker.get(one.url)
        token = elements(walker.page, "//input[@name='csrf_token']")
        data = data_of(one, {})
        data.setlist("csrf_token", [token[0].get("value") or ""] if token else [])
        walker.post(one.action, data)
    walker.get(here)


def _lists(place: Walker) -> list[str]:
    """Return the addresses that the navigation leads to, such as that of a trash."""
    links = (link.get("href") or "" for link in elements(place.page, "//nav//a[@href]"))
    return [urljoin(place.url, link) for link in links][:20]
