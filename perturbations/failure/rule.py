"""Settings of failure.js, and the draws that a page makes with them."""

from stressweb.perturbations.page.bundles import bundle
from stressweb.plugins.perturbation import Rate
from stressweb.plugins.rule import Control, Rule


class FailureRule(Rule):
    """Settings of failure.js."""

    script = bundle("failure")

    rate: Rate
    """Share of attempts that fail: attempts whose draw is below this."""

    def hits(self, key: str, attempt: int) -> bool:
        """Return whether an attempt at a control fails."""
        return self.drawn(key, attempt) < self.rate and self.lets(key, attempt)

    def decides(self, control: Control | None, page: str, attempt: int) -> float | None:
        """Return the draw of an attempt."""
        return None if control is None else self.drawn(control.key, attempt)

    def meets(self, control: Control | None, page: str, attempt: int) -> bool:
        """Return whether this attempt at the control has no effect."""
        return control is not None and self.hits(control.key, attempt)
