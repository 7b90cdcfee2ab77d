"""Detours: other ways to a goal that a person could take, made from a task's trajectory and the site's own pages.

A detour does not change the outcome, so it must not change the grade. Detours are walked without a browser.
"""

from collections.abc import Iterator
from functools import partial
from urllib.parse import unquote, urljoin, urlsplit

from lxml.html import HtmlElement

from stressweb.core import draws
from stressweb.plugins.query import Run
from stressweb.plugins.steps import Step
from stressweb.runner.verify.corrections import corrections
from stressweb.runner.verify.crawling import addresses, kind_of
from stressweb.runner.verify.detour import Detour, Walk
from stressweb.runner.verify.found_forms import FoundForm, data_of, found_forms
from stressweb.runner.verify.further import rows
from stressweb.runner.verify.routes import other_routes
from stressweb.runner.verify.same_rows import comparable
from stressweb.runner.verify.walks import TaskWalks, described, failed
from stressweb.walking.documents import parsed
from stressweb.walking.submission import submission
from stressweb.walking.walker import BrokenError, LostError, Walker
from stressweb.walking.xpath import elements

TYPO = " x"
"""A typo at the end of a text, which is then corrected."""
_TYPED = ("text", "long", "search", "")

ACTIONS = 12
"""Maximum number of actions on a task's pages that are tried and undone."""

TRIES = 10
"""Maximum number of forms of a page that are tried to undo an action."""


class Detours:
    """The detours of one task in one world."""

    def __init__(self, walks: TaskWalks) -> None:
        """Take the task and walk its trajectory; raises LostError or BrokenError if that is impossible."""
        self._walks, self._way = walks, walks.goal.ways[0]
        self._specs = (
            {action.path: action for action in walks.world.spec.actions.values()}
            if hasattr(walks.world, "spec")
            else {}
        )
        self._places = [*self._step_walkers()]

    def _step_walkers(self) -> Iterator[Walker]:
        """Yield the walker before each step, and after the last."""
        walker = self._walks.walker()
        for step in self._way:
            yield walker.fork()
            walker.do(step)
        yield walker

    def all(self) -> Iterator[Detour]:
        """Yield every detour."""
        yield from self._visits_to_other_pages()
        yield from self._corrected_values()
        yield from self._by_swapping()
        yield from self._by_undoing()
        yield from self._by_address()
        yield from corrections(self._walks.goal, self._places)
        yield from other_routes(self._walks.goal, self._places)

    def drawn(self, most: int) -> list[Detour]:
        """Return at most `most` detours, of all kinds if possible, drawn by task and world."""
        goal = self._walks.goal
        remaining = sorted(
            self.all(), key=lambda detour: draws.unit("detour", goal.task, goal.world_seed, detour.kind, detour.what)
        )
        chosen: list[Detour] = []
        while remaining and len(chosen) < most:
            kinds: set[str] = set()
            for detour in remaining:
                if detour.kind not in kinds and len(chosen) < most:
                    kinds.add(detour.kind)
                    chosen.append(detour)
            remaining = [detour for detour in remaining if detour not in chosen]
        return chosen

    def wrong(self, detour: Detour) -> str:
        """Walk a detour; return the problem with its grade, or "" if there is none or the detour misses the goal."""
        walker = self._walks.walker()
        try:
            detour.walk(walker)
        except LostError:
            # A control is missing after the detour, so it is not a way to the goal.
            return ""
        except BrokenError as error:
            return f"{detour.kind}, {detour.what}: {error}"
        run = walker.run(self._walks.goal)
        # Other rows may also meet the goal, for example with another key.
        if self._comparable_rows(walker) != self._comparable_rows(self._places[-1]) and not self._is_reached(run):
            return ""
        grade = self._walks.grade(run)
        if grade.success and not grade.disputed:
            return ""
        return f"{detour.kind}, {detour.what}: {failed(grade)}{' (disputed)' if grade.disputed else ''}"

    def _is_reached(self, run: Run) -> bool:
        """Return whether the database meets the goal, without harm."""
        expect = self._walks.goal.expect
        if not expect:
            return False
        outcome = expect.compare(run.tables)
        return not outcome.missing and not outcome.harms

    def _comparable_rows(self, walker: Walker) -> dict[str, list[str]]:
        return comparable(rows(walker), self._walks.world)

    def _visits_to_other_pages(self) -> Iterator[Detour]:
        """Look at other pages before the first step, in between, and at the end in a second tab."""
        for number, place in enumerate(self._places):
            kinds: set[str] = set()
            unsent = _values(place.page) != _values(parsed(place.html))
            for address in addresses(place):
                if (kind := kind_of(address)) in kinds:
                    continue
                kinds.add(kind)
                before = f"before {described(self._way[number])}" if number < len(self._way) else "after the last step"
                tab = f"{address} in a second tab {before}"
                # If the goal is an open page, that page must be the current one at the end.
                stay = number == len(self._way) and bool(self._walks.goal.expect)
                yield Detour("second tab", tab, self._interrupted_walk(number, partial(_tab, path=address, stay=stay)))
                # Leaving a half-filled form loses its values.
                if number < len(self._way) and not unsent:
                    look = self._interrupted_walk(number, partial(_visit_and_return, to=address))
                    yield Detour("look", f"{address} {before}, and back", look)

    def _interrupted_walk(self, number: int, interruption: Walk, resume_at: int | None = None) -> Walk:
        """Return a walk that calls `interruption` before a step and goes on at `resume_at` (default: the same step)."""

        def walk(walker: Walker) -> None:
            walker.walk(self._way[:number])
            interruption(walker)
            walker.walk(self._way[number if resume_at is None else resume_at :])

        return walk

    def _corrected_values(self) -> Iterator[Detour]:
        """Enter a wrong value first, and correct it before sending the form, or after its refusal."""
        for number, step in enumerate(self._way):
            place = self._places[number]
            wrong_text = self._wrong_value(place, step)
            if wrong_text is None:
                continue
            wrong = step.model_copy(update={"value": wrong_text})
            yield Detour("typed anew", described(step), self._interrupted_walk(number, partial(Walker.do, step=wrong)))
        for number, step in enumerate(self._way):
            if step.verb == "enter" and (end := self._sending_step(number)) is not None:
                yield Detour("sent empty first", described(step), self._sent_empty_first(number, end))

    def _wrong_value(self, place: Walker, step: Step) -> str | None:
        if step.verb not in ("enter", "choose") or step.value is None:
            return None
        field = place.find(step)
        if step.verb == "choose":
            texts = [
                str(option.text_content()).strip() for option in field.iter("option") if option.get("selected") is None
            ]
            return next((text for text in texts if text and text != step.value and texts.count(text) == 1), None)
        return f"{step.value}{TYPO}" if field.get("type", "") in _TYPED else None

    def _sending_step(self, number: int) -> int | None:
        """Return the index of the step that sends the form of this step."""
        return next((index for index in range(number, len(self._way)) if self._way[index].verb == "press"), None)

    def _sent_empty_first(self, number: int, end: int) -> Walk:
        """Omit a value, send the form, and fill in the value after the refusal."""

        def walk(walker: Walker) -> None:
            walker.walk((*self._way[:number], *self._way[number + 1 : end]))
            before = rows(walker)
            walker.do(self._way[end])
            if rows(walker) != before:
                raise LostError("the form was accepted")
            walker.walk((self._way[number], *self._way[end:]))

        return walk

    def _by_swapping(self) -> Iterator[Detour]:
        """Do two neighbouring steps on the same page in the other order."""
        free = ("enter", "choose", "tick", "untick", "upload")
        for number, (step, after) in enumerate(zip(self._way, self._way[1:], strict=False)):
            if step.verb in free and after.verb in free:
                way = (*self._way[:number], after, step, *self._way[number + 2 :])
                yield Detour(
                    "other order", f"{described(after)} before {described(step)}", partial(Walker.walk, steps=way)
                )

    def _by_undoing(self) -> Iterator[Detour]:
        """Press a button of a page on the way that changes something, and undo it by another button."""
        tried: set[str] = set()
        # First page and last page first, then pages of other kinds.
        kinds = {_kind(place.url): number for number, place in enumerate(self._places)}
        for number in dict.fromkeys((0, len(self._way), *kinds.values())):
            place = self._places[number]
            for form in found_forms(place, self._specs):
                if not form.get and not form.fields and form.action not in tried and len(tried) < ACTIONS:
                    tried.add(form.action)
                    before = f"before {described(self._way[number])}" if number < len(self._way) else "at the end"
                    for kind, undo_form in self._undo_forms(place, form):
                        description = (
                            f"{form.action} and {undo_form.action} about {dict(form.about)} on {undo_form.url} {before}"
                        )
                        yield Detour(
                            kind,
                            description,
                            self._interrupted_walk(number, partial(_send_both, form=form, undo_form=undo_form)),
                        )

    def _undo_forms(self, place: Walker, form: FoundForm) -> Iterator[tuple[str, FoundForm]]:
        """Yield forms that undo another form: on the next page, on the row's own page, in a list."""
        before, about, added_before = (
            self._comparable_rows(place),
            {about_value for _, about_value in form.about if about_value},
            _added_ids(place),
        )
        own = [address for address in addresses(place) if about & {*unquote(urlsplit(address).path).split("/")}][:3]
        lists = _lists(place)
        with place.trial():
            try:
                place.post(form.action, data_of(form, {}))
            except BrokenError:
                return
            if self._comparable_rows(place) == before:
                return
            # A removed row may be in the trash with another key.
            about |= _added_ids(place) - added_before
            kinds = ("done and undone", [place.url]), ("restored on its page", own), ("restored in a list", lists)
            for kind, pages in kinds:
                undo_form = next(
                    (
                        form
                        for page in dict.fromkeys(pages)
                        for form in self._restoring_forms(place, page, about, before)
                    ),
                    None,
                )
                if undo_form is not None:
                    yield kind, undo_form

    def _restoring_forms(
        self, place: Walker, page: str, about: set[str], before: dict[str, list[str]]
    ) -> Iterator[FoundForm]:
        """Yield the forms of a page about the same row that restore the previous rows."""
        if place.get(page).status_code != 200:
            return
        forms = [form for form in found_forms(place, self._specs) if not form.get and not form.fields]
        for undo_form in [
            page_form for page_form in forms if about & {about_value for _, about_value in page_form.about}
        ][:TRIES]:
            with place.trial():
                try:
                    place.post(undo_form.action, data_of(undo_form, {}))
                except BrokenError:
                    continue
                is_back = self._comparable_rows(place) == before
            if is_back:
                yield undo_form

    def _by_address(self) -> Iterator[Detour]:
        """Navigate to an address instead of following a link."""
        for number, step in enumerate(self._way):
            if step.verb == "open":
                to = self._places[number + 1].url
                yield Detour("by address", to, self._interrupted_walk(number, partial(Walker.get, path=to), number + 1))


def _added_ids(walker: Walker) -> set[str]:
    """Return the keys of the rows that were added since the start."""
    return {str(row.id) for change in rows(walker).values() for row in change.added}


def _kind(address: str) -> tuple[str, int]:
    """Return the kind of a page by the start and the depth of its path; a row and its form are of different kinds."""
    return kind_of(address), urlsplit(address).path.count("/")


def _values(page: HtmlElement) -> list[list[tuple[str, str]]]:
    """Return the values in the forms of a page."""
    return [submission(form) for form in elements(page, "//form")]


def _tab(walker: Walker, path: str, *, stay: bool) -> None:
    """Open a page in a second tab; raises LostError if it is not a page."""
    _require_page(walker, path)
    walker.look(path, stay=stay)


def _require_page(walker: Walker, path: str) -> None:
    with walker.trial():
        answer = walker.fetch(path)
    # A download is an action, not a page.
    if answer.status_code != 200 or "attachment" in answer.headers.get("Content-Disposition", ""):
        raise LostError(f"{path} is not a page")


def _visit_and_return(walker: Walker, to: str) -> None:
    _require_page(walker, to)
    start = walker.url
    walker.get(to)
    walker.get(start)


def _send_both(walker: Walker, form: FoundForm, undo_form: FoundForm) -> None:
    start = walker.url
    for sent_form in (form, undo_form):
        walker.get(sent_form.url)
        form_data = data_of(sent_form, {})
        walker.renew_token(form_data)
        walker.post(sent_form.action, form_data)
    walker.get(start)


def _lists(place: Walker) -> list[str]:
    """Return the addresses in the navigation, such as the trash."""
    links = (link.get("href") or "" for link in elements(place.page, "//nav//a[@href]"))
    return [urljoin(place.url, link) for link in links][:20]
