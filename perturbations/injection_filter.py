"""Lets single injections of an episode fire and holds others back: how the cause of a failure is found."""

from collections.abc import Mapping

from stressweb.core.injections import Allowed, Injection
from stressweb.plugins.rule import Control, Narrowing, Rule


class InjectionFilter:
    """Stands between an episode and its modes. Without an `Allowed` it is not there: nothing is asked or taken down."""

    def __init__(self, allowed: Allowed | None) -> None:
        """Take which injections may fire; None: an ordinary episode."""
        self._allowed = allowed

    def narrowed(self, rule: Rule, step: int) -> Rule:
        """Return the rule of a mode for a document that comes during an action: with what may be disturbed."""
        if self._allowed is None:
            return rule
        allowed = Narrowing.of(self._allowed, rule.mode, step, by_attempt=rule.by_attempt)
        return rule.model_copy(update={"allowed": allowed})

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

    def fitted(self, template: str, strengths: Mapping[str, float]) -> bool:
        """Take down how far a mode goes at the places of a page, by key; return whether anybody wants to know."""
        if self._allowed is None:
            return False
        for key, strength in strengths.items():
            self._allowed.strengths[template, key] = strength
        return True


def _attempt(rule: Rule, key: str, attempt: int) -> Injection:
    return (rule.mode, key, str(attempt)) if rule.by_attempt else (rule.mode, key)
