"""Lets single injections of an episode fire and holds others back: how the cause of a failure is found."""

from collections.abc import Mapping

from stressweb.core.injections import Allowed, Injection
from stressweb.plugins.rule import Control, Rule


class InjectionFilter:
    """Stands between an episode and its modes. Without an `Allowed` it is not there: nothing is asked or taken down."""

    def __init__(self, allowed: Allowed | None) -> None:
        """Take which injections may fire; None: an ordinary episode."""
        self._allowed = allowed

    def narrowed(self, rule: Rule, template: str, step: int) -> Rule:
        """Return the rule of a mode for a document that comes during an action: with what may be disturbed."""
        return rule if self._allowed is None else rule.narrowed(self._allowed, template, step)

    def fires(self, rule: Rule, key: str, attempt: int, step: int, element: str) -> None:
        """Take down that a mode disturbed an attempt."""
        if self._allowed is not None:
            self._allowed.fires(_attempt(rule, key, attempt), step, element)

    def meets(self, rule: Rule, control: Control | None, page: str, attempt: int) -> None:
        """Take down the draw that decides about an attempt at a control, or about the load of a page."""
        if self._allowed is not None:
            drawn = rule.decides(control, page, attempt)
            if drawn is not None:
                self._allowed.met.add(drawn)

    def fitted(self, rule: Rule, template: str, step: int, told: Mapping[str, float]) -> bool:
        """Take down what a mode did to the places of a page, and how far; return whether anybody wants to know."""
        if self._allowed is None:
            return False
        for key, strength in told.items():
            self._allowed.strengths[template, key] = strength
        for what, key in rule.places(told):
            # A place is named by a number at its end where there are several like it.
            words = key.removesuffix(" 1").split()
            self._allowed.fires((rule.mode, what, template, key), step, f"{what} of {' '.join(words)}")
        return True


def _attempt(rule: Rule, key: str, attempt: int) -> Injection:
    return (rule.mode, key, str(attempt)) if rule.by_attempt else (rule.mode, key)
