"""Lets single injections of an episode fire and holds others back: how the cause of a failure is found."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from stressweb.core.draws import Seeds
from stressweb.core.injections import Allowed, Injection
from stressweb.html.page import Control, Page
from stressweb.plugins.perturbation import Instruction, Perturbation


class InjectionFilter:
    """Stands between an episode and its modes. Without an `Allowed` it is not there: nothing is asked or taken down."""

    def __init__(self, allowed: Allowed | None) -> None:
        """Take which injections may fire; None: an ordinary episode."""
        self._allowed = allowed

    def instruct(self, one: Perturbation, page: Page, seeds: Seeds, step: int) -> Instruction | None:
        """Return what the script of a mode must know, as if there were only what may be disturbed."""
        if self._allowed is None:
            return one.instruct(page, seeds)
        with self._asking(one, page, step), self._narrowed(one, page, step):
            found = one.instruct(page, seeds)
            return None if found is None else self._settings(one, page, found, step)

    def rewrite(self, one: Perturbation, page: Page, seeds: Seeds, step: int) -> int:
        """Have a mode change a page where it may, and return how many places changed."""
        if self._allowed is None:
            return one.rewrite(page, seeds)
        whole: Injection = (one.mode, f"page {page.template}")
        if not one.divisible and not self._allowed.lets(whole, step):
            return 0
        with self._asking(one, page, step):
            changes = one.rewrite(page, seeds)
        # A divisible mode was asked place by place, and each place was taken down then.
        if changes and not one.divisible:
            self._allowed.fires(whole, step, page.template)
        return changes

    def lets(self, one: Perturbation, key: str, attempt: int, step: int) -> bool:
        """Return whether a mode may disturb an attempt at a control or the load of a page, by their key."""
        return self._allowed is None or self._allowed.lets(_attempt(one, key, attempt), step)

    def fires(self, one: Perturbation, key: str, attempt: int, step: int, element: str) -> None:
        """Take down that a mode disturbed an attempt."""
        if self._allowed is not None:
            self._allowed.fires(_attempt(one, key, attempt), step, element)

    def meets(self, one: Perturbation, page: Page, control: Control | None, attempt: int, seeds: Seeds) -> None:
        """Take down the draw that decides about an attempt, whatever it decides."""
        if self._allowed is not None:
            drawn = one.drawn(page, control, attempt, seeds)
            if drawn is not None:
                self._allowed.met.add(drawn)

    def fitted(self, page: Page, strengths: Mapping[str, float]) -> bool:
        """Take down how far a mode goes at the elements of a page, by token; return whether anybody wants to know."""
        if self._allowed is None:
            return False
        keys = {node.token: node.key for node in page.every_node}
        for token in strengths.keys() & keys.keys():
            self._allowed.strengths[page.template, keys[token]] = strengths[token]
        return True

    @contextmanager
    def _asking(self, one: Perturbation, page: Page, step: int) -> Iterator[None]:
        """Have a mode ask about every place of a page that it changes."""
        before, page.lets = page.lets, partial(self._place, one.mode, page.template, step)
        try:
            yield
        finally:
            # Put back, because the other modes ask the same page about themselves.
            page.lets = before

    @contextmanager
    def _narrowed(self, one: Perturbation, page: Page, step: int) -> Iterator[None]:
        """Show a mode only those controls of a page that it may disturb, unless it asks about places itself."""
        assert self._allowed is not None
        whole, allowed = page.controls, self._allowed
        if not one.divisible:
            page.controls = [each for each in whole if allowed.lets_any((one.mode, each.key), step)]
        try:
            yield
        finally:
            # What was hidden from this mode is there for the next one.
            page.controls = whole

    def _place(self, mode: str, template: str, step: int, what: str, key: str) -> bool:
        assert self._allowed is not None
        injection = mode, what, template, key
        if not self._allowed.lets(injection, step):
            return False
        # A place is named by a number at its end where there are several like it.
        words = key.removesuffix(" 1").split()
        self._allowed.fires(injection, step, f"{what} of {' '.join(words)}")
        return True

    def _settings(self, one: Perturbation, page: Page, found: Instruction, step: int) -> Instruction:
        """Tell the script which attempts may be disturbed, and leave out a load that may not."""
        assert self._allowed is not None
        narrowed: dict[str, Any] = {}
        planned = found.planned
        if one.divisible and (given := self._allowed.given) is not None:
            # A block without a strength did not fire in the recorded episode, and such injections stay off.
            narrowed["strengths"] = {node.token: given.get((page.template, node.key), 0) for node in page.nodes}
        elif one.divisible:
            narrowed["tells"] = True
        elif one.by_attempt:
            # Such a script decides in the page without asking the proxy, so its settings list the allowed attempts.
            asked = {each.token: self._allowed.attempts((one.mode, each.key), step) for each in page.controls}
            if limited := {token: attempts for token, attempts in asked.items() if attempts is not None}:
                narrowed["allowed"] = limited
        # The dialog of a load comes with the page and is not asked for, so that it is held back here.
        load = _attempt(one, f"page {page.template}", page.loads)
        if getattr(found.settings, "load", None) and not self._allowed.lets(load, step):
            narrowed["load"], planned = None, 0
        return Instruction(settings=found.settings, planned=planned, narrowed=narrowed)


def _attempt(one: Perturbation, key: str, attempt: int) -> Injection:
    return (one.mode, key, str(attempt)) if one.by_attempt else (one.mode, key)
