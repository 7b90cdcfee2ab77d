"""The agent `model` on test cases, end to end: every clear form of a verdict counts."""

import json
from pathlib import Path

import pytest

import stressweb as sw
from stressweb.plugins.scripted_model import Exchange, ScriptedModel, act, say
from tests.runner.agents.scripted_tester import case_of

BARE = json.dumps({"verdict": "pass"})
OBJECT = act("DONE", message={"verdict": "fail", "step": 1, "cause": "assertion"})
UNCLEAR = json.dumps({"verdict": "perhaps"})
SAYS = {
    "cases/food/new-address": (BARE, "TN"),
    "cases/food/new-address#F1": (OBJECT, "AFC"),
    "cases/food/third-fastest": (UNCLEAR, "passing, no verdict"),
}


def judges(exchange: Exchange) -> None:
    """Scroll once, then give the planted answer."""
    text = exchange.body["messages"][1]["content"][0]["text"]
    message, _ = SAYS[case_of(text, SAYS)]
    say(act("SCROLL", delta=300) if "Actions so far:\nnone" in text else message)(exchange)


@pytest.mark.audit
def test_a_verdict_counts_in_every_clear_form(tmp_path: Path) -> None:
    with ScriptedModel(judges) as server:
        experiment = sw.Experiment(
            agents=["model"], model="scripted", base_url=server.url, tasks=[*SAYS], conditions=["clean"], epochs=1
        )
        run = sw.run(experiment, runs_dir=tmp_path)
        episodes = run.episodes()
        bodies = server.bodies
    assert {(episode.task, episode.judged) for episode in episodes} == {
        (case, cell) for case, (_, cell) in SAYS.items()
    }
    # The two wrapped answers are counted; the unclear one goes back with an example.
    assert {episode.task: (episode.unwrapped, episode.rejected) for episode in episodes} == {
        "cases/food/new-address": (1, 0),
        "cases/food/new-address#F1": (1, 0),
        "cases/food/third-fastest": (0, 3),
    }
    returned = [body["messages"][-1]["content"] for body in bodies if len(body["messages"]) > 2]
    assert returned
    assert all("a verdict is given like this" in text for text in returned)
