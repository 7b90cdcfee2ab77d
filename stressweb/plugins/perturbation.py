"""The base of every perturbation: its parts, and the table from severity to parameters."""

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from stressweb.core.draws import Seeds
    from stressweb.plugins.rule import Rule

type Rate = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1."""


class Stage(Enum):
    """Where in the agent's cycle a perturbation acts."""

    PERCEPTION = "perception"
    SEMANTIC = "semantic"
    EXECUTION = "execution"


def table(**columns: tuple[float, float, float, float, float]) -> Mapping[int, Mapping[str, float]]:
    """Return the parameters of severities 0 to 5; at 0 every rate is 0."""
    # Severity 0 is added here, so that no mode's table can disturb anything at it.
    severities: dict[int, dict[str, float]] = {0: dict.fromkeys(columns, 0.0)}
    for severity in range(1, 6):
        severities[severity] = {name: values[severity - 1] for name, values in columns.items()}
    return severities


class Perturbation(BaseModel):
    """What a mode is: parameters with units, a severity table, and the rule by which its script disturbs a page.

    A subclass sets `mode`, `stage`, `severities` and its parameters, and makes its `rule`. The script is JavaScript
    that runs in each document before any of the page's own; the program never changes a document. A mode never sees
    proxies, bytes or recordings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: ClassVar[str]
    stage: ClassVar[Stage]
    severities: ClassVar[Mapping[int, Mapping[str, float]]]
    swallows: ClassVar[bool] = False
    """Whether a delivery stops a press or an entry, so that nothing happens; reports then show *clicked, no effect*."""

    @classmethod
    def at(cls, severity: int, **parameters: Any) -> "Perturbation":
        """Return the perturbation at a severity of its table, single parameters overridden."""
        return cls(**{**cls.severities[severity], **parameters})

    def rule(self, seeds: "Seeds") -> "Rule":
        """Return the settings of the script, the same for each document of an episode."""
        raise NotImplementedError(f"mode {self.mode!r} has no rule")

    def restore(self, value: str) -> str:
        """Return what a form submits, a name or a value, as it would be without the perturbation."""
        return value
