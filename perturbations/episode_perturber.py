"""The state of one episode under stress: the settings of its pages, their reports, and the ledger."""

import sys
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from pydantic import Field, TypeAdapter, ValidationError

from perturbations.injection_filter import InjectionFilter
from perturbations.page.parts import page_script
from perturbations.page.rules import RuntimeSettings
from stressweb.core.draws import Seeds, digest
from stressweb.core.injections import Allowed
from stressweb.core.path_template import path_template
from stressweb.log.ledger import Entry, Phase
from stressweb.plugins.perturbation import Perturbation
from stressweb.plugins.rule import Control, Rule, subject

type _Event = Literal["hit", "passed", "clear", "moved", "fitted", "fault"]
# Whoever finds the path may post anything: only a whole number of a sensible size is a count, and `true` is none.
type _Count = Annotated[int, Field(ge=0, le=10**9, strict=True)]


class _Report(NamedTuple):
    """What a page says: of which mode, about which control or page, what happened there, and more about it."""

    number: _Count
    mode: str
    about: str
    """The key of a control, or the name of the page."""
    event: _Event
    value: Any
    """The number of an attempt or of changes; of what was fitted, how far each place is disturbed; of a fault, why."""
    called: tuple[str, str] | None
    """Role and name of the control."""


_REPORT: TypeAdapter[_Report] = TypeAdapter(_Report)
_COUNT: TypeAdapter[int] = TypeAdapter(_Count)
_STRENGTHS = TypeAdapter(dict[str, float])


class Watcher(Protocol):
    """Hears what the pages report, as they report it. Only `serve` has one: it shows a person what happened."""

    def loaded(self, path: str) -> None:
        """Take a document that is about to be served at a path."""

    def decided(self, mode: str, event: str, control: Control | None, attempt: int) -> None:
        """Take what a mode decided about a gesture on a control, or about the page (no control)."""

    def changed(self, mode: str, path: str, places: int) -> None:
        """Take how many more places a mode has changed of the document at a path."""


class ReportError(ValueError):
    """What came as a report is none that a page of ours sends: an agent went to the path that reports go to."""


class _Document:
    """One document that was served with the script."""

    def __init__(self, site: str, path: str, rules: Sequence[Rule], loads: int) -> None:
        self.rules = {rule.mode: rule for rule in rules}
        """The rules of the active modes, by mode, in the order in which they are asked."""
        self.loads = loads
        """How many pages of its template the episode loaded before."""
        self.path = path.partition("?")[0]
        self.template = path_template(path)
        self.place = f"{site} {self.template}"
        self.name = subject(None, self.place)
        self.known: set[int] = set()
        """Numbers of the reports that were taken."""
        self.seen: frozenset[str] = frozenset()
        """Keys of the controls that reads have found; documents that have the same share one set."""
        self.claimed: Counter[str] = Counter()
        """Places that each mode claims to have changed, and that no read has shown yet."""
        self.shown: Counter[str] = Counter()
        """Places of each mode that reads have shown."""


class EpisodePerturber:
    """The perturbations of one episode. Nothing here knows a proxy, a browser or a clock.

    `step` is the number of the action under way; whoever runs the episode sets it by `begin`. Pages report from the
    thread of the proxy, and in the answer to a read from that of the episode.
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
        """Prepare an episode; `key` names it, and `active` says whether its documents get the script at all.

        `secret` keeps the path that reports go to, and the name of the event that announces a read, from anyone
        who knows the cell; no recorded page holds either. `allowed` holds injections back during a search for a cause.
        """
        self.perturbations = perturbations
        self.seeds = seeds
        self.active = active
        self.report_path = "/" + digest("report", key.hex(), secret.hex(), size=6).hex()
        self.read_event = digest("read", key.hex(), secret.hex(), size=6).hex()
        # A letter first, so that it is a name like others on a window.
        self.binding = "r" + digest("binding", key.hex(), secret.hex(), size=6).hex() if active else ""
        """Name of the function by which the browser takes reports; empty if no document gets the script."""
        self.entries: list[Entry] = []
        self.step = 0
        self._attempts: Counter[tuple[str, str]] = Counter()
        self._loaded: Counter[str] = Counter()
        self._documents: dict[str, _Document] = {}
        self._seen: dict[str, frozenset[str]] = {}
        """What the last document of each template had seen."""
        self._hit: set[tuple[str, str]] = set()
        self._changed: list[str] = []
        self._filter = InjectionFilter(allowed)
        self.watched = False
        """Whether a person looks on, and no recorder reads the pages: in no episode."""
        self.watcher: Watcher | None = None
        """None in every episode."""
        self._lock = threading.RLock()

    @cached_property
    def _rules(self) -> list[Rule]:
        """The rules of the modes, as they are where nothing is held back."""
        return [one.rule(self.seeds) for one in self.perturbations]

    def begin(self, step: int) -> None:
        """Begin an action: it meets what the page before it carries."""
        with self._lock:
            self.step = step
            # A mode that changed the whole page disturbs no gesture of its own, so whatever the agent does next has met
            # it.
            for mode in self._changed:
                self.note(mode, "met")

    def script(self, site: str, hosts: Iterable[str], path: str) -> str:
        """Return the script of the next document, which is at `path` of a site; as JavaScript in ASCII."""
        with self._lock:
            template = path_template(path)
            rules = [self._filter.narrowed(one, template, self.step) for one in self._rules]
            # By place, which begins with the site: the pages of two sites of a chain are not the same page.
            place = f"{site} {template}"
            document = _Document(site, path, rules, self._loaded[place])
            if self.watcher is not None:
                self.watcher.loaded(document.path)
            where = f"{self.report_path}/{len(self._documents)}"
            self._documents[where] = document
            # Counted over the whole episode: loading a page again is another attempt, with another draw.
            self._loaded[place] += 1
            for rule in rules:
                self._filter.meets(rule, None, document.place, document.loads)
            # What the agent does next meets the document that came last.
            self._changed = []
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
            found: dict[str, dict[str, int]] = {}
            for (mode, key), count in self._attempts.items():
                found.setdefault(mode, {})[key] = count
            return found

    def reported(self, where: str, body: bytes | str) -> None:
        """Take a report of the document that reports to a path; raises ReportError for what our scripts never send."""
        try:
            report = _REPORT.validate_json(body)
        except ValidationError as error:
            said = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise ReportError(f"no report: {said}") from None
        with self._lock:
            document = self._documents.get(where)
            if document is None:
                raise ReportError("a report of no document")
            self._take(document, report)

    def called(self, payload: str) -> None:
        """Take a report that the browser took: the path of its document, a space, and the report.

        What no script of ours sends is left: a script of the page may have found the function.
        """
        where, _, body = payload.partition(" ")
        try:
            self.reported(where, body)
        except ReportError as error:
            self.note("world", "blocked", detail=str(error))

    def read(
        self, path: str, answer: Mapping[str, Any] | None, controls: Sequence[Sequence[str]], *, more: bool = False
    ) -> None:
        """Take what a read found at a path of the site: the answer of the page's script, and the site's controls.

        Of each control there are key, role and name. Without an answer nothing of ours is on the page, and the ledger
        says so. `more` says that frames of the page, which count as parts of it, answer this read after it.
        """
        if not self.active:
            return
        with self._lock:
            document = None if answer is None else self._documents.get(str(answer.get("from")))
            if answer is None or document is None:
                self.note("engine", "unreached", detail=path_template(path))
                return
            # The planned line comes before what was delivered of it.
            self._plan(document, [Control(*one) for one in controls])
            for report in answer.get("reports", ()):
                self._take(document, _REPORT.validate_python(report))
            self._prove(document, Counter(answer.get("changed", {})), more=more)

    def restore(self, value: str) -> str:
        """Return a submitted name or value as it would be without perturbation."""
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
        """Write a line into the ledger."""
        element = str(control) if control else ""
        self.entries.append(
            Entry(step=self.step, mode=mode, phase=phase, element=element, attempt=attempt, count=count, detail=detail)
        )

    def _plan(self, document: _Document, controls: Sequence[Control]) -> None:
        """Write down which controls that were not seen before each mode is about to disturb."""
        new = [one for one in controls if one.key not in document.seen]
        first = not document.seen
        # An episode may load thousands of documents, each with hundreds of controls, and most of them again and again.
        seen = document.seen.union(sys.intern(one.key) for one in new)
        last = self._seen.get(document.place)
        document.seen = self._seen[document.place] = last if last == seen else seen
        for rule in document.rules.values():
            found = [rule.meets(one, document.place, self._attempts[rule.mode, one.key]) for one in new]
            if first:
                found.append(rule.meets(None, document.place, document.loads))
            # Scripts may draw again and again: a line of 0 for each time would only fill the ledger.
            if first or any(found):
                self.note(rule.mode, "planned", count=sum(found), detail=document.template)

    def _take(self, document: _Document, report: _Report) -> None:
        """Take a report once: it may come by itself, and again in the answer to a read."""
        if report.number not in document.known:
            self._follow(document, report)
            document.known.add(report.number)

    def _follow(self, document: _Document, report: _Report) -> None:
        if report.event == "fault":
            self.note("engine", "blocked", detail=f"{document.template}: {str(report.value)[:200]}")
            return
        # Else an agent could write a mode into the ledger that the condition does not have.
        rule = document.rules.get(report.mode)
        if rule is None:
            raise ReportError(f"a report of {report.event!r} by a mode that is not active")
        control = None if report.called is None else Control(report.about, *report.called)
        if control is None and report.about != document.name:
            raise ReportError(f"a report of {report.event!r} about an unknown control")
        try:
            if report.event == "fitted":
                self._fitted(document, rule, report.value)
            elif report.event == "moved":
                # Not delivered yet: a change counts once a read finds it, because an agent sees a page only then.
                places = _COUNT.validate_python(report.value)
                document.claimed[report.mode] += places
                if self.watcher is not None:
                    self.watcher.changed(report.mode, document.path, places)
            else:
                attempt = _COUNT.validate_python(report.value)
                self._decided(document, rule, control, report, attempt)
                if self.watcher is not None:
                    self.watcher.decided(report.mode, report.event, control, attempt)
        except ValidationError:
            raise ReportError(f"a report of {report.event!r} that does not fit") from None

    def _decided(self, document: _Document, rule: Rule, control: Control | None, report: _Report, attempt: int) -> None:
        """Count what a page decided about a gesture or about its own load, and write it down."""
        about = rule.mode, report.about
        for one in document.rules.values():
            number = attempt if one is rule else self._attempts[one.mode, report.about]
            self._filter.meets(one, control, document.place, number)
        # The maximum and not a sum, so that reports of two documents about one attempt count once.
        self._attempts[about] = max(self._attempts[about], attempt + 1)
        detail = "" if control else document.template
        if report.event == "hit":
            self._hit.add(about)
            self._filter.fires(rule, report.about, attempt, self.step, str(control or detail))
            self.note(rule.mode, "delivered", control, attempt, detail=detail)
        # An element that was never disturbed has nothing to overcome, and no mode is overcome by what it lets alone.
        elif report.event == "passed" and about in self._hit:
            self._hit.discard(about)
            self.note(rule.mode, "overcome", control, attempt, detail=detail)

    def _prove(self, document: _Document, shown: Counter[str], *, more: bool) -> None:
        """Count as delivered what modes claim to have changed and the read shows; `shown` counts from the load on."""
        for mode, claimed in document.claimed.items():
            if not claimed:
                continue
            count = min(claimed, shown[mode] - document.shown[mode])
            if count <= 0:
                said = f"{mode} claims {claimed} changes, of which there is none"
                self.note("engine", "blocked", detail=f"{document.template}: {said}")
                continue
            if document.rules[mode].by_page:
                self._filter.fires(document.rules[mode], document.name, 0, self.step, document.template)
            self.note(mode, "delivered", count=count, detail=document.template)
            # Only the live page knows whether anything moved; from now on the next action meets it.
            if mode not in self._changed:
                self._changed.append(mode)
        document.claimed.clear()
        # What a page shows, it counts for its parts as well, which claim theirs when they are read.
        if not more:
            document.shown = shown

    def _fitted(self, document: _Document, rule: Rule, told: Any) -> None:
        """Record how strongly a mode changes each place; reported only during a search for the cause of a failure."""
        if not self._filter.fitted(rule, document.template, self.step, _STRENGTHS.validate_python(told)):
            raise ReportError("a report of 'fitted' outside of a search for a cause")
