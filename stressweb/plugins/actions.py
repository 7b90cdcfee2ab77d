"""Actions of an agent, and their outcomes."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Kind = Literal[
    "NAVIGATE", "CLICK", "TYPE", "FILL", "PRESS", "HOTKEY", "SCROLL", "HOVER", "SELECT", "CHECK", "UNCHECK",
    "DRAG", "UPLOAD", "DIALOG", "TAB", "CLOSE_TAB", "WAIT", "GO_BACK", "GO_FORWARD", "RELOAD", "DONE", "FAIL",
]  # fmt: skip

Reason = Literal["not found", "covered by", "disabled", "detached", "timed out", "invalid"]

# Without the targets of CLICK, HOVER, DRAG and UPLOAD, which are a selector or a position; `_complete` checks them.
NEEDS: dict[str, tuple[str, ...]] = {
    "NAVIGATE": ("url",),
    "TYPE": ("text",),
    "FILL": ("selector", "text"),
    "PRESS": ("key",),
    "HOTKEY": ("keys",),
    "SELECT": ("selector", "option"),
    "CHECK": ("selector",),
    "UNCHECK": ("selector",),
    "UPLOAD": ("files",),
    "DIALOG": ("accept",),
    "TAB": ("index",),
}
"""Required parameters of each kind of action."""


LONGEST = 200_000
"""Longest text of an action, in characters."""

Short = Annotated[str, Field(max_length=20_000)]
Long = Annotated[str, Field(max_length=LONGEST)]


class Action(BaseModel):
    """One action of an agent, in the terms of the paper's protocol.

    The docstrings of the fields are part of the prompt of language models.
    """

    # Without infinity and NaN, which could be recorded as JSON, but not read again.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)

    kind: Kind
    selector: Short | None = None
    """CSS selector of the target, or one of Playwright's; the first match in document order counts."""
    x: float | None = None
    """Horizontal position of the target in CSS pixels of the viewport, instead of a selector."""
    y: float | None = None
    """Vertical position, likewise."""
    # Three clicks select a paragraph; browsers know no more.
    click_count: Annotated[int, Field(ge=1, le=3)] = 1
    """How many clicks in quick succession."""
    text: Long | None = None
    """What to type or fill in, or what to answer to a prompt."""
    key: Short | None = None
    """Name of one key, as in Playwright: Enter, Tab, a."""
    keys: Short | None = None
    """A chord: Control+a."""
    url: Short | None = None
    """Address to go to, in full or relative to the current page."""
    option: Short | None = None
    """Text of the option to select."""
    to_selector: Short | None = None
    """Selector of the place to drag the target to."""
    to_x: float | None = None
    """Horizontal position of that place in CSS pixels of the viewport, instead of a selector."""
    to_y: float | None = None
    """Vertical position, likewise."""
    files: Annotated[tuple[Short, ...], Field(min_length=1, max_length=20)] | None = None
    """Names of the files to choose, out of those that can be uploaded; several only if the field takes several."""
    accept: bool | None = None
    """Whether to accept a dialog or to dismiss it."""
    index: Annotated[int, Field(ge=0)] | None = None
    """Number of a tab, from 0; CLOSE_TAB without one closes the current tab."""
    delta: float = 400.0
    """Pixels to scroll down; negative scrolls up."""
    seconds: Annotated[float, Field(ge=0, le=10)] = 1.0
    """How long to wait."""
    message: Long | None = None
    """What to say with DONE or FAIL."""
    reasoning: Long | None = None
    """Why the agent chose this action; recorded, but never used for grading."""

    @model_validator(mode="after")
    def _complete(self) -> "Action":
        # Checked here, so that a model learns about missing parameters before the browser acts.
        missing = [name for name in NEEDS.get(self.kind, ()) if getattr(self, name) is None]
        if missing:
            raise ValueError(f"{self.kind} needs {', '.join(missing)}")
        if (
            self.kind in ("CLICK", "HOVER", "DRAG", "UPLOAD")
            and self.selector is None
            and (self.x is None or self.y is None)
        ):
            raise ValueError(f"{self.kind} needs a selector, or x and y")
        if self.kind == "DRAG" and self.to_selector is None and (self.to_x is None or self.to_y is None):
            raise ValueError("DRAG needs a to_selector, or to_x and to_y")
        return self

    @property
    def final(self) -> bool:
        """Whether the episode ends with this action."""
        return self.kind in ("DONE", "FAIL")


class Outcome(BaseModel):
    """The outcome of an action, in the same words in every condition."""

    model_config = ConfigDict(frozen=True)

    ok: bool
    reason: Reason | None = None
    detail: str = ""
    """The covering element, or the target that was searched; shown to the agent with the reason. Also side effects in
    the browser: opened dialogs and tabs, closed tabs, downloaded files."""

    def __str__(self) -> str:
        """Return the outcome as in the agent's history."""
        if self.ok:
            return f"done; {self.detail}" if self.detail else "done"
        return f"failed: {self.reason} {self.detail}".strip()
