"""The base of every perturbation: what it is made of, and how severity becomes parameters."""

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from stressweb.core.draws import Seeds
    from stressweb.html.page import Control, Page

type Rate = Annotated[float, Field(ge=0.0, le=1.0)]


class Stage(Enum):
    """Where in the agent's cycle a perturbation acts."""

    PERCEPTION = "perception"
    SEMANTIC = "semantic"
    EXECUTION = "execution"


def table(**columns: tuple[float, float, float, float, float]) -> Mapping[int, Mapping[str, float]]:
    """Return the parameters of severities 0 to 5; at 0 every rate is 0."""
    # Severity 0 is made here, so that no table of a mode can disturb anything at it.
    severities: dict[int, dict[str, float]] = {0: dict.fromkeys(columns, 0.0)}
    for severity in range(1, 6):
        severities[severity] = {name: values[severity - 1] for name, values in columns.items()}
    return severities


class ScriptSettings(BaseModel):
    """Settings of the script of a mode for one page, as JSON. Each mode has a subclass with the fields that it reads.

    Elements are named by their tokens. Elements that scripts draw later get settings of the same kind.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: str
    """Name of the mode: the script reports and asks under it."""


class PressAnswer(BaseModel):
    """The answer to a script that asked about one press, as JSON. Each mode that answers has a subclass.

    The script finds the number of the press, from 0, beside it as `attempt`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


class Instruction(BaseModel):
    """What the script of a mode must know about one page."""

    model_config = ConfigDict(frozen=True)

    settings: ScriptSettings
    """Handed to the script."""
    planned: int
    """How many of the page's elements the mode is about to disturb."""
    narrowed: dict[str, Any] = Field(default_factory=dict)
    """Further settings while single injections are held back to find a cause; empty otherwise."""

    @property
    def told(self) -> dict[str, Any]:
        """All that the script is handed, as JSON."""
        # What is narrowed comes last: it takes the place of a setting, such as the dialog of a load.
        return {**self.settings.model_dump(mode="json"), **self.narrowed}


class Perturbation(BaseModel):
    """What a mode is: parameters with units, a severity table, and what it does to a page.

    A subclass sets `mode`, `stage`, `severities` and its parameters, and overrides `rewrite` (the document as served)
    or `instruct` (what the page's runtime must know), or both; `answer` where its script asks about every press. It
    never sees proxies, bytes or recordings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: ClassVar[str]
    stage: ClassVar[Stage]
    severities: ClassVar[Mapping[int, Mapping[str, float]]]
    script: ClassVar[Path | None] = None
    """The `.js` file that carries the perturbation into the live page, if it needs one."""
    parts: ClassVar[tuple[Path, ...]] = ()
    """Further `.js` files, each a function that the script is handed after its settings."""
    swallows: ClassVar[bool] = False
    """Whether a delivery stops a press or an entry, so that nothing happens; reports then show *clicked, no effect*."""
    by_attempt: ClassVar[bool] = True
    """Whether each attempt at a control has a draw of its own; if not, one draw decides about all of them.

    A script that draws in the page must heed `allowed` in its settings. If it is there, it says which attempts may be
    disturbed: by token, `[true, attempts]` for only these and `[false, attempts]` for all but these.
    """
    divisible: ClassVar[bool] = False
    """Whether `rewrite` or `instruct` ask `page.lets` about every place; if not, a page is rewritten whole or not."""

    @classmethod
    def at(cls, severity: int, **parameters: Any) -> "Perturbation":
        """Return the perturbation at a severity of its table, single parameters overridden."""
        return cls(**{**cls.severities[severity], **parameters})

    def rewrite(self, page: "Page", seeds: "Seeds") -> int:
        """Change the document before it is served and return how many places changed; the default changes nothing."""
        return 0

    def drawn(self, page: "Page", control: "Control | None", attempt: int, seeds: "Seeds") -> float | None:
        """Return the draw that decides about an attempt at a control, or about the load of a page (no control).

        It is disturbed if the draw is below the rate of the mode, the one parameter in its severity table. None if the
        mode never disturbs it; the default is for modes that do not disturb by a rate.
        """
        return None

    def would_hit(self, page: "Page", control: "Control", attempt: int, seeds: "Seeds") -> bool:
        """Return whether an action on a control of a clean page would meet the perturbation.

        `attempt` counts the actions on this control before, from 0. The default asks whether the page changes at all.
        """
        # This changes the page for good, so whoever asks must not serve the same page afterwards.
        return bool(self.rewrite(page, seeds))

    def would_greet(self, page: "Page", seeds: "Seeds") -> bool:
        """Return whether the load of a clean page would meet the perturbation; `page.loads` counts those before."""
        return False

    def restore(self, value: str) -> str:
        """Return what a form submits, a name or a value, as it would be without the perturbation."""
        return value

    def instruct(self, page: "Page", seeds: "Seeds") -> Instruction | None:
        """Return what the script must know about this page; None leaves the script out."""
        return None

    def answer(self, page: "Page", control: "Control", attempt: int, seeds: "Seeds") -> PressAnswer | None:
        """Return what the script is to do about one press on a control, which it asks for; None lets it pass.

        `attempt` counts the presses on this control that were asked about before, from 0.
        """
        return None
