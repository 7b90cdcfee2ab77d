"""The tester with one prompt, end to end: each answer of a scripted model leads to its cell of the matrix."""

import json
from pathlib import Path

import pytest

import stressweb as sw
from stressweb.plugins.agent import Brief, Observation
from stressweb.plugins.scripted_model import Exchange, ScriptedModel, act, say
from stressweb.runner.agents import build, parse
from stressweb.runner.agents.llm.request_options import RequestOptions
from stressweb.runner.agents.model import Model
from tests.runner.agents.scripted_tester import case_of

SAYS = {
    "cases/food/new-address": ('{"verdict": "pass"}', "TN"),
    "cases/food/third-fastest": ('Step 1 fails. {"verdict": "fail", "step": 1, "cause": "action"}', "FP"),
    "cases/food/third-fastest#F1": ('{"verdict": "pass"}', "FN"),
    "cases/food/third-fastest#F2": ('{"verdict": "fail", "step": 1, "cause": "assertion"}', "AFB"),
    "cases/food/third-fastest#F3": ('{"verdict": "fail", "step": 9, "cause": "assertion"}', "AFA"),
    "cases/food/new-address#F1": ('{"verdict": "fail", "step": 1, "cause": "assertion"}', "AFC"),
    "cases/food/new-address#F2": ("I cannot help with that.", "failing, no verdict"),
    "cases/food/cheapest-main": ("", "passing, no verdict"),
}
"""Last answer of the model for each case, and its cell given the truth. An empty answer stands for invalid actions."""


def judges(exchange: Exchange) -> None:
    """Scroll once, then give the planted answer for the case."""
    text = exchange.body["messages"][1]["content"][0]["text"]
    message, _ = SAYS[case_of(text, SAYS)]
    if not message:
        # An invalid action that contains a verdict.
        say('{"action_type": "{\\"verdict\\": \\"pass\\"}"}')(exchange)
    elif "Actions so far:\nnone" in text:
        say(act("SCROLL", delta=300))(exchange)
    else:
        say(act("DONE", message=message))(exchange)


@pytest.mark.audit
def test_answers_lead_to_their_cell(tmp_path: Path) -> None:
    with ScriptedModel(judges) as server:
        experiment = sw.Experiment(
            agents=["single-prompt"], model="scripted", base_url=server.url, tasks=[*SAYS], conditions=["clean"]
        )
        run = sw.run(experiment, runs_dir=tmp_path)
        episodes = run.episodes()
        bodies = server.bodies
    assert {(episode.task, episode.judged) for episode in episodes} == {
        (case, cell) for case, (_, cell) in SAYS.items()
    }
    assert all("You are a tester." in body["messages"][0]["content"] for body in bodies)
    row, *others = run.results()
    assert not others
    assert row.testing is not None
    # Each cell once in each of the two epochs.
    assert (row.testing.false_alarms, row.testing.missed, row.testing.no_verdict, row.testing.right) == (2, 2, 4, 4)
    assert row.testing.outcomes == {cell: 2 for _, cell in SAYS.values()}


def test_the_prompt_is_that_of_the_model_and_the_rules_of_a_tester() -> None:
    questions = {}
    for name in ("model(model=x)", "single-prompt(model=x)"):
        agent = build(parse(name))
        assert isinstance(agent, Model)
        agent.brief = Brief(goal="Run this test case.", start_url="http://toy.local/")
        questions[name] = agent.question(
            Observation(url="http://toy.local/", html="<p>Hello</p>"), [], RequestOptions()
        )
    plain, tester = questions.values()
    assert tester[0]["content"].startswith(plain[0]["content"])
    assert "VERIFIED" in tester[0]["content"]
    assert json.dumps(tester[1:]) == json.dumps(plain[1:])
