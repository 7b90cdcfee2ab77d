"""The state of one episode under stress at the proxy: keys, attempts, what was served, and the ledger."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from perturbations.injection_filter import InjectionFilter
from perturbations.runtime import inject
from stressweb.core.draws import Seeds, digest
from stressweb.core.injections import Allowed
from stressweb.html.live_page import Drawn
from stressweb.html.marks import Marks
from stressweb.html.page import Control, Page
from stressweb.log.ledger import Entry
from stressweb.plugins.perturbation import Instruction, Perturbation

type ReferencedWords = Callable[[Page], frozenset[str]]


type _Event = Literal["ask", "hit", "passed", "drawn", "moved", "fitted"]
# Whoever finds the path may post anything: only a whole number of a sensible size is a count, and `true` is none.
type _Count = Annotated[int, Field(ge=0, le=10**9, strict=True)]


class _Report(NamedTuple):
    """What a page says: of which mode, about which control or page, what happened there, and more about it."""

    mode: str | None
    """None where the runtime itself reports: what scripts have drawn."""
    token: str
    event: _Event
    value: _Count | tuple[str, str]
    """The number of an attempt or of changes; of what was drawn, the page's path and its document; of what was fitted,
    how far each block is disturbed, as JSON by token."""


_REPORT = TypeAdapter(_Report)
_STRENGTHS = TypeAdapter(dict[str, float])


class ReportError(ValueError):
    """What came as a report is none that a page of ours sends: an agent went to the path that reports go to."""


class Subject(NamedTuple):
    """What a page reports about: one of its controls, or itself."""

    page: Page
    control: Control | None

    @property
    def key(self) -> str:
        """What attempts are counted by."""
        return self.control.key if self.control else f"page {self.page.template}"


class EpisodePerturber:
    """The perturbations of one episode. Nothing here knows a proxy, a browser or a clock.

    `step` is the number of the action under way; whoever runs the episode sets it by `begin`.
    """

    def __init__(
        self,
        perturbations: Sequence[Perturbation],
        seeds: Seeds,
        key: bytes,
        *,
        active: bool,
        secret: bytes = b"",
        allowed: Allowed | None = None,
    ) -> None:
        """Prepare an episode; `key` is its mark key, `active` whether pages are rewritten at all.

        `secret` keeps the path that reports go to, and the name of the event that announces a read, from anyone
        who knows the cell; no recorded page holds either. `allowed` holds injections back during a search for a cause.
        """
        self.perturbations = perturbations
        self.seeds = seeds
        self.active = active
        self.marks = Marks(key)
        self.report_path = "/" + digest("report", key.hex(), secret.hex(), size=6).hex()
        self.read_event = digest("read", key.hex(), secret.hex(), size=6).hex()
        self.entries: list[Entry] = []
        self.step = 0
        self._attempts: Counter[tuple[str, str]] = Counter()
        self._loaded: Counter[str] = Counter()
        self._subjects: dict[str, Subject] = {}
        self._hit: set[tuple[str, str]] = set()
        self._changed: list[str] = []
        self._documents = 0
        self._filter = InjectionFilter(allowed)

    def begin(self, step: int) -> None:
        """Begin an action: it meets what the page before it carries."""
        self.step = step
        # A mode that changed the whole page disturbs no gesture of its own, so whatever the agent does next has met it.
        for mode in self._changed:
            self.note(mode, "met")

    def rewrite(
        self, html: str, site: str, path: str, nonce: str, named: ReferencedWords, hosts: Collection[str] = ()
    ) -> str:
        """Return a document as the agent is to get it.

        `site` is the site's id and `hosts` are the hosts at which it is served, as `Page` takes them; `named` says
        which words style sheets and scripts use.
        """
        page = Page(html, site, path, self.marks, self._documents, hosts)
        page.named_elsewhere = named(page)
        # Counted over the whole episode: loading a page again is another attempt, with another draw.
        page.loads = self._loaded[page.template]
        self._loaded[page.template] += 1
        self._documents += 1
        for one in self.perturbations:
            self._filter.meets(one, page, None, page.loads, self.seeds)
        this = page.token()
        self._subjects[this] = Subject(page, None)
        instructed = self._instructed(page)
        # The scripts are instructed before any mode rewrites the tree: controls and keys must be those of the clean
        # page.
        scripts = [((one.script, *one.parts), found) for one, found in instructed if one.script is not None]
        # Replaced by every document: what the agent does next meets the page that came last.
        self._changed = [one.mode for one in self.perturbations if self._change(one, page)]
        inject(page, scripts, this, self.report_path, self.read_event, self._counted(page), nonce)
        return page.serve()

    def reported(self, body: bytes) -> str | None:
        """Process a report of a page and return the answer; raises ReportError for what our scripts never send."""
        report, subject = self._understood(body)
        match report.event, report.mode, report.value, subject.control:
            case "drawn", None, (path, html), _:
                return self._adopted(report.token, subject.page, path, html)
            case "ask", str(mode), int(), Control():
                return self._answer(mode, subject)
            case "hit" | "passed" as event, str(mode), int(attempt), _:
                self._decided(mode, subject, event, attempt)
            case "moved", str(mode), int(count), _:
                self._moved(mode, subject, count)
            case "fitted", str(), (strengths, _), None:
                self._fitted(subject.page, strengths)
            case _:
                raise ReportError(f"a report of {report.event!r} that does not fit")
        return None

    def _understood(self, body: bytes) -> tuple[_Report, Subject]:
        try:
            report = _REPORT.validate_json(body)
        except ValidationError as error:
            raise ReportError(f"no report: {error.errors(include_url=False, include_input=False)[0]['msg']}") from None
        subject = self._subjects.get(report.token)
        if subject is None:
            raise ReportError(f"a report of {report.event!r} about an unknown control")
        # Else an agent could write a mode into the ledger that the condition does not have.
        if report.mode not in {None, *(one.mode for one in self.perturbations)}:
            raise ReportError(f"a report of {report.event!r} by a mode that is not active")
        return report, subject

    def restore(self, value: str) -> str:
        """Return a submitted name or value as it would be without perturbation."""
        for perturbation in self.perturbations:
            value = perturbation.restore(value)
        return value

    def note(
        self, mode: str, phase: str, control: Control | None = None, attempt: int = 0, count: int = 1, detail: str = ""
    ) -> None:
        """Write a line into the ledger."""
        line = {"step": self.step, "mode": mode, "phase": phase, "attempt": attempt, "count": count, "detail": detail}
        self.entries.append(Entry.model_validate({**line, "element": str(control) if control else ""}))

    def _answer(self, mode: str, subject: Subject) -> str | None:
        """Decide one press that a mode's script asks about, and count it."""
        assert subject.control is not None
        attempt = self._attempts[mode, subject.key]
        # Counted before the answer is known: a press that passes is an attempt, too.
        self._attempts[mode, subject.key] += 1
        perturbation = self._of(mode)
        if not self._filter.lets(perturbation, subject.key, attempt, self.step):
            return None
        found = perturbation.answer(subject.page, subject.control, attempt, self.seeds)
        if found is None:
            return None
        self._decided(mode, subject, "hit", attempt)
        # The script names the attempt again when the dialog is answered, so that the report is counted for this press.
        return json.dumps({**found.model_dump(mode="json"), "attempt": attempt})

    def _of(self, mode: str) -> Perturbation:
        return next(one for one in self.perturbations if one.mode == mode)

    def _decided(self, mode: str, subject: Subject, event: str, attempt: int) -> None:
        """Count what a page decided about a gesture or about its own load, and write it down."""
        about = mode, subject.key
        for one in self.perturbations:
            number = attempt if one.mode == mode else self._attempts[one.mode, subject.key]
            self._filter.meets(one, *subject, number, self.seeds)
        # The maximum and not a sum, so that a report that arrives twice counts once.
        self._attempts[about] = max(self._attempts[about], attempt + 1)
        detail = "" if subject.control else subject.page.template
        if event == "hit":
            self._hit.add(about)
            self._filter.fires(self._of(mode), subject.key, attempt, self.step, str(subject.control or detail))
            self.note(mode, "delivered", subject.control, attempt, detail=detail)
        # An element that was never disturbed has nothing to overcome.
        elif about in self._hit:
            self._hit.discard(about)
            self.note(mode, "overcome", subject.control, attempt, detail=detail)

    def _moved(self, mode: str, subject: Subject, count: int) -> None:
        """Take it that a page has changed by `count` places since it was loaded."""
        if count:
            self.note(mode, "delivered", count=count, detail=subject.page.template)
        # Only the live page knows whether anything moved; from now on the next action meets it.
        if count and mode not in self._changed:
            self._changed.append(mode)

    def _fitted(self, page: Page, strengths: str) -> None:
        """Record how strongly a mode changes each block; reported only during a search for the cause of a failure."""
        try:
            heeded = self._filter.fitted(page, _STRENGTHS.validate_json(strengths))
        except ValidationError:
            heeded = False
        if not heeded:
            raise ReportError("a report of 'fitted' outside of a search for a cause")

    def _adopted(self, number: str, before: Page, path: str, html: str) -> str:
        """Take what scripts have drawn on a page and return its marks, its controls and what the modes must know."""
        page = Drawn(html, path, before, number)
        instructed = self._instructed(page)
        told = {
            "tokens": page.tokens,
            "controls": [control.token for control in page.controls],
            # A control that is drawn again has the key, and so the number of attempts, that it had before.
            "attempts": self._counted(page),
            "modes": {one.mode: instruction.told for one, instruction in instructed},
        }
        return json.dumps(told)

    def _instructed(self, page: Page) -> list[tuple[Perturbation, Instruction]]:
        """Ask every mode about the controls and nodes of a page, and know them from now on."""
        self._subjects.update((control.token, Subject(page, control)) for control in page.controls)
        asked = (one for one in self.perturbations if one.script is not None)
        found = [(one, self._filter.instruct(one, page, self.seeds, self.step)) for one in asked]
        told = [(one, instruction) for one, instruction in found if instruction is not None]
        for one, instruction in told:
            # Scripts may draw again and again: a line of 0 for each time would only fill the ledger.
            if instruction.planned or not page.drawn:
                self.note(one.mode, "planned", count=instruction.planned, detail=page.template)
        return told

    def _counted(self, page: Page) -> dict[str, dict[str, int]]:
        """Return the attempts so far at the controls of a page, by mode and token."""
        return {
            one.mode: {
                control.token: count for control in page.controls if (count := self._attempts[one.mode, control.key])
            }
            for one in self.perturbations
            if one.script is not None
        }

    def _change(self, perturbation: Perturbation, page: Page) -> bool:
        changes = self._filter.rewrite(perturbation, page, self.seeds, self.step)
        if changes:
            self.note(perturbation.mode, "delivered", count=changes, detail=page.template)
        return bool(changes)
