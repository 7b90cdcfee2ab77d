"""Settings of the runtime, of remap.js and of failure.js, and what a page draws with them."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, SkipValidation

from stressweb.plugins.perturbation import Rate
from stressweb.plugins.rule import Control, Rule, subject

_FOLDER = Path(__file__).parent


class RuntimeSettings(BaseModel):
    """What runtime.js reads: facts of one document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    """The page's path, with its query."""
    page: str
    """Name of the page in reports that are about no control."""
    site: str
    """The site's id."""
    hosts: tuple[str, ...] = ()
    """Hosts at which the site is served, with port where it is not 80."""
    loads: int = 0
    """How many pages of this template the episode loaded before."""
    # Not validated: half of a surrogate pair is no text for pydantic, but may stand in a page and so in a key.
    attempts: Annotated[dict[str, dict[str, int]], SkipValidation] = {}
    """Attempts so far, by mode and key."""
    read: str
    """The event that announces a read of the recorder."""
    binding: str = ""
    """Name of the function that takes reports; empty for none."""
    watched: bool = False
    """Whether a person looks on, and no recorder reads the page."""
    report: str
    """Path that reports are sent to where that function is not there; one for each document."""


class RemapRule(Rule):
    """What remap.js reads."""

    script = _FOLDER / "remap.js"
    by_attempt = False
    by_page = True

    share: Rate
    """Share of controls that are remapped: those whose draw is below it."""
    hint: str = ""
    """What an instruction at the top of the page says; empty for none."""

    def hits(self, key: str) -> bool:
        """Return whether the page remaps a control that is one to press."""
        return self.drawn(key) < self.share and self.lets(key, 0)

    def decides(self, control: Control | None, page: str, attempt: int) -> float | None:
        """Return the draw of a control, the same for every attempt."""
        return self.drawn(control.key) if control is not None and control.pressed else None

    def meets(self, control: Control | None, page: str, attempt: int) -> bool:
        """Return whether the control is remapped; every gesture on it is met. A load meets the instruction."""
        if control is None:
            return bool(self.hint) and self.lets(subject(None, page), 0)
        return control.pressed and self.hits(control.key)


class FailureRule(Rule):
    """What failure.js reads."""

    script = _FOLDER / "failure.js"

    rate: Rate
    """Share of draws that fail: those below it."""

    def hits(self, key: str, attempt: int) -> bool:
        """Return whether the page makes an attempt at a control fail."""
        return self.drawn(key, attempt) < self.rate and self.lets(key, attempt)

    def decides(self, control: Control | None, page: str, attempt: int) -> float | None:
        """Return the draw of an attempt."""
        return None if control is None else self.drawn(control.key, attempt)

    def meets(self, control: Control | None, page: str, attempt: int) -> bool:
        """Return whether this attempt at the control does not take effect."""
        return control is not None and self.hits(control.key, attempt)
