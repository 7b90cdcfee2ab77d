"""Testers in whole runs: clean, each verdict is known; under stress, the oracle is right, and others err by the formula."""

import math
from pathlib import Path

import pytest

import stressweb as sw
from stressweb.analysis.tester_measures import passing_rate
from stressweb.cases.execution import truths
from stressweb.core.task_id import TaskId
from stressweb.core.verdict import Truth
from stressweb.plugins.test_case import TestCase
from stressweb.runner import registry
from stressweb.walking.walker import Walker

RATE = 0.35
"""Share of actions that `failure@3` loses."""


SITE = "food"
LIBRARY = registry.Library()


def unchecked(case: TestCase) -> Truth:
    """Return the truth of a case without its expected results: only an impossible action fails it."""
    task = TaskId.read(case.id).task
    steps = tuple(step.model_copy(update={"check": None}) for step in case.steps)
    walker = Walker(LIBRARY.world_of(case.id, 0), offers=LIBRARY.goal(task, 0).offers)
    (truth,) = truths(walker, [case.model_copy(update={"steps": steps})])
    return truth


@pytest.mark.audit
@pytest.mark.timeout(3600)
def test_each_tester_gives_the_verdict_that_its_rule_implies(tmp_path: Path) -> None:
    cases = {name: case for name in LIBRARY.cases(SITE) if (case := LIBRARY.goal(name, 0).case)}
    expected = {
        **{agent: {name: case.truth for name, case in cases.items()} for agent in ("oracle", "retry", "literal")},
        "gullible": {name: unchecked(case) for name, case in cases.items()},
        "always-pass": dict.fromkeys(cases, Truth(verdict="pass")),
        "always-fail": dict.fromkeys(cases, Truth(verdict="fail", step=1)),
    }
    experiment = sw.Experiment(agents=[*expected], tasks=[f"cases/{SITE}/*"], conditions=["clean"])
    episodes = sw.run(experiment, runs_dir=tmp_path).episodes()
    assert len(episodes) == len(expected) * len(cases)
    wrong = []
    for episode in episodes:
        truth = expected[episode.agent][episode.task]
        if (episode.tester_verdict, episode.tester_step) != (truth.verdict, truth.step):
            wrong.append((episode.agent, episode.task, truth, episode.tester_verdict, episode.tester_step))
    assert wrong == []


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
