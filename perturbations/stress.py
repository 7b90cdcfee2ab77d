"""One episode under stress, as the proxy keeps it: keys, attempts, what was served, and the ledger."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from perturbations.runtime import inject
from stressweb.drawn import Drawn
from stressweb.keyed import Seeds, digest
from stressweb.ledger import Entry
from stressweb.marks import Marks
from stressweb.page import Control, Page
from stressweb.perturbation import Instruction, Perturbation

type Named = Callable[[Page], frozenset[str]]


class Subject(NamedTuple):
    """What a page reports about: one of its controls, or itself."""

    page: Page
    control: Control | None

    @property
    def key(self) -> str:
        """What attempts are counted by."""
        return self.control.key if self.control else f"page {self.page.template}"


class Stress:
    """The perturbations of one episode. Nothing here knows a proxy, a browser or a clock.

    `step` is the number of the action under way; whoever runs the episode sets it by `begin`.
    """

    def __init__(self, perturbations: Sequence[Perturbation], seeds: Seeds, key: bytes, *, active: bool) -> None:
        """Prepare an episode; `key` is its mark key, `active` whether pages are rewritten at all."""
        self.perturbations = perturbations
        self.seeds = seeds
        self.active = active
        self.marks = Marks(key)
        self.report_path = "/" + digest("report", key.hex(), size=6).hex()
        self.entries: list[Entry] = []
        self.step = 0
        self._attempts: Counter[tuple[str, str]] = Counter()
        self._loaded: Counter[str] = Counter()
        self._subjects: dict[str, Subject] = {}
        self._hit: set[tuple[str, str]] = set()
        self._changed: list[str] = []
        self._documents = 0

    def begin(self, step: int) -> None:
        """Begin an action: it meets what the page before it carries."""
        self.step = step
        for mode in self._changed:
            self.note(mode, "met")

    def rewrite(self, html: str, site: str, path: str, nonce: str, named: Named, hosts: Collection[str] = ()) -> str:
        """Return a document as the agent is to get it.

        `site` is the site's id and `hosts` are the hosts at which it is served, as `Page` takes them; `named` says
        which words style sheets and scripts use.
        """
        page = Page(html, site, path, self.marks, self._documents, hosts)
        page.named_elsewhere = named(page)
        page.loads = self._loaded[page.template]
        self._loaded[page.template] += 1
        self._documents += 1
        this = page.token()
        self._subjects[this] = Subject(page, None)
        instructed = self._instructed(page)
        scripts = [((one.script, *one.parts), found) for one, found in instructed if one.script is not None]
        self._changed = [one.mode for one in self.perturbations if self._change(one, page)]
        inject(page, scripts, this, self.report_path, self._counted(page), nonce)
        return page.serve()

    def reported(self, body: bytes) -> str | None:
        """Take what a page says and return what it is told; raises ValueError for what no page of ours says."""
        mode, token, event, value = json.loads(body)
        subject = self._subjects.get(token)
        if subject is None:
            raise ValueError(f"a page reports {event!r} of an unknown control")
        match event:
            case "ask":
                return self._answer(mode, subject)
            case "hit" | "passed":
                self._decided(mode, subject, event, value)
            case "drawn":
                return self._adopted(token, subject.page, *value)
            case "moved":
                self._moved(mode, subject, value)
            case _:
                raise ValueError(f"a page reports {event!r}")
        return None

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
        if subject.control is None:
            raise ValueError("a page asks about itself")
        attempt = self._attempts[mode, subject.key]
        self._attempts[mode, subject.key] += 1
        perturbation = next(one for one in self.perturbations if one.mode == mode)
        found = perturbation.answer(subject.page, subject.control, attempt, self.seeds)
        if found is None:
            return None
        self._decided(mode, subject, "hit", attempt)
        return json.dumps({**found, "attempt": attempt})

    def _decided(self, mode: str, subject: Subject, event: str, attempt: int) -> None:
        """Count what a page decided about a gesture or about its own load, and write it down."""
        about = mode, subject.key
        self._attempts[about] = max(self._attempts[about], attempt + 1)
        detail = "" if subject.control else subject.page.template
        if event == "hit":
            self._hit.add(about)
            self.note(mode, "delivered", subject.control, attempt, detail=detail)
        elif about in self._hit:
            self._hit.discard(about)
            self.note(mode, "overcome", subject.control, attempt, detail=detail)

    def _moved(self, mode: str, subject: Subject, count: int) -> None:
        """Take it that a page has changed by `count` places since it was loaded."""
        if count:
            self.note(mode, "delivered", count=count, detail=subject.page.template)
        if count and mode not in self._changed:
            self._changed.append(mode)

    def _adopted(self, number: str, before: Page, path: str, html: str) -> str:
        """Take what scripts have drawn on a page and return its marks, its controls and what the modes must know."""
        page = Drawn(html, path, before, number)
        instructed = self._instructed(page)
        told = {
            "tokens": page.tokens,
            "controls": [control.token for control in page.controls],
            "attempts": self._counted(page),
            "modes": {one.mode: instruction.settings for one, instruction in instructed},
        }
        return json.dumps(told)

    def _instructed(self, page: Page) -> list[tuple[Perturbation, Instruction]]:
        """Ask every mode about the controls and nodes of a page, and know them from now on."""
        self._subjects.update((control.token, Subject(page, control)) for control in page.controls)
        found = [(one, one.instruct(page, self.seeds)) for one in self.perturbations if one.script is not None]
        told = [(one, instruction) for one, instruction in found if instruction is not None]
        for one, instruction in told:
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
        changes = perturbation.rewrite(page, self.seeds)
        if changes:
            self.note(perturbation.mode, "delivered", count=changes, detail=page.template)
        return bool(changes)
