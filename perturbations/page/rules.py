"""What the page's scripts are told, and what the page will draw by it."""

from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, SkipValidation

from stressweb.core.injections import Allowed
from stressweb.core.page_draws import Pair, draw, key_words
from stressweb.plugins.perturbation import Rate

_FOLDER = Path(__file__).parent


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RuntimeSettings(_Told):
    """What runtime.js reads: facts of one document."""

    path: str
    """The page's path, with its query."""
    page: str
    """Name of the page in reports that are about no control."""
    site: str
    """The site's id."""
    hosts: tuple[str, ...] = ()
    """Hosts at which the site is served, with port where it is not 80."""
    # Not validated: half of a surrogate pair is no text for pydantic, but may stand in a page and so in a key.
    attempts: Annotated[dict[str, dict[str, int]], SkipValidation] = {}
    """Attempts so far, by mode and key."""
    read: str
    """The event that announces a read of the recorder."""
    binding: str = ""
    """Name of the function that takes reports; empty for none."""
    report: str
    """Path that reports are sent to where that function is not there; one for each document."""


class Narrowing(_Told):
    """Which attempts a mode may disturb during a search for a cause."""

    others: bool
    """Whether controls that are not named may be disturbed."""
    controls: Annotated[dict[str, tuple[bool, list[int]]], SkipValidation]
    """By key: only these attempts with True, all but these with False. A mode with one draw for all attempts at a
    control asks about attempt 0."""

    @classmethod
    def of(cls, allowed: Allowed, mode: str, step: int, *, by_attempt: bool) -> Self:
        """Return what a page is told that comes during an action; `by_attempt` is that of the mode."""
        found = {}
        for key in allowed.controls(mode):
            if by_attempt:
                found[key] = allowed.attempts((mode, key), step) or (False, [])
            else:
                found[key] = (not allowed.lets((mode, key), step), [])
        # No control has an empty key, so the answer about it is that about all that are not named.
        return cls(others=allowed.lets_any((mode, ""), step), controls=found)

    def lets(self, key: str, attempt: int) -> bool:
        """Return whether an attempt at a control may be disturbed."""
        if key not in self.controls:
            return self.others
        listed, attempts = self.controls[key]
        return (attempt in attempts) == listed


class Rule(_Told):
    """What the script of a mode reads. Each mode of the page has a subclass."""

    script: ClassVar[Path]
    """The mode's `.js` file."""

    mode: str
    """Name of the mode: the script reports under it."""
    rule: Pair
    """What its draws start from: `rule_words`."""
    allowed: Narrowing | None = None
    """Which attempts may be disturbed; None: every one."""

    def drawn(self, key: str, attempt: int = 0) -> float:
        """Return the draw of an attempt at a control, as the page makes it."""
        return draw(self.rule, key_words(key), attempt)

    def lets(self, key: str, attempt: int) -> bool:
        """Return whether an attempt at a control may be disturbed."""
        return self.allowed is None or self.allowed.lets(key, attempt)


class RemapRule(Rule):
    """What remap.js reads."""

    script = _FOLDER / "remap.js"

    share: Rate
    """Share of controls that are remapped: those whose draw is below it."""

    def hits(self, key: str) -> bool:
        """Return whether the page remaps a control that is one to press."""
        return self.drawn(key) < self.share and self.lets(key, 0)


class FailureRule(Rule):
    """What failure.js reads."""

    script = _FOLDER / "failure.js"

    rate: Rate
    """Share of draws that fail: those below it."""

    def hits(self, key: str, attempt: int) -> bool:
        """Return whether the page makes an attempt at a control fail."""
        return self.drawn(key, attempt) < self.rate and self.lets(key, attempt)
