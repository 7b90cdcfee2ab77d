"""All curves of a run: its figures, the missing ones, and independence of the order of episodes."""

import json
from dataclasses import asdict
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from stressweb.analysis.curves.measured import Curves, to_json
from stressweb.core.price import Price
from tests.stressweb.analysis.curves.small_runs import curves, severity_run, site_episode
from tests.stressweb.analysis.curves.whole_run import growing, whole


def test_a_run_that_has_everything_lacks_nothing() -> None:
    measured = curves(whole(), {"naive": Price(input=1, output=2), "resilient": Price(input=1, output=2)})
    assert measured.missing == []
    for agent in ("naive", "resilient"):
        assert [curve.mode for curve in measured.dose_responses if curve.agent == agent] == ["failure", "remap"]
        assert [interaction.condition for interaction in measured.interactions if interaction.agent == agent] == [
            "remap@2+failure@2"
        ]
        for rows in (measured.steps, measured.costs, measured.repeats):
            assert len([row for row in rows if row.agent == agent]) == 12
        assert len([row for row in measured.collapses if row.agent == agent]) == 11
        assert len([row for row in measured.difficulties if row.agent == agent]) == 12
    point = measured.dose_responses[0].points[0]
    assert point.pointwise.new_sites is not None
    assert point.band.new_sites is not None


@settings(max_examples=5)
@given(st.randoms(use_true_random=False))
def test_the_order_of_episodes_does_not_matter(random: Any) -> None:
    episodes = whole()
    measured = curves(episodes)
    random.shuffle(episodes)
    assert curves(episodes) == measured


def test_figures_are_plain_values() -> None:
    measured = curves(whole())
    text = json.dumps(to_json(measured))
    assert json.loads(text)["dose_responses"][0]["points"][0]["pointwise"]["these_sites"][0] < 0
    assert TypeAdapter(Curves).validate_python(json.loads(text)) == measured
    assert asdict(measured)["costs"][0]["tokens_in"] == 900 * 24


def test_trends_of_an_agent_are_adjusted_together() -> None:
    measured = curves(whole())
    for response in measured.dose_responses:
        assert response.trend is not None
        assert response.trend.p_value is not None
        assert response.trend.p_holm == min(1, 2 * response.trend.p_value)


def test_missing_figures_are_named() -> None:
    measured = curves(severity_run(growing, tasks=4, severities=(3,)))
    assert measured.missing == [
        "One severity only (remap@3): no trend and no tolerance; run --mode remap@1,remap@2,remap@3,remap@4,remap@5.",
        "With fewer than 5 tasks, no interval over tasks is computed.",
        "No interval for new sites: the run has 2 sites, and it needs 5.",
        "No pair of modes was run: no interaction.",
        "No task was repeated: no pass^k and no flips; run it with --epochs or --stress-seeds.",
        "No agent used tokens: no cost in tokens or dollars.",
    ]
    both = severity_run(growing) + severity_run(growing, mode="failure")[12:]
    assert "No pair of modes was run: no interaction; run --mode failure@1+remap@1." in curves(both).missing
    lone = curves([each_episode for each_episode in severity_run(growing) if each_episode.condition != "clean"])
    assert "No clean episodes of naive: nothing can be compared with clean." in lone.missing
    assert "No mode was run by itself with the parameters of its severities: no dose-response." in lone.missing


def test_an_empty_run_is_no_error() -> None:
    assert curves([]).dose_responses == []


def test_sham_and_custom_parameters_are_no_severities() -> None:
    episodes = severity_run(growing) + [
        site_episode(task, label, True) for label in ("sham", "remap@3(share=0.5)") for task in range(12)
    ]
    (response,) = curves(episodes).dose_responses
    assert [point.condition for point in response.points] == [f"remap@{severity}" for severity in range(1, 6)]
