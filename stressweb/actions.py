"""What an agent may do, and what came of it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Kind = Literal[
    "NAVIGATE", "CLICK", "TYPE", "FILL", "PRESS", "HOTKEY", "SCROLL", "HOVER", "SELECT", "CHECK", "UNCHECK",
    "WAIT", "GO_BACK", "GO_FORWARD", "RELOAD", "DONE", "FAIL",
]  # fmt: skip

Reason = Literal["not found", "covered by", "disabled", "detached", "timed out", "invalid"]

NEEDS: dict[str, tuple[str, ...]] = {
    "NAVIGATE": ("url",),
    "TYPE": ("text",),
    "FILL": ("selector", "text"),
    "PRESS": ("key",),
    "HOTKEY": ("keys",),
    "SELECT": ("selector", "option"),
    "CHECK": ("selector",),
    "UNCHECK": ("selector",),
}
"""The parameters that a kind of action cannot do without."""


class Action(BaseModel):
    """One action of an agent, in the words of the paper's protocol."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    selector: str | None = None
    """CSS selector of the target; the first match in document order counts."""
    x: float | None = None
    """Horizontal position of the target in CSS pixels of the viewport, instead of a selector."""
    y: float | None = None
    click_count: Annotated[int, Field(ge=1, le=3)] = 1
    text: str | None = None
    """What to type or fill in."""
    key: str | None = None
    """Name of one key, as in Playwright: Enter, Tab, a."""
    keys: str | None = None
    """A chord: Control+a."""
    url: str | None = None
    option: str | None = None
    """Text of the option to select."""
    delta: float = 400.0
    """Pixels to scroll down; negative scrolls up."""
    seconds: Annotated[float, Field(ge=0, le=10)] = 1.0
    message: str | None = None
    """What the agent says with DONE or FAIL; recorded, compared with the outcome, never trusted."""
    reasoning: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> "Action":
        missing = [name for name in NEEDS.get(self.kind, ()) if getattr(self, name) is None]
        if missing:
            raise ValueError(f"{self.kind} needs {', '.join(missing)}")
        if self.kind in ("CLICK", "HOVER") and self.selector is None and (self.x is None or self.y is None):
            raise ValueError(f"{self.kind} needs a selector, or x and y")
        return self

    @property
    def final(self) -> bool:
        """Whether the episode ends with this action."""
        return self.kind in ("DONE", "FAIL")


class Outcome(BaseModel):
    """What came of an action, in the same words in every condition."""

    model_config = ConfigDict(frozen=True)

    ok: bool
    reason: Reason | None = None
    detail: str = ""
    """What covers the target, or what was looked for: shown to the agent with the reason."""

    def __str__(self) -> str:
        """Say the outcome as the agent reads it in its history."""
        return "done" if self.ok else f"failed: {self.reason} {self.detail}".strip()
