"""Difficulty of each task for one agent, undisturbed and disturbed."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import grouped, task_of
from stressweb.analysis.statistics import Interval, wilson
from stressweb.core.conditions import CLEAN, UNTESTED


@dataclass(frozen=True)
class Difficulty:
    """One task. Its intervals are for other episodes of this task, not for other tasks or sites."""

    agent: str
    site: str
    task: str
    clean_episodes: int
    clean_successes: int
    clean_success: float | None
    clean_interval: Interval
    """Wilson's 95 % interval."""
    stressed_episodes: int
    """Episodes under all disturbed conditions; all have the same weight."""
    stressed_successes: int
    stressed_success: float | None
    stressed_interval: Interval
    """Wilson's 95 % interval, for the same conditions. It is slightly too wide, because a fixed mixture of conditions
    varies less than independent draws."""


def difficulty(agent: str, episodes: Sequence[Graded]) -> list[Difficulty]:
    """Return the tasks of an agent, the hardest first, by success under clean, then under stress."""
    counted = [episode for episode in episodes if episode.counts]
    difficulties = [_of_task(agent, own) for own in grouped(counted, task_of).values()]
    return sorted(
        difficulties, key=lambda task: (_rank(task.clean_success), _rank(task.stressed_success), task.site, task.task)
    )


def _rank(rate: float | None) -> float:
    # Unknown rates are sorted last.
    return 2.0 if rate is None else rate


def _of_task(agent: str, episodes: Sequence[Graded]) -> Difficulty:
    clean = [episode.success for episode in episodes if episode.condition == CLEAN.label]
    # Without sham, which is neither clean nor stressed.
    stressed = [episode.success for episode in episodes if episode.condition not in UNTESTED]
    return Difficulty(
        agent=agent,
        site=episodes[0].site,
        task=episodes[0].task,
        clean_episodes=len(clean),
        clean_successes=sum(clean),
        clean_success=sum(clean) / len(clean) if clean else None,
        clean_interval=wilson(sum(clean), len(clean)),
        stressed_episodes=len(stressed),
        stressed_successes=sum(stressed),
        stressed_success=sum(stressed) / len(stressed) if stressed else None,
        stressed_interval=wilson(sum(stressed), len(stressed)),
    )
