"""Testers in whole runs: the oracle is always right, and the error rates of others under stress match the formula."""

import math
from pathlib import Path

import pytest

import stressweb as sw
from stressweb.analysis.tester_measures import passing_rate
from stressweb.runner import registry

RATE = 0.35
"""Share of actions that `failure@3` loses."""


@pytest.mark.audit
@pytest.mark.parametrize("site", registry.site_names())
def test_the_oracle_is_right_in_every_mode(site: str, tmp_path: Path) -> None:
    """Chosen by seed from all cases of a site, all modes, and severities 1, 3 and 5."""
    experiment = sw.Experiment(
        agents=["oracle"], tasks=[f"cases/{site}/*"], conditions=["all@1", "all@3", "all@5"], sample=40
    )
    episodes = sw.run(experiment, runs_dir=tmp_path).episodes()
    assert len(episodes) == 40
    wrong = [
        (episode.task, episode.condition, episode.judged, episode.tester_step)
        for episode in episodes
        if not episode.success
    ]
    assert wrong == []
    assert all(episode.grounded for episode in episodes)
    assert all(episode.ahead == 0 for episode in episodes)


@pytest.mark.audit
def test_lost_clicks_raise_false_alarms_at_the_computed_rate(tmp_path: Path) -> None:
    """Each of m actions is tried r times: a case passes with the chance (1 - p^r)^m."""
    tries = {"literal": 1, "retry(tries=2)": 2, "retry": 3}
    experiment = sw.Experiment(
        agents=[*tries], tasks=["cases/calendar/*"], exclude=["cases/calendar/*#*"], conditions=["failure@3"],
        stress_seeds=range(6), limit=6,
    )  # fmt: skip
    episodes = sw.run(experiment, runs_dir=tmp_path).episodes()
    for agent, tries_per_action in tries.items():
        own = [episode for episode in episodes if episode.agent == agent]
        # The last action is the verdict.
        actions = {episode.task: episode.steps - 1 for episode in own if episode.condition == "clean"}
        assert all(episode.success for episode in own if episode.condition == "clean")
        stressed = [episode for episode in own if episode.condition != "clean"]
        assert len(stressed) == 6 * len(actions) == 36
        assert all(episode.ahead == 0 for episode in own)
        chances = [passing_rate(RATE, tries_per_action, actions[episode.task]) for episode in stressed]
        spread = math.sqrt(sum(chance * (1 - chance) for chance in chances))
        passed = sum(episode.success for episode in stressed)
        assert abs(passed - sum(chances)) <= 4 * spread + 0.5, (agent, passed, sum(chances))
        alarms = [episode for episode in stressed if not episode.success]
        assert all(episode.tester_cause == "action" for episode in alarms)
        assert all(episode.tester_step in episode.disturbed_steps for episode in alarms)
