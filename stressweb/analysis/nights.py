"""Records of nights in the history."""

from collections.abc import Collection, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from stressweb.analysis.comparison import Comparison, Line
from stressweb.analysis.cusum import RECOVERED
from stressweb.analysis.regressions import REMAINING, Regression
from stressweb.core.words import counted, few

type Outcome = Literal[
    "baseline", "unchanged", "improved", "non-inferior", "inconclusive", "regressed", "not confirmed", "not comparable",
    "not run",
]  # fmt: skip
"""The final result of a night for an agent. baseline: later nights are compared with this one. regressed: the rerun
also shows a decline and the chart is above its threshold, or the regression of an earlier night is open. not confirmed:
the rerun did not confirm a suspicion. not run: this night left out an agent with an open regression. The others are the
verdict on robustness, as in `stressweb compare`."""
UNCOUNTED: tuple[Outcome, ...] = ("not comparable", "not run")
"""Outcomes of nights without information about an agent."""


class Record(BaseModel):
    """A record of the history; unknown fields are rejected."""

    # Rejects records of later versions, which may have fields that this version does not know.
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rerun(Record):
    """The rerun after a suspicion, with the fresh stress seed."""

    run: str
    robustness: Line
    clean: Line


class AgentNight(Record):
    """The result of one night for one agent."""

    baseline: str
    """The agent's name in the baseline."""
    agent: str
    outcome: Outcome
    # The night that records a baseline compares nothing, so the following fields are optional.
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
    """Total of the robustness chart after this night and its rerun; 0 after an alarm."""
    clean_sum: float = 0.0
    """Total of the clean chart, likewise."""
    highest_sum: float = 0.0
    """The higher total before an alarm reset it, which was compared with the threshold."""
    failing: dict[str, tuple[str, ...]] = {}
    """Newly failing tasks, with the commands that run them again."""
    open: dict[str, Regression] = {}
    """Open regressions after this night, by line."""
    opened: tuple[str, ...] = ()
    """Lines with an alarm on this night."""
    closed: dict[str, int] = {}
    """Regressions that this night closed, by line: the number of the night that opened them."""

    @property
    def outcome_text(self) -> str:
        """The outcome for readers, with the night that opened a regression that is still open or is now closed."""
        text = f"unchanged ({self.cells})" if self.outcome == "unchanged" else self.outcome
        if self.open and not self.opened:
            since = f"since night {min(regression.since for regression in self.open.values())}"
            return f"{text} {since}" if self.outcome == "regressed" else f"{text}; regressed {since}"
        return f"{text}; the regression of night {min(self.closed.values())} is gone" if self.closed else text

    def open_text(self, left_out: Collection[str] = ()) -> list[str]:
        """Return a sentence for each open regression; tasks that are `left_out` can no longer be compared."""
        return [_open_text(line, regression, left_out) for line, regression in self.open.items()]

    @property
    def regressed(self) -> bool:
        """Whether a regression is open after this night."""
        return bool(self.open)

    @staticmethod
    def of(comparison: Comparison) -> Mapping[str, object]:
        """Return the fields from a comparison."""
        return {
            **{name: getattr(comparison, name) for name in _SAME},
            "by_condition": {label: line.change for label, line in comparison.by_condition.items()},
        }


def _open_text(line: str, regression: Regression, left_out: Collection[str]) -> str:
    removed = set(regression.tasks) & set(left_out)
    unseen = [task for task in regression.unseen if task not in removed]
    if len(removed) > (1 - REMAINING) * len(regression.tasks):
        lost = f"{len(removed)} of the {len(regression.tasks)} tasks that failed then cannot be compared any more"
        return f"{line} regressed on night {regression.since}; {lost}, so no night can show that it is gone: {ACCEPT}"
    waits = (
        f"; {len(unseen)} of the {len(regression.tasks)} tasks that failed then have not run since" if unseen else ""
    )
    evidence = f"evidence that it is gone: {regression.recovery:.1f}, more than {RECOVERED:g} is needed"
    return f"{line} regressed on night {regression.since}; {evidence}{waits}; {ACCEPT}"


ACCEPT = "--new-baseline accepts it"
_SAME = ("baseline", "agent", "blocks", "complete", "cells", "equal", "robustness", "clean")


CURE = "--new-baseline takes everything in as it is now"


class LeftOut(Record):
    """Parts of the baseline that a night cannot compare and leaves out, because they have changed."""

    asked: int = 0
    """Number of tasks of the baseline that the nights take turns with."""
    changed: tuple[str, ...] = ()
    """Tasks whose text, checks, site or modes have changed."""
    removed: tuple[str, ...] = ()
    """Tasks that no longer exist."""
    broken: dict[str, str] = {}
    """Tasks that cannot be loaded, with the reason."""
    new: tuple[str, ...] = ()
    """Tasks that the baseline does not have."""
    conditions: tuple[str, ...] = ()
    """Conditions that have changed for every task."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The baseline's tasks that are left out."""
        return (*self.changed, *self.removed, *self.broken)

    def __str__(self) -> str:
        """Return the parts that are left out, and how to include them again; "" if there are none."""
        parts = self._parts()
        return f"{'; '.join(parts)}; {CURE}" if parts else ""

    def _parts(self) -> list[str]:
        groups = [
            (self.changed, f"changed since the baseline, of {self.asked}"),
            (self.removed, "no longer there"),
            *(
                (self._broken_by(reason), f"cannot be loaded, {reason}")
                for reason in dict.fromkeys(self.broken.values())
            ),
            (self.new, "not in the baseline"),
        ]
        parts = [f"{counted(len(tasks), 'task')} {why} ({few(tasks)})" for tasks, why in groups if tasks]
        return parts + ([f"{', '.join(self.conditions)} changed since the baseline"] if self.conditions else [])

    def _broken_by(self, reason: str) -> tuple[str, ...]:
        return tuple(task for task, why in self.broken.items() if why == reason)


class Night(Record):
    """One night."""

    number: int
    """Number of the night, from 0, including nights that recorded a baseline."""
    date: str
    run: str
    """Name of its run; empty if nothing was run."""
    baseline: str
    """Name of the run with which it is compared; its own name if it recorded the baseline."""
    tasks: int
    agents: tuple[AgentNight, ...]
    refused: str = ""
    """Why nothing was run; empty otherwise."""
    left_out: LeftOut = LeftOut()
    accepted: dict[str, int] = {}
    """Open regressions that a new baseline ended, by agent: the number of the night that opened them."""
