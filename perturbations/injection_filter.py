"""Allows only some injections of an episode, to search for the cause of a failure."""

from collections.abc import Mapping

from stressweb.core.injections import AllowedInjections, Injection
from stressweb.plugins.rule import Control, Rule


class InjectionFilter:
    """Restricts the modes of an episode to the allowed injections. Without an `AllowedInjections` it does nothing."""

    def __init__(self, allowed_injections: AllowedInjections | None) -> None:
        """Take the injections that may fire; None in an ordinary episode."""
        self._permitted = allowed_injections

    def narrowed(self, rule: Rule, path_template: str, step: int) -> Rule:
        """Return a mode's rule for a document loaded in a step, restricted to the allowed injections."""
        return rule if self._permitted is None else rule.narrowed(self._permitted, path_template, step)

    def record_hit(self, rule: Rule, key: str, attempt: int, step: int, element: str) -> None:
        """Record that a mode disturbed an attempt."""
        if self._permitted is not None:
            self._permitted.record(_attempt(rule, key, attempt), step, element)

    def record_draw(self, rule: Rule, control: Control | None, page: str, attempt: int) -> None:
        """Record the draw for an attempt at a control, or for the load of a page."""
        if self._permitted is not None:
            draw = rule.decides(control, page, attempt)
            if draw is not None:
                self._permitted.met.add(draw)

    def record_strengths(self, rule: Rule, path_template: str, step: int, strengths: Mapping[str, float]) -> bool:
        """Record how strongly a mode changed each place of a page; return False in an ordinary episode."""
        if self._permitted is None:
            return False
        for key, strength in strengths.items():
            self._permitted.strengths[path_template, key] = strength
        for parameter, key in rule.places(strengths):
            # Places with the same name have numbered keys; the first is not numbered for the reader.
            words = key.removesuffix(" 1").split()
            self._permitted.record(
                (rule.mode, parameter, path_template, key), step, f"{parameter} of {' '.join(words)}"
            )
        return True


def _attempt(rule: Rule, key: str, attempt: int) -> Injection:
    return (rule.mode, key, str(attempt)) if rule.by_attempt else (rule.mode, key)
