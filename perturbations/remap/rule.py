"""Settings of remap.js, and the draws that a page makes with them."""

from stressweb.perturbations.page.bundles import bundle
from stressweb.plugins.perturbation import Rate
from stressweb.plugins.rule import Control, Rule, subject


class RemapRule(Rule):
    """Settings of remap.js."""

    script = bundle("remap")
    by_attempt = False
    by_page = True

    share: Rate
    """Share of controls that are remapped: controls whose draw is below this."""
    hint: str = ""
    """Text of the instruction at the top of the page; empty for none."""

    def hits(self, key: str) -> bool:
        """Return whether the page remaps a pressable control."""
        return self.drawn(key) < self.share and self.lets(key, 0)

    def decides(self, control: Control | None, page: str, attempt: int) -> float | None:
        """Return the draw of a control, the same for every attempt."""
        return self.drawn(control.key) if control is not None and control.pressed else None

    def meets(self, control: Control | None, page: str, attempt: int) -> bool:
        """Return whether the control is remapped or, for a page load, whether the page shows the instruction."""
        if control is None:
            return bool(self.hint) and self.lets(subject(None, page), 0)
        return control.pressed and self.hits(control.key)
