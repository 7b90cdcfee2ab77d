"""The state of one episode under stress: the settings of its pages, their reports, and the ledger."""

import sys
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from pydantic import Field, TypeAdapter, ValidationError

from stressweb.core.draws import Seeds, digest
from stressweb.core.injections import AllowedInjections
from stressweb.core.path_template import path_template
from stressweb.log.ledger import Entry, Phase
from stressweb.perturbations.injection_filter import InjectionFilter
from stressweb.perturbations.page.parts import page_script
from stressweb.perturbations.page.runtime_settings import RuntimeSettings
from stressweb.plugins.perturbation import Perturbation
from stressweb.plugins.rule import Control, Rule, subject

type _Event = Literal["hit", "passed", "clear", "moved", "fitted", "fault"]
# Anyone who finds the report path can post anything, so a count must be an integer in a sensible range (not `true`).
type _Count = Annotated[int, Field(ge=0, le=10**9, strict=True)]


class _Report(NamedTuple):
    """A report of a page about a control or about the page itself."""

    number: _Count
    mode: str
    about: str
    """The key of the control, or the name of the page."""
    event: _Event
    value: Any
    """Attempt number, or number of changes; for "fitted", the strength at each place; for "fault", the reason."""
    role_and_name: tuple[str, str] | None
    """Role and name of the control; None for the page."""


_REPORT: TypeAdapter[_Report] = TypeAdapter(_Report)
_COUNT: TypeAdapter[int] = TypeAdapter(_Count)
_STRENGTHS = TypeAdapter(dict[str, float])


class Watcher(Protocol):
    """Listener to the reports of pages; `serve` uses it to show a person what happened."""

    def loaded(self, path: str) -> None:
        """Note that a document is about to be served at a path."""

    def decided(self, mode: str, event: str, control: Control | None, attempt: int) -> None:
        """Note a mode's decision about a gesture on a control, or about the page (`control` is None)."""

    def changed(self, mode: str, path: str, places: int) -> None:
        """Note that a mode has changed more places of the document at a path."""


class ReportError(ValueError):
    """A report that our scripts never send, for example because an agent requested the report path."""


class _Document:
    """One document that was served with the script."""

    def __init__(self, site: str, path: str, rules: Sequence[Rule], loads: int) -> None:
        self.rules = {rule.mode: rule for rule in rules}
        """The rules of the active modes, by mode, in the order in which a gesture meets them."""
        self.loads = loads
        """How many pages of this template the episode had loaded before."""
        self.path = path.partition("?")[0]
        self.template = path_template(path)
        self.place = f"{site} {self.template}"
        self.name = subject(None, self.place)
        self.known: set[int] = set()
        """Numbers of the processed reports."""
        self.seen: frozenset[str] = frozenset()
        """Keys of the controls in all reads so far; documents with the same keys share one set to save memory."""
        self.claimed: Counter[str] = Counter()
        """Number of changes that each mode has reported and no read has confirmed yet."""
        self.confirmed: Counter[str] = Counter()
        """Number of changes of each mode that reads have confirmed."""
        self.changed_by: tuple[str, ...] = ()
        """The modes whose changes reads have confirmed."""


class EpisodePerturber:
    """The perturbations of one episode, independent of proxy, browser and clock.

    `step` is the number of the current action; `begin` sets it. Reports arrive in the proxy's thread, or with the
    answer to a read in the episode's thread.
    """

    def __init__(
        self,
        perturbations: Sequence[Perturbation],
        seeds: Seeds,
        *,
        active: bool,
        secret: bytes = b"",
        allowed_injections: AllowedInjections | None = None,
    ) -> None:
        """Prepare an episode; if not `active`, its documents get no script.

        `secret` makes the report path and the name of the read event unpredictable even to those who know the cell;
        recorded pages contain neither. `allowed_injections` restricts the injections during a search for a cause.
        """
        self.perturbations = perturbations
        self.seeds = seeds
        self.active = active
        self.report_path = "/" + digest("report", secret.hex(), size=6).hex()
        self.read_event = digest("read", secret.hex(), size=6).hex()
        # Begins with a letter to be a valid identifier.
        self.binding = "r" + digest("binding", secret.hex(), size=6).hex() if active else ""
        """Name of the page function that takes reports; "" if no document gets the script."""
        self.entries: list[Entry] = []
        self.step = 0
        self._attempts: Counter[tuple[str, str]] = Counter()
        self._loaded: Counter[str] = Counter()
        self.documents: dict[str, _Document] = {}
        self._seen: dict[str, frozenset[str]] = {}
        """`seen` of the last document of each place."""
        self._hit: set[tuple[str, str]] = set()
        self._page: list[_Document] = []
        """The documents of the page that was read last, on which the next action starts."""
        self._filter = InjectionFilter(allowed_injections)
        self.watched = False
        """Whether a person watches and no recorder reads the pages; always False in an episode."""
        self.watcher: Watcher | None = None
        """Always None in an episode."""
        self._lock = threading.RLock()

    @cached_property
    def _rules(self) -> list[Rule]:
        """The rules of the modes with all injections."""
        return [perturbation.rule(self.seeds) for perturbation in self.perturbations]

    def begin(self, step: int) -> None:
        """Begin an action; it meets the changes of the page on which it starts."""
        with self._lock:
            self.step = step
            # A mode that changes the whole page disturbs no particular gesture, so any next action meets it. That page
            # was read last: the site may have served the next one before a client's action is reported.
            for mode in dict.fromkeys(mode for document in self._page for mode in document.changed_by):
                self.note(mode, "met")

    def script(self, site: str, hosts: Iterable[str], path: str) -> str:
        """Return the script for the next document, which is at `path` of a site: JavaScript in ASCII."""
        with self._lock:
            template = path_template(path)
            rules = [self._filter.narrowed(rule, template, self.step) for rule in self._rules]
            # Includes the site, because two sites of a chain may have the same template.
            place = f"{site} {template}"
            document = _Document(site, path, rules, self._loaded[place])
            if self.watcher is not None:
                self.watcher.loaded(document.path)
            where = f"{self.report_path}/{len(self.documents)}"
            self.documents[where] = document
            # Counted over the episode: each load of a page is another attempt with another draw.
            self._loaded[place] += 1
            for rule in rules:
                self._filter.record_draw(rule, None, document.place, document.loads)
            settings = RuntimeSettings(
                path=path,
                page=document.name,
                site=site,
                hosts=tuple(sorted(hosts)),
                loads=document.loads,
                attempts=self.attempts(),
                read=self.read_event,
                binding=self.binding,
                watched=self.watched,
                report=where,
            )
            return page_script(settings, rules)

    def attempts(self) -> dict[str, dict[str, int]]:
        """Return the attempts of the episode so far, by mode and key."""
        with self._lock:
            attempts: dict[str, dict[str, int]] = {}
            for (mode, key), count in self._attempts.items():
                attempts.setdefault(mode, {})[key] = count
            return attempts

    def take_report(self, where: str, body: bytes | str) -> None:
        """Process a report that a page sent to a path; raises ReportError if it cannot be from our scripts."""
        try:
            report = _REPORT.validate_json(body)
        except ValidationError as error:
            reason = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise ReportError(f"invalid report: {reason}") from None
        with self._lock:
            document = self.documents.get(where)
            if document is None:
                raise ReportError("a report of an unknown document")
            self._process_once(document, report)

    def take_binding_call(self, payload: str) -> None:
        """Process a call of the page function `binding`; `payload`: the document's report path, a space, the report.

        An invalid report is only noted, because a script of the page may have found the function.
        """
        path, _, body = payload.partition(" ")
        try:
            self.take_report(path, body)
        except ReportError as error:
            self.note("world", "blocked", detail=str(error))

    def begin_read(self) -> None:
        """Begin to read all documents of a page; `read` follows for each of them."""
        with self._lock:
            self._page = []

    def read(
        self,
        path: str,
        answer: Mapping[str, Any] | None,
        controls: Sequence[Sequence[str]],
        *,
        more_frames: bool = False,
    ) -> None:
        """Process a read of the page at a path: the answer of its script, and the site's controls.

        A control is its key, role and name. No answer means that the page has no script of ours; the ledger notes it.
        `more_frames`: frames of the page will answer the same read after it.
        """
        if not self.active:
            return
        with self._lock:
            document = None if answer is None else self.documents.get(str(answer.get("from")))
            if answer is None or document is None:
                self.note("engine", "unreached", detail=path_template(path))
                return
            if document not in self._page:
                self._page.append(document)
            # The "planned" line comes before the "delivered" ones.
            self._plan(document, [Control(*described) for described in controls])
            for report in answer.get("reports", ()):
                self._process_once(document, _REPORT.validate_python(report))
            self._confirm(document, Counter(answer.get("changed", {})), more_frames=more_frames)

    def restore(self, value: str) -> str:
        """Undo the changes of the modes in a submitted name or value."""
        for perturbation in self.perturbations:
            value = perturbation.restore(value)
        return value

    def note(
        self,
        mode: str,
        phase: Phase,
        control: Control | None = None,
        attempt: int = 0,
        count: int = 1,
        detail: str = "",
    ) -> None:
        """Add an entry to the ledger."""
        element = str(control) if control else ""
        self.entries.append(
            Entry(step=self.step, mode=mode, phase=phase, element=element, attempt=attempt, count=count, detail=detail)
        )

    def _plan(self, document: _Document, controls: Sequence[Control]) -> None:
        """Note how many of the new controls each mode will disturb."""
        new = [control for control in controls if control.key not in document.seen]
        first = not document.seen
        # Save memory: an episode may load thousands of documents with hundreds of controls, mostly the same ones.
        seen = document.seen.union(sys.intern(control.key) for control in new)
        last = self._seen.get(document.place)
        document.seen = self._seen[document.place] = last if last == seen else seen
        for rule in document.rules.values():
            meetings = [rule.meets(control, document.place, self._attempts[rule.mode, control.key]) for control in new]
            if first:
                meetings.append(rule.meets(None, document.place, document.loads))
            # Scripts may render many times, and entries with 0 would only fill the ledger.
            if first or any(meetings):
                self.note(rule.mode, "planned", count=sum(meetings), detail=document.template)

    def _process_once(self, document: _Document, report: _Report) -> None:
        """Process a report once; it may arrive by itself and again with the answer to a read."""
        if report.number not in document.known:
            self._process(document, report)
            document.known.add(report.number)

    def _process(self, document: _Document, report: _Report) -> None:
        if report.event == "fault":
            self.note("engine", "blocked", detail=f"{document.template}: {str(report.value)[:200]}")
            return
        # Without this check, an agent could write a mode into the ledger that the condition does not have.
        rule = document.rules.get(report.mode)
        if rule is None:
            raise ReportError(f"a report of {report.event!r} by a mode that is not active")
        control = None if report.role_and_name is None else Control(report.about, *report.role_and_name)
        if control is None and report.about != document.name:
            raise ReportError(f"a report of {report.event!r} about an unknown control")
        try:
            if report.event == "fitted":
                self._record_strengths(document, rule, report.value)
            elif report.event == "moved":
                # A change counts as delivered once a read confirms it, because the agent sees the page only then.
                places = _COUNT.validate_python(report.value)
                document.claimed[report.mode] += places
                if self.watcher is not None:
                    self.watcher.changed(report.mode, document.path, places)
            else:
                attempt = _COUNT.validate_python(report.value)
                self._note_decision(document, rule, control, report, attempt)
                if self.watcher is not None:
                    self.watcher.decided(report.mode, report.event, control, attempt)
        except ValidationError:
            raise ReportError(f"a report of {report.event!r} with an invalid value") from None

    def _note_decision(
        self, document: _Document, rule: Rule, control: Control | None, report: _Report, attempt: int
    ) -> None:
        """Count and note a page's decision about a gesture or about its own load."""
        about = rule.mode, report.about
        for met_rule in document.rules.values():
            number = attempt if met_rule is rule else self._attempts[met_rule.mode, report.about]
            self._filter.record_draw(met_rule, control, document.place, number)
        # The maximum, so that reports of two documents about one attempt count once.
        self._attempts[about] = max(self._attempts[about], attempt + 1)
        detail = "" if control else document.template
        if report.event == "hit":
            self._hit.add(about)
            self._filter.record_hit(rule, report.about, attempt, self.step, str(control or detail))
            self.note(rule.mode, "delivered", control, attempt, detail=detail)
        # Only an element that the mode disturbed before can be overcome.
        elif report.event == "passed" and about in self._hit:
            self._hit.discard(about)
            self.note(rule.mode, "overcome", control, attempt, detail=detail)

    def _confirm(self, document: _Document, changes: Counter[str], *, more_frames: bool) -> None:
        """Count claimed changes as delivered if the read confirms them; `changes` are totals since the load."""
        for mode, claimed in document.claimed.items():
            if not claimed:
                continue
            count = min(claimed, changes[mode] - document.confirmed[mode])
            if count <= 0:
                claim = f"{mode} claims {claimed} changes, but the page has none"
                self.note("engine", "blocked", detail=f"{document.template}: {claim}")
                continue
            if document.rules[mode].by_page:
                self._filter.record_hit(document.rules[mode], document.name, 0, self.step, document.template)
            self.note(mode, "delivered", count=count, detail=document.template)
            if mode not in document.changed_by:
                document.changed_by = (*document.changed_by, mode)
        document.claimed.clear()
        # A page's totals include its frames, whose claims arrive when they are read.
        if not more_frames:
            document.confirmed = changes

    def _record_strengths(self, document: _Document, rule: Rule, strengths: Any) -> None:
        """Record how strongly a mode changes each place; pages report this only in a search for a cause."""
        if not self._filter.record_strengths(rule, document.template, self.step, _STRENGTHS.validate_python(strengths)):
            raise ReportError("a report of 'fitted' outside of a search for a cause")
