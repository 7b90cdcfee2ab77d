"""Settings of the runtime, of remap.js and of failure.js, and the draws that a page makes with them."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, SkipValidation

from stressweb.perturbations.page.bundles import bundle
from stressweb.plugins.perturbation import Rate
from stressweb.plugins.rule import Control, Rule, subject


class RuntimeSettings(BaseModel):
    """Settings of runtime.js for one document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    """The page's path, with its query."""
    page: str
    """Name of the page in reports about the page itself."""
    site: str
    """The site's id."""
    hosts: tuple[str, ...] = ()
    """Hosts of the site, with the port if it is not 80."""
    loads: int = 0
    """How many pages of this template the episode had loaded before."""
    # Not validated, because pydantic rejects half of a surrogate pair, which a key may contain.
    attempts: Annotated[dict[str, dict[str, int]], SkipValidation] = {}
    """Attempts so far, by mode and key."""
    read: str
    """Name of the event that announces a read of the recorder."""
    binding: str = ""
    """Name of the page function that takes reports; empty for none."""
    watched: bool = False
    """Whether a person watches and no recorder reads the page."""
    report: str
    """Path for reports if that function does not exist; each document has its own."""


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
