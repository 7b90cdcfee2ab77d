"""Sends every form of a site without a browser: with valid, invalid and odd values, as guest and signed in.

No response may be a server error. A valid form must be accepted. An invalid form must be refused, with an error message
at the field, and keep all entered values.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from werkzeug.datastructures import MultiDict

from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Goal
from stressweb.runner.verify.crawling import addresses, crawl
from stressweb.runner.verify.form_fields import ODD_TEXTS, PROBE, current_values, errors_at
from stressweb.runner.verify.found_forms import FoundForm, Values, address_of, data_of, found_forms, is_same_form
from stressweb.runner.verify.pages import visitors
from stressweb.walking.walker import BrokenError, LostError, Walker
from stressweb.walking.xpath import elements

PAGES, OF_A_KIND = 120, 25
"""Maximum number of pages that each visitor searches for forms, in total and per kind of page."""
FORMS = 2
"""Number of forms of an action that each visitor sends, each about another row."""
MOST_PLACES = 6
"""Maximum number of variants of a page (by query) from which to send a form that was not accepted yet."""
MOST_FORMS = 25
"""Maximum number of forms of an action to send with valid values until one is accepted."""
_TURNS = 3
"""Number of sets of valid values to try, because a site may refuse a change without effect, or a removed row."""

type Problem = tuple[str, str]
"""Address of a page, and a problem of a form on it."""


class Forms:
    """The forms of one world for one person."""

    def __init__(self, world: SiteWorld, person: str, goals: Sequence[Goal]) -> None:
        """Take the world, the person ("" for a visitor), and goals whose ways lead to further forms."""
        self._world, self._person, self._goals = world, person, goals
        spec = getattr(world, "spec", None)
        self._specs: Mapping[str, Any] = {action.path: action for action in spec.actions.values()} if spec else {}
        self._known: dict[str, list[str]] = defaultdict(list)
        for goal in goals:
            for step in (step for way in goal.ways for step in way if step.verb == "enter" and step.value):
                self._known[step.target].append(step.value or "")
        self._counts: Counter[tuple[str, ...]] = Counter()
        self._reported: set[tuple[str, str]] = set()
        self._accepted_forms: list[tuple[FoundForm, Values]] = []
        self._searching = False
        self.accepted_actions: set[str] = set()
        """Actions with an accepted form."""
        self.refusals: dict[str, Problem] = {}
        """Actions with refused forms, with the page and its message."""

    def problems(self) -> Iterator[Problem]:
        """Send every form on the pages of a crawl and on the ways of the goals; yield problems."""
        for problem in self._all_problems():
            # Report a problem of several forms of an action once.
            if (key := (problem[1].partition(":")[0], problem[1].partition(": ")[2])) not in self._reported:
                self._reported.add(key)
                yield problem

    def _all_problems(self) -> Iterator[Problem]:
        walker = Walker(self._world, self._person)
        accepted_odd: list[tuple[FoundForm, Values]] = []
        for page_walker in crawl(walker, limit=PAGES, most=OF_A_KIND):
            yield from self._page_problems(page_walker, accepted_odd)
        yield from self._resent_problems(walker, accepted_odd)
        for goal in self._goals:
            if goal.user == self._person:
                yield from self._way_problems(goal)

    def _way_problems(self, goal: Goal) -> Iterator[Problem]:
        walker = Walker(self._world, offers=goal.offers)
        for step in goal.ways[0]:
            yield from self._page_problems(walker, [])
            try:
                walker.do(step)
            except (LostError, BrokenError):
                # Another part of the proof reports this.
                return
        yield from self._page_problems(walker, [])
        if self._specs:
            accepted = {
                kind
                for kind, detail in walker.database.execute("SELECT kind, detail FROM event")
                if json.loads(detail)["done"]
            }
            self.accepted_actions |= {walker.world.spec.actions[kind].path for kind in accepted}  # type: ignore[attr-defined]

    def _page_problems(self, place: Walker, accepted_odd: list[tuple[FoundForm, Values]]) -> Iterator[Problem]:
        for form in found_forms(place, self._specs):
            self._counts[form.kind] += 1
            if self._counts[form.kind] <= FORMS:
                yield from self._try_get(place, form) if form.get else self._try_post(place, form, accepted_odd)
            elif not form.get and form.action not in self.accepted_actions and self._counts[form.kind] <= MOST_FORMS:
                yield from self._send_valid(place, form)[1]
            if not form.get and form.action not in self.accepted_actions and not self._searching:
                yield from self._send_from_variants(place, form)

    def _send_from_variants(self, place: Walker, form: FoundForm) -> Iterator[Problem]:
        """Send a form from other variants of its page until it is accepted, because they may choose its target."""
        path = place.url.partition("?")[0]
        others = [
            address for address in dict.fromkeys(addresses(place)) if address.partition("?")[0] == path != address
        ]
        self._searching = True
        for address in others[:MOST_PLACES]:
            with place.trial():
                place.get(address)
                same = [same_form for same_form in found_forms(place, self._specs) if same_form.action == form.action]
                for same_form in same[:FORMS] if form.action not in self.accepted_actions else ():
                    yield from self._send_valid(place, same_form)[1]
        self._searching = False

    def _try_get(self, place: Walker, form: FoundForm) -> Iterator[Problem]:
        valid_values = {field.name: field.right(self._known) for field in form.fields}
        tries = [
            ("valid values", valid_values),
            *_variants(form, valid_values, "odd"),
            *_variants(form, valid_values, "wrong"),
        ]
        for description, values in tries:
            with place.trial():
                yield from _send(place, form, description, partial(place.get, address_of(form, data_of(form, values))))

    def _try_post(
        self, place: Walker, form: FoundForm, accepted_odd: list[tuple[FoundForm, Values]]
    ) -> Iterator[Problem]:
        base, problems = self._send_valid(place, form)
        yield from problems
        for description, values in _variants(form, base, "wrong"):
            with place.trial():
                yield from _send(place, form, description, partial(place.post, form.action, data_of(form, values)))
                yield from (
                    (form.url, f"{form.action}, {description}: {problem}")
                    for problem in _refusal_problems(place, form, values, description)
                    if self._specs
                )
        for description, values in _variants(form, base, "odd"):
            with place.trial():
                yield from _send(place, form, description, partial(place.post, form.action, data_of(form, values)))
                if _is_accepted(place):
                    accepted_odd.append((form, values))
        yield from self._try_missing_row(place, form)

    def _send_valid(self, place: Walker, form: FoundForm) -> tuple[Values, list[Problem]]:
        """Send valid values until a form is accepted; return the values, and problems of the responses."""
        known_values = {field.name: field.right(self._known) for field in form.fields}
        plain_values = [{field.name: field.right({}, turn) for field in form.fields} for turn in range(_TURNS)]
        problems: list[Problem] = []
        for values in (known_values, *plain_values, {field.name: field.value for field in form.fields}):
            with place.trial():
                problems += _send(place, form, "valid values", partial(place.post, form.action, data_of(form, values)))
                if _is_accepted(place):
                    self.accepted_actions.add(form.action)
                    self._accepted_forms.append((form, values))
                    return values, problems
                self.refusals.setdefault(form.action, (form.url, _error_text(place)))
        return known_values, problems

    def _try_missing_row(self, place: Walker, form: FoundForm) -> Iterator[Problem]:
        """Send the form about a missing row."""
        if form.about and self._specs:
            form_data = data_of(form, {field.name: field.right(self._known) for field in form.fields})
            for name, _ in form.about:
                form_data.setlist(name, ["no-such-row"])
            with place.trial():
                yield from _send(place, form, "about no row", partial(place.post, form.action, form_data))

    def _resent_problems(self, walker: Walker, accepted_odd: Iterable[tuple[FoundForm, Values]]) -> Iterator[Problem]:
        """Send all accepted forms again, one after another, also with odd values, and then crawl the site."""
        fork, last = walker.fork(), ""
        for form, values in (*self._accepted_forms, *accepted_odd):
            try:
                fork.post(form.action, data_of(form, values))
            except BrokenError as error:
                yield form.url, f"{form.action}, after others with odd values: {error}"
            last = form.action
        if last:
            for page_walker in crawl(fork, limit=PAGES, most=OF_A_KIND):
                yield from self._page_problems(page_walker, [])
                if page_walker.status >= 500 or elements(page_walker.page, f"//*[@id='{PROBE}']"):
                    yield (
                        page_walker.url,
                        "the page is broken, or treats text as markup, after forms were sent with odd values",
                    )


def wrong_forms(world: SiteWorld, goals: Sequence[Goal]) -> Iterator[Problem]:
    """Send every form of a world as every person; yield page and problem of each wrong form."""
    accepted_actions, refusals = set[str](), dict[str, Problem]()
    for person in visitors(goals):
        forms = Forms(world, person, goals)
        yield from forms.problems()
        accepted_actions |= forms.accepted_actions
        refusals |= forms.refusals
    # Only sites of the kit log accepted forms.
    for action, (url, answer) in refusals.items() if hasattr(world, "spec") else ():
        if action not in accepted_actions:
            yield url, f"{action}: no values are accepted: {answer}"
    yield from _without_form(world, {*accepted_actions, *refusals})


def _without_form(world: SiteWorld, tested: Container[str]) -> Iterator[Problem]:
    """Send values to the actions without a form on any page; they must not break the site."""
    spec = getattr(world, "spec", None)
    for action in spec.actions.values() if spec else ():
        if action.path in tested:
            continue
        for turn in range(FORMS + 1):
            walker = Walker(world)
            form_data: MultiDict[str, str] = MultiDict()
            walker.renew_token(form_data)
            for name, field in action.fields.items():
                rows = [row.id for row in world.entities.get(getattr(field, "row", None) or "", ())]
                form_data[name] = rows[turn] if turn < min(FORMS, len(rows)) else ODD_TEXTS[turn]
            try:
                walker.post(action.path, form_data)
            except BrokenError as error:
                yield action.path, f"{action.path}, without a form on any page: {error}"


def _variants(form: FoundForm, base: Values, kind: str) -> Iterator[tuple[str, Values]]:
    """Yield the values of a form with one `wrong` or `odd` field, each with a description."""
    for field in form.fields:
        for description, texts in getattr(field, kind)() if field.is_used else ():
            yield f"{description} in {field.label!r}", {**base, field.name: texts}


def _send(place: Walker, form: FoundForm, description: str, send: Callable[[], object]) -> Iterator[Problem]:
    """Send a form; yield problems of the next page that no input should cause."""
    try:
        send()
    except BrokenError as error:
        yield form.url, f"{form.action}, {description}: {error}"
        return
    if place.status >= 400:
        yield (
            form.url,
            f"{form.action}, {description}: leads to {place.url}, which has status {place.status}",
        )
    if elements(place.page, f"//*[@id='{PROBE}']"):
        yield form.url, f"{form.action}, {description}: the page treats text as markup"


def _refusal_problems(place: Walker, form: FoundForm, values: Values, description: str) -> Iterator[str]:
    """Yield problems of the refusal of a form."""
    if _is_accepted(place):
        yield "is accepted"
        return
    name = next(field.name for field in form.fields if description.endswith(f"in {field.label!r}"))
    page_form = next(
        (candidate for candidate in elements(place.page, "//form") if is_same_form(place, candidate, form)), None
    )
    if page_form is None:
        yield f"leads to {place.url}, which does not have this form"
        return
    if not errors_at(place.page, page_form, name):
        yield "no error message at the field"
    for field in form.fields:
        may_be_empty = field.secret or field.kind == "file" or (field.kind in ("choice", "rows") and field.name == name)
        if (
            not may_be_empty
            and (current := current_values(page_form, field.name)) != [*values.get(field.name, ())]
            and any([*current, *values.get(field.name, ())])
        ):
            yield f"{field.label!r} has {str(current)[:60]} instead of the entered value"


def _is_accepted(walker: Walker) -> bool:
    """Return whether the last form was accepted, according to the log of a site of the kit."""
    if not hasattr(walker.world, "spec"):
        return False
    last = walker.database.execute("SELECT detail FROM event ORDER BY rowid DESC LIMIT 1").fetchone()
    return bool(last and json.loads(last[0]).get("done"))


def _error_text(walker: Walker) -> str:
    return "; ".join(
        str(element.text_content()).strip()
        for element in elements(
            walker.page, "//*[contains(@class, 'alert-danger') or contains(@class, 'invalid-feedback')]"
        )
    )
