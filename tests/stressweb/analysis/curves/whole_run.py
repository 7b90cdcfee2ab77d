"""A run with figures for every section of the curves."""

from typing import Any

from stressweb.analysis.graded import Graded
from tests.stressweb.analysis.curves.small_runs import severity_run, site_episode


def growing(task: int, severity: int) -> bool:
    return task < 2 * severity


def whole() -> list[Graded]:
    """Return a run with figures for every section: two agents, six sites, two modes, a pair, repeats, tokens."""
    episodes = []
    for agent, epoch in (("naive", 0), ("naive", 1), ("resilient", 0), ("resilient", 1)):
        changes: dict[str, Any] = {"agent": agent, "epoch": epoch, "tokens_in": 900, "tokens_out": 90, "repeats": epoch}
        for mode in ("remap", "failure"):
            episodes += severity_run(
                growing if agent == "naive" else lambda task, severity: False, mode=mode, **changes
            )
        episodes += [site_episode(task, "remap@2+failure@2", task > 6, task % 2, **changes) for task in range(12)]
    return [
        each_episode.model_copy(update={"site": f"s{int(each_episode.task[-1]) % 6}"})
        for each_episode in {(e.agent, e.task, e.condition, e.epoch): e for e in episodes}.values()
    ]
