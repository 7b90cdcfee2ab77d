"""All curves of a run: what it has, what it lacks, and that nothing depends on the order of episodes."""

import json
from dataclasses import asdict
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from stressweb.analysis.curves.costs import Price
from stressweb.analysis.curves.measured import Curves, to_json
from stressweb.analysis.graded import Graded
from tests.stressweb.analysis.curves.making import at, curves, severe


def growing(task: int, severity: int) -> bool:
    return task < 2 * severity


def whole() -> list[Graded]:
    """Return a run that has something for every section: two agents, six sites, two modes, a pair, repeats, tokens."""
    found = []
    for agent, epoch in (("naive", 0), ("naive", 1), ("resilient", 0), ("resilient", 1)):
        changes: dict[str, Any] = {"agent": agent, "epoch": epoch, "tokens_in": 900, "tokens_out": 90, "repeats": epoch}
        for mode in ("remap", "failure"):
            found += severe(growing if agent == "naive" else lambda task, severity: False, mode=mode, **changes)
        found += [at(task, "remap@2+failure@2", task > 6, task % 2, **changes) for task in range(12)]
    return [
        one.model_copy(update={"site": f"s{int(one.task[-1]) % 6}"})
        for one in {(e.agent, e.task, e.condition, e.epoch): e for e in found}.values()
    ]


def test_a_run_that_has_everything_lacks_nothing() -> None:
    found = curves(whole(), {"naive": Price(1, 2), "resilient": Price(1, 2)})
    assert found.missing == []
    for agent in ("naive", "resilient"):
        assert [one.mode for one in found.dose_responses if one.agent == agent] == ["failure", "remap"]
        assert [one.condition for one in found.interactions if one.agent == agent] == ["remap@2+failure@2"]
        for rows in (found.steps, found.costs, found.repeats):
            assert len([one for one in rows if one.agent == agent]) == 12  # type: ignore[attr-defined]
        assert len([one for one in found.collapses if one.agent == agent]) == 11
        assert len([one for one in found.difficulties if one.agent == agent]) == 12
    point = found.dose_responses[0].points[0]
    assert point.pointwise.new_sites is not None
    assert point.band.new_sites is not None


@settings(max_examples=5)
@given(st.randoms(use_true_random=False))
def test_the_order_of_episodes_does_not_matter(random: Any) -> None:
    episodes = whole()
    found = curves(episodes)
    random.shuffle(episodes)
    assert curves(episodes) == found


def test_figures_are_plain_values() -> None:
    found = curves(whole())
    text = json.dumps(to_json(found))
    assert json.loads(text)["dose_responses"][0]["points"][0]["pointwise"]["these_sites"][0] < 0
    assert TypeAdapter(Curves).validate_python(json.loads(text)) == found
    assert asdict(found)["costs"][0]["tokens_in"] == 900 * 24


def test_trends_of_an_agent_are_adjusted_together() -> None:
    found = curves(whole())
    for one in found.dose_responses:
        assert one.trend is not None
        assert one.trend.p_holm == min(1, 2 * one.trend.p_value)


def test_what_is_missing_is_said() -> None:
    found = curves(severe(growing, tasks=4, severities=(3,)))
    assert found.missing == [
        "One severity only (remap@3): no trend and no tolerance; run --mode remap@1,remap@2,remap@3,remap@4,remap@5.",
        "With fewer than 5 tasks, no interval over tasks is computed.",
        "No interval speaks of new sites: the run has 2 sites, and it takes 5.",
        "No pair of modes was run: no interaction.",
        "No task was repeated: no pass^k and no flips; run it with --epochs or --stress-seeds.",
        "No agent read or wrote tokens: there are no tokens and no dollars to count.",
    ]
    both = severe(growing) + severe(growing, mode="failure")[12:]
    assert "No pair of modes was run: no interaction; run --mode failure@1+remap@1." in curves(both).missing
    lone = curves([one for one in severe(growing) if one.condition != "clean"])
    assert "No clean episodes of naive: nothing can be compared with clean." in lone.missing
    assert "No mode was run by itself with the parameters of its severities: no dose-response." in lone.missing


def test_nothing_at_all_is_no_error() -> None:
    assert curves([]).dose_responses == []


def test_sham_and_parameters_of_ones_own_are_no_severities() -> None:
    episodes = severe(growing) + [
        at(task, label, True) for label in ("sham", "remap@3(share=0.5)") for task in range(12)
    ]
    (found,) = curves(episodes).dose_responses
    assert [point.condition for point in found.points] == [f"remap@{severity}" for severity in range(1, 6)]
