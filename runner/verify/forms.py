"""Every form of a site, filled and sent without a browser: valid, invalid and odd values, as guest and signed in.

No answer may be an error of the server. A valid form must be taken; an invalid one must be refused, with what is wrong
said at the field and everything that was typed still in the form.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from runner.verify.crawling import addresses, crawl
from runner.verify.form_fields import ODD_TEXTS, PROBE, said_of, shown_values
from runner.verify.found_forms import FoundForm, Values, address_of, data_of, found_forms, is_again
from runner.verify.pages import visitors
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Goal
from stressweb.walking.walker import BrokenError, LostError, Walker
from stressweb.walking.xpath import elements

PAGES, OF_A_KIND = 120, 25
"""Pages on which forms are looked for as each visitor, and those of them that are made alike."""
FORMS = 2
"""Forms of one action that are sent as each visitor, each about something else."""
MOST_PLACES = 6
"""Other places of a page on which a form is sent that was not taken yet."""
MOST_FORMS = 25
"""Forms of one action that get valid values, as long as none was taken."""
_TURNS = 3
"""Valid fillings that are tried until one is taken: a site may refuse what is so already, or what is gone."""

type Problem = tuple[str, str]
"""Address of a page, and what is wrong with a form on it."""


class Forms:
    """The forms of one world, as one person meets them."""

    def __init__(self, world: SiteWorld, person: str, goals: Sequence[Goal]) -> None:
        """Take the world, who looks at it ("" is a visitor), and the goals whose ways lead to further forms."""
        self._world, self._person, self._goals = world, person, goals
        spec = getattr(world, "spec", None)
        self._specs: Mapping[str, Any] = {one.path: one for one in spec.actions.values()} if spec else {}
        self._known: dict[str, list[str]] = defaultdict(list)
        for goal in goals:
            for step in (step for way in goal.ways for step in way if step.verb == "enter" and step.value):
                self._known[step.target].append(step.value or "")
        self._counts: Counter[tuple[str, ...]] = Counter()
        self._told: set[tuple[str, str]] = set()
        self._right: list[tuple[FoundForm, Values]] = []
        self._searching = False
        self.taken: set[str] = set()
        """Actions of which a form was taken."""
        self.refused: dict[str, Problem] = {}
        """Actions of which no form was taken so far, with the page and what it said."""

    def wrong(self) -> Iterator[Problem]:
        """Send every form that pages of a crawl have, and those on the ways of the goals; yield what is wrong."""
        for problem in self._all():
            # What is wrong with each form of an action is said of one.
            if (key := (problem[1].partition(":")[0], problem[1].partition(": ")[2])) not in self._told:
                self._told.add(key)
                yield problem

    def _all(self) -> Iterator[Problem]:
        walker = Walker(self._world, self._person)
        odd: list[tuple[FoundForm, Values]] = []
        for at in crawl(walker, limit=PAGES, most=OF_A_KIND):
            yield from self._page(at, odd)
        yield from self._afterwards(walker, odd)
        for goal in self._goals:
            if goal.user == self._person:
                yield from self._way(goal)

    def _way(self, goal: Goal) -> Iterator[Problem]:
        walker = Walker(self._world, offers=goal.offers)
        for step in goal.ways[0]:
            yield from self._page(walker, [])
            try:
                walker.do(step)
            except (LostError, BrokenError):
                # That the way cannot be walked is for another part of the proof to say.
                return
        yield from self._page(walker, [])
        if self._specs:
            done = {
                kind
                for kind, detail in walker.database.execute("SELECT kind, detail FROM event")
                if json.loads(detail)["done"]
            }
            self.taken |= {walker.world.spec.actions[kind].path for kind in done}  # type: ignore[attr-defined]

    def _page(self, at: Walker, odd: list[tuple[FoundForm, Values]]) -> Iterator[Problem]:
        for form in found_forms(at, self._specs):
            self._counts[form.kind] += 1
            if self._counts[form.kind] <= FORMS:
                yield from self._try_get(at, form) if form.get else self._try_post(at, form, odd)
            elif not form.get and form.action not in self.taken and self._counts[form.kind] <= MOST_FORMS:
                yield from self._fill(at, form)[1]
            if not form.get and form.action not in self.taken and not self._searching:
                yield from self._beside(at, form)

    def _beside(self, at: Walker, form: FoundForm) -> Iterator[Problem]:
        """Send a form from other places of its page, until it is taken: where something goes is picked there."""
        path = at.url.partition("?")[0]
        others = [address for address in dict.fromkeys(addresses(at)) if address.partition("?")[0] == path != address]
        self._searching = True
        for address in others[:MOST_PLACES]:
            with at.trial():
                at.get(address)
                same = [one for one in found_forms(at, self._specs) if one.action == form.action]
                for one in same[:FORMS] if form.action not in self.taken else ():
                    yield from self._fill(at, one)[1]
        self._searching = False

    def _try_get(self, at: Walker, form: FoundForm) -> Iterator[Problem]:
        right = {field.name: field.right(self._known) for field in form.fields}
        tries = [("valid values", right), *_each(form, right, "odd"), *_each(form, right, "wrong")]
        for said, values in tries:
            with at.trial():
                yield from _whole(at, form, said, partial(at.get, address_of(form, data_of(form, values))))

    def _try_post(self, at: Walker, form: FoundForm, odd: list[tuple[FoundForm, Values]]) -> Iterator[Problem]:
        base, problems = self._fill(at, form)
        yield from problems
        for said, values in _each(form, base, "wrong"):
            with at.trial():
                yield from _whole(at, form, said, partial(at.post, form.action, data_of(form, values)))
                yield from (
                    (form.url, f"{form.action}, {said}: {what}")
                    for what in _refusal(at, form, values, said)
                    if self._specs
                )
        for said, values in _each(form, base, "odd"):
            with at.trial():
                yield from _whole(at, form, said, partial(at.post, form.action, data_of(form, values)))
                if _done(at):
                    odd.append((form, values))
        yield from self._elsewhere(at, form)

    def _fill(self, at: Walker, form: FoundForm) -> tuple[Values, list[Problem]]:
        """Send valid values until some are taken; return them, and what is wrong with the answers."""
        known = {field.name: field.right(self._known) for field in form.fields}
        plain = [{field.name: field.right({}, turn) for field in form.fields} for turn in range(_TURNS)]
        problems: list[Problem] = []
        for values in (known, *plain, {field.name: field.value for field in form.fields}):
            with at.trial():
                problems += _whole(at, form, "valid values", partial(at.post, form.action, data_of(form, values)))
                if _done(at):
                    self.taken.add(form.action)
                    self._right.append((form, values))
                    return values, problems
                self.refused.setdefault(form.action, (form.url, _said(at)))
        return known, problems

    def _elsewhere(self, at: Walker, form: FoundForm) -> Iterator[Problem]:
        """Send the form about a row that there is not."""
        if form.about and self._specs:
            data = data_of(form, {field.name: field.right(self._known) for field in form.fields})
            for name, _ in form.about:
                data.setlist(name, ["no-such-row"])
            with at.trial():
                yield from _whole(at, form, "about no row", partial(at.post, form.action, data))

    def _afterwards(self, walker: Walker, odd: Iterable[tuple[FoundForm, Values]]) -> Iterator[Problem]:
        """Send all forms that took odd values, one after the other, and read the site after it."""
        done, last = walker.fork(), ""
        for form, values in (*self._right, *odd):
            try:
                done.post(form.action, data_of(form, values))
            except BrokenError as error:
                yield form.url, f"{form.action}, after others with odd values: {error}"
            last = form.action
        if last:
            for at in crawl(done, limit=PAGES, most=OF_A_KIND):
                yield from self._page(at, [])
                if at.status >= 500 or elements(at.page, f"//*[@id='{PROBE}']"):
                    yield at.url, "the page is broken, or takes text for markup, once forms were sent with odd values"


def wrong_forms(world: SiteWorld, goals: Sequence[Goal]) -> Iterator[Problem]:
    """Send every form of a world as everybody who looks at it; yield page and problem of each that is wrong."""
    taken, refused = set[str](), dict[str, Problem]()
    for person in visitors(goals):
        forms = Forms(world, person, goals)
        yield from forms.wrong()
        taken |= forms.taken
        refused |= forms.refused
    # Only the log of a site of the kit says what was taken.
    for action, (url, said) in refused.items() if hasattr(world, "spec") else ():
        if action not in taken:
            yield url, f"{action}: no values are taken: {said}"
    yield from _unmet(world, {*taken, *refused})


def _unmet(world: SiteWorld, met: Container[str]) -> Iterator[Problem]:
    """Send what the actions ask for of which no page was seen: nothing of it may break the site."""
    spec = getattr(world, "spec", None)
    for action in spec.actions.values() if spec else ():
        if action.path in met:
            continue
        for turn in range(FORMS + 1):
            walker = Walker(world)
            token = elements(walker.page, "//input[@name='csrf_token']")
            data = {"csrf_token": token[0].get("value") or "" if token else ""}
            for name, field in action.fields.items():
                rows = [row.id for row in world.entities.get(getattr(field, "row", None) or "", ())]
                data[name] = rows[turn] if turn < min(FORMS, len(rows)) else ODD_TEXTS[turn]
            try:
                walker.post(action.path, data)
            except BrokenError as error:
                yield action.path, f"{action.path}, which no page was seen to have: {error}"


def _each(form: FoundForm, base: Values, kind: str) -> Iterator[tuple[str, Values]]:
    """Yield the values of a form with one field that is `wrong` or `odd`, and what is in it in words."""
    for field in form.fields:
        for said, texts in getattr(field, kind)() if field.asked else ():
            yield f"{said} in {field.label!r}", {**base, field.name: texts}


def _whole(at: Walker, form: FoundForm, said: str, send: Callable[[], object]) -> Iterator[Problem]:
    """Send a form; yield what is wrong with the page that comes, whatever was sent."""
    try:
        send()
    except BrokenError as error:
        yield form.url, f"{form.action}, {said}: {error}"
        return
    if at.status >= 400:
        yield form.url, f"{form.action}, {said}: leads to {at.url}, which is answered with status {at.status}"
    if elements(at.page, f"//*[@id='{PROBE}']"):
        yield form.url, f"{form.action}, {said}: the page takes text for markup"


def _refusal(at: Walker, form: FoundForm, values: Values, said: str) -> Iterator[str]:
    """Yield what is wrong with how a form was refused."""
    if _done(at):
        yield "is taken"
        return
    name = next(field.name for field in form.fields if said.endswith(f"in {field.label!r}"))
    again = next((one for one in elements(at.page, "//form") if is_again(at, one, form)), None)
    if again is None:
        yield f"leads to {at.url}, which has no such form"
        return
    if not said_of(at.page, again, name):
        yield "nothing at the field says what is wrong"
    for field in form.fields:
        kept = field.secret or field.kind == "file" or (field.kind in ("choice", "rows") and field.name == name)
        if (
            not kept
            and (shown := shown_values(again, field.name)) != [*values.get(field.name, ())]
            and any([*shown, *values.get(field.name, ())])
        ):
            yield f"{field.label!r} holds {str(shown)[:60]} and no longer what was typed"


def _done(at: Walker) -> bool:
    """Return whether the last form was taken, as the log of a site of the kit says."""
    if not hasattr(at.world, "spec"):
        return False
    last = at.database.execute("SELECT detail FROM event ORDER BY rowid DESC LIMIT 1").fetchone()
    return bool(last and json.loads(last[0]).get("done"))


def _said(at: Walker) -> str:
    return "; ".join(
        str(one.text_content()).strip()
        for one in elements(at.page, "//*[contains(@class, 'alert-danger') or contains(@class, 'invalid-feedback')]")
    )
