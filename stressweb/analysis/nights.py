"""The records of nights in the history."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from stressweb.analysis.comparison import Comparison, Line

type Outcome = Literal[
    "baseline", "unchanged", "improved", "non-inferior", "inconclusive", "regressed", "not confirmed", "not comparable"
]
"""The final result of a night for an agent. baseline: later nights are compared with this one. regressed: the rerun
shows a decline as well, and the chart is above its threshold with it. not confirmed: a suspicion that the rerun did not
confirm. The others are the verdict on robustness, as `stressweb compare` gives it."""


class Record(BaseModel):
    """A record of the history; unknown fields are rejected."""

    # A line that a later version wrote must not be read without the fields that this version does not know.
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rerun(Record):
    """The rerun after a suspicion, on the fresh stress seed."""

    run: str
    robustness: Line
    clean: Line


class AgentNight(Record):
    """What one night found about one agent."""

    baseline: str
    """The agent's name in the baseline."""
    agent: str
    outcome: Outcome
    # The night that records a baseline compares nothing, so the fields from here on may be left out.
    blocks: int = 0
    complete: int = 0
    cells: int = 0
    equal: int = 0
    robustness: Line | None = None
    clean: Line | None = None
    by_condition: dict[str, float | None] = {}
    """Change of robustness under each condition alone; exploratory."""
    rerun: Rerun | None = None
    robustness_sum: float = 0.0
    """Total of the chart of robustness after this night, its rerun included; 0 after an alarm."""
    clean_sum: float = 0.0
    """Total of the chart of clean."""
    highest_sum: float = 0.0
    """The higher total before an alarm reset it: this one was compared with the threshold."""
    failing: dict[str, tuple[str, ...]] = {}
    """By task that newly fails, the commands that run it again."""

    @property
    def outcome_text(self) -> str:
        """The outcome as a reader sees it: if all cells are equal, with their number."""
        return f"unchanged ({self.cells})" if self.outcome == "unchanged" else self.outcome

    @staticmethod
    def of(found: Comparison) -> Mapping[str, object]:
        """Return the fields that a comparison gives."""
        return {
            **{name: getattr(found, name) for name in _SAME},
            "by_condition": {label: line.change for label, line in found.by_condition.items()},
        }


_SAME = ("baseline", "agent", "blocks", "complete", "cells", "equal", "robustness", "clean")


class Night(Record):
    """One night."""

    number: int
    """From 0; the night that recorded a baseline has a number, too."""
    date: str
    run: str
    """Name of its run."""
    baseline: str
    """Name of the run with which it is compared; its own name if it recorded the baseline."""
    tasks: int
    agents: tuple[AgentNight, ...]
