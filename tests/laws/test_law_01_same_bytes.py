"""Law 1: one arm differs from the other only behind the proxy."""

from typing import Any

import pytest

from perturbations import MODES
from runner.agents import make
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation
from tests.laws.playing import Player

pytestmark = pytest.mark.long

CONDITIONS = ("clean", "sham", *(f"{mode}@3" for mode in MODES))
TASK = "shop/two-of-a-named-product"


class Spy(Agent):
    """Writes down its brief and its observations, and plays another agent's part."""

    name = "spy"

    def __init__(self, plays: str = "naive") -> None:
        self.plays = make(plays)
        self.wants = self.plays.wants | {"screenshots", "tree"}
        self.seen: list[Observation] = []

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self.plays.start(brief)

    def act(self, observation: Observation) -> Action:
        self.seen.append(observation)
        return self.plays.act(observation)


class Told(Agent):
    """Does what it is told, then gives up."""

    name = "told"

    def __init__(self, *actions: Action) -> None:
        self.actions = [*actions, Action(kind="FAIL")]
        self.seen: list[Observation] = []

    def act(self, observation: Observation) -> Action:
        self.seen.append(observation)
        return self.actions.pop(0)


@pytest.mark.sample(1, "words")
def test_the_brief_is_the_same_in_every_condition(play: Player) -> None:
    briefs = []
    for condition in CONDITIONS:
        spy = Spy("null")
        play(spy, TASK, condition)
        briefs.append(spy.brief)
    assert briefs == [briefs[0]] * len(briefs)


def test_sham_equals_clean_to_the_last_pixel(play: Player) -> None:
    spies: dict[str, Spy] = {}
    records = {}
    for condition in ("clean", "sham"):
        spies[condition] = Spy()
        records[condition] = play(spies[condition], TASK, condition)
    clean, sham = records["clean"], records["sham"]
    assert clean.grade == sham.grade
    assert clean.grade is not None
    assert clean.grade.success
    assert [step.outcome for step in clean.steps] == [step.outcome for step in sham.steps]
    assert [step.page.url for step in clean.steps] == [step.page.url for step in sham.steps]
    assert clean.final == sham.final
    assert [one.tree for one in spies["clean"].seen] == [one.tree for one in spies["sham"].seen]
    assert [one.screenshots for one in spies["clean"].seen] == [one.screenshots for one in spies["sham"].seen]
    assert sham.ledger == []


FAILING: dict[str, tuple[Action, str]] = {
    "not found": (Action(kind="CLICK", selector="#nowhere"), "not found"),
    "no field": (Action(kind="FILL", selector="#nowhere", text="x"), "not found"),
    "not a box": (Action(kind="CHECK", selector="h1"), "invalid"),
    "outside": (Action(kind="CLICK", x=5000, y=10), "invalid"),
    "nowhere to drag to": (Action(kind="DRAG", selector="h1", to_selector="#nowhere"), "not found"),
    "no file field": (Action(kind="UPLOAD", selector="h1", name="a.txt", text=""), "invalid"),
    "no dialog": (Action(kind="DIALOG", accept=True), "not found"),
    "no such tab": (Action(kind="TAB", index=3), "not found"),
}


@pytest.mark.sample(1, "words")
@pytest.mark.parametrize("case", FAILING)
def test_an_action_fails_in_the_same_words_in_every_condition(play: Player, case: str) -> None:
    action, reason = FAILING[case]
    told: dict[str, Any] = {}
    for condition in CONDITIONS:
        agent = Told(action)
        play(agent, TASK, condition)
        ((done, outcome),) = agent.seen[-1].history
        assert done == action
        assert not outcome.ok
        told[condition] = outcome.model_dump()
    assert told["clean"]["reason"] == reason
    assert all(one == told["clean"] for one in told.values()), told


def test_the_harness_edits_no_observation(play: Player) -> None:
    agent = Told(Action(kind="WAIT", seconds=0))
    record = play(agent, TASK, "remap_explicit@3")
    assert [one.html for one in agent.seen] == [step.page.html for step in record.steps[:2]]
    assert "double click" in agent.seen[0].html
