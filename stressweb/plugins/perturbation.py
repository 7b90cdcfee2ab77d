"""The base of every perturbation, and its table from severity to parameters."""

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
    """The stage of the agent's cycle at which a perturbation acts."""

    PERCEPTION = "perception"
    SEMANTIC = "semantic"
    EXECUTION = "execution"


def table(**columns: tuple[float, float, float, float, float]) -> Mapping[int, Mapping[str, float]]:
    """Return the parameters of severities 0 to 5; at 0 all parameters are 0."""
    # Added here, so that no mode can disturb anything at severity 0.
    severities: dict[int, dict[str, float]] = {0: dict.fromkeys(columns, 0.0)}
    for severity in range(1, 6):
        severities[severity] = {name: values[severity - 1] for name, values in columns.items()}
    return severities


class Perturbation(BaseModel):
    """The base of modes: parameters with units, a severity table, and the rule, which configures the mode's script.

    A subclass sets `mode`, `stage`, `severities` and its parameters, and implements `rule`. The script is JavaScript
    that runs in each document before the page's own scripts; only the script changes documents. A mode has no access to
    proxy, responses or recordings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: ClassVar[str]
    stage: ClassVar[Stage]
    severities: ClassVar[Mapping[int, Mapping[str, float]]]
    swallows: ClassVar[bool] = False
    """Whether a delivery suppresses a press or an entry; reports then show *clicked, no effect*."""

    @classmethod
    def at(cls, severity: int, **parameters: Any) -> "Perturbation":
        """Return the perturbation at a severity of its table, with some parameters overridden."""
        return cls(**{**cls.severities[severity], **parameters})

    def rule(self, seeds: "Seeds") -> "Rule":
        """Return the settings of the script, the same for each document of an episode."""
        raise NotImplementedError(f"mode {self.mode!r} has no rule")

    def restore(self, value: str) -> str:
        """Undo the perturbation's changes in a submitted name or value."""
        return value
