"""One episode under stress, as the proxy keeps it: keys, attempts, what was served, and the ledger."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from perturbations.runtime import inject
from stressweb.keyed import Seeds, digest
from stressweb.ledger import Entry
from stressweb.marks import Marks
from stressweb.page import Control, Page
from stressweb.perturbation import Instruction, Perturbation

type Named = Callable[[Page], frozenset[str]]


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
        self._attempts: Counter[str] = Counter()
        self._controls: dict[str, Control] = {}
        self._hit: set[tuple[str, str]] = set()
        self._changed: list[str] = []
        self._loads = 0

    def begin(self, step: int) -> None:
        """Begin an action: it meets what the page before it carries."""
        self.step = step
        for mode in self._changed:
            self.note(mode, "met")

    def rewrite(self, html: str, host: str, path: str, nonce: str, named: Named) -> str:
        """Return a document as the agent is to get it; `named` says which words style sheets and scripts use."""
        page = Page(html, host, path, self.marks, self._loads)
        page.named_elsewhere = named(page)
        self._loads += 1
        self._controls.update((control.token, control) for control in page.controls)
        instructed = [found for one in self.perturbations if (found := self._instruct(one, page))]
        self._changed = [one.mode for one in self.perturbations if self._change(one, page)]
        attempts = {control.token: self._attempts[control.key] for control in page.controls}
        inject(page, instructed, self.report_path, attempts, nonce)
        return page.serve()

    def reported(self, body: bytes) -> None:
        """Take what the page says of a gesture; raises ValueError for a report that no page of ours makes."""
        mode, token, event, attempt = json.loads(body)
        control = self._controls.get(token)
        if control is None or event not in ("hit", "passed"):
            raise ValueError(f"a page reports {event!r} of an unknown control")
        if mode == "failure":
            self._attempts[control.key] = max(self._attempts[control.key], attempt + 1)
        if event == "hit":
            self._hit.add((mode, control.key))
            self.note(mode, "delivered", control, attempt)
        elif (mode, control.key) in self._hit:
            self._hit.discard((mode, control.key))
            self.note(mode, "overcome", control, attempt)

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

    def _instruct(self, perturbation: Perturbation, page: Page) -> tuple[Path, Instruction] | None:
        instruction = perturbation.instruct(page, self.seeds)
        if instruction is None or perturbation.script is None:
            return None
        self.note(perturbation.mode, "planned", count=instruction.planned, detail=page.template)
        return perturbation.script, instruction

    def _change(self, perturbation: Perturbation, page: Page) -> bool:
        changes = perturbation.rewrite(page, self.seeds)
        if changes:
            self.note(perturbation.mode, "delivered", count=changes, detail=page.template)
        return bool(changes)
