"""Difficulty of each task for one agent, undisturbed and disturbed."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import grouped, task_of
from stressweb.analysis.statistics import Interval, wilson
from stressweb.core.conditions import CLEAN, UNTESTED


@dataclass(frozen=True)
class Difficulty:
    """One task. Its intervals are about other episodes of this task, not about other tasks or sites."""

    agent: str
    site: str
    task: str
    clean_episodes: int
    clean_successes: int
    clean_success: float | None
    clean_interval: Interval
    """95 %, Wilson's."""
    stressed_episodes: int
    """Under all conditions that disturb anything, each episode with the same weight."""
    stressed_successes: int
    stressed_success: float | None
    stressed_interval: Interval
    """95 %, Wilson's; for the same conditions. A mixture of conditions varies less, so it is a little too wide."""


def difficulty(agent: str, episodes: Sequence[Graded]) -> list[Difficulty]:
    """Return the tasks of an agent, the hardest first: by success under clean, then under stress."""
    counted = [episode for episode in episodes if episode.counts]
    difficulties = [_of_task(agent, own) for own in grouped(counted, task_of).values()]
    # A task without clean episodes comes last, because nothing is known of it.
    return sorted(
        difficulties, key=lambda task: (_known(task.clean_success), _known(task.stressed_success), task.site, task.task)
    )


def _known(rate: float | None) -> float:
    # Above every rate, so that unknown rates are sorted last.
    return 2.0 if rate is None else rate


def _of_task(agent: str, episodes: Sequence[Graded]) -> Difficulty:
    clean = [episode.success for episode in episodes if episode.condition == CLEAN.label]
    # Sham rewrites pages without disturbing them, so it is neither.
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
