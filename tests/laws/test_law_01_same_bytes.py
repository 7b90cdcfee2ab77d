"""Law 1: one arm differs from the other only behind the proxy."""

import json
from collections.abc import Awaitable
from typing import Any

import pytest

from stressweb.html.annotated import html_for_agent
from stressweb.perturbations import MODES
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation
from stressweb.runner.agents import make
from stressweb.runner.agents.llm.prompt import observed
from tests.support.playing import Player

pytestmark = pytest.mark.long

CONDITIONS = ("clean", "sham", *(f"{mode}@3" for mode in MODES))
TASK = "shop/two-of-a-named-product"
VIEWS = ("dom", "tree")
"""The views of a page that a model may get."""
BUDGET = 250_000


class Spy(Agent):
    """Records its brief and its observations, and acts as another agent."""

    name = "spy"

    def __init__(self, plays: str = "naive") -> None:
        self.plays = make(plays)
        self.wants = self.plays.wants | {"screenshots", "tree", "boxes"}
        self.seen: list[Observation] = []

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self.plays.start(brief)

    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        self.seen.append(observation)
        return self.plays.act(observation)


class Scripted(Agent):
    """Does the actions that it got, then gives up."""

    name = "scripted"

    def __init__(self, *actions: Action, wants: frozenset[str] = frozenset()) -> None:
        self.wants = wants
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


@pytest.mark.sample(1)
@pytest.mark.parametrize("task", [TASK, "calendar/move-an-event"])
def test_sham_equals_clean_to_the_last_character_and_pixel(play: Player, task: str) -> None:
    """Document, tree, boxes, screenshots, prompts and recordings show nothing of the engine."""
    spies = {condition: Spy() for condition in ("clean", "sham")}
    records = {condition: play(spy, task, condition) for condition, spy in spies.items()}
    clean, sham = records["clean"], records["sham"]
    assert clean.grade == sham.grade
    assert clean.grade is not None
    assert clean.grade.success
    assert [step.outcome for step in clean.steps] == [step.outcome for step in sham.steps]
    assert [step.page.url for step in clean.steps] == [step.page.url for step in sham.steps]
    assert clean.final == sham.final
    for seen, shammed in zip(spies["clean"].seen, spies["sham"].seen, strict=True):
        assert shammed.html == seen.html
        assert shammed.tree == seen.tree
        assert shammed.boxes == seen.boxes
        assert shammed.screenshots == seen.screenshots
        assert [prompt_of(shammed, view) for view in VIEWS] == [prompt_of(seen, view) for view in VIEWS]
    # Keys and states too: the recorder's copy does not show a condition that changes nothing.
    assert [step.page.copy for step in sham.steps] == [step.page.copy for step in clean.steps]
    assert all(step.page.copy for step in clean.steps)
    assert sham.ledger == clean.ledger == []


def prompt_of(observation: Observation, view: str) -> str:
    """Return the prompt of the agent `model` for an observation, with screenshots, as it is sent."""
    return json.dumps(observed("A goal", observation, view, BUDGET, pictures=True))


@pytest.mark.sample(1)
@pytest.mark.parametrize("condition", [f"{mode}@5" for mode in ("remap", "failure")])
def test_what_disturbs_gestures_alone_is_not_seen_before_one(play: Player, condition: str) -> None:
    """Neither on the first page nor on one that is opened by its address."""
    address = Action(kind="NAVIGATE", url=f"http://{play.library.world('shop', 0).host}/all")
    spies = [Scripted(address, wants=frozenset({"screenshots", "tree", "boxes"})) for _ in range(2)]
    for spy, label in zip(spies, ("clean", condition), strict=True):
        play(spy, TASK, label)
    clean, stressed = ([prompt_of(observation, view) for observation in spy.seen for view in VIEWS] for spy in spies)
    assert stressed == clean


FAILING: dict[str, tuple[Action, str]] = {
    "not found": (Action(kind="CLICK", selector="#nowhere"), "not found"),
    "no field": (Action(kind="FILL", selector="#nowhere", text="x"), "not found"),
    "not a box": (Action(kind="CHECK", selector="h1"), "invalid"),
    "outside": (Action(kind="CLICK", x=5000, y=10), "invalid"),
    "nowhere to drag to": (Action(kind="DRAG", selector="h1", to_selector="#nowhere"), "not found"),
    "no such file": (Action(kind="UPLOAD", selector="h1", files=("a.txt",)), "invalid"),
    "no dialog": (Action(kind="DIALOG", accept=True), "not found"),
    "no such tab": (Action(kind="TAB", index=3), "not found"),
}


@pytest.mark.sample(1, "words")
@pytest.mark.parametrize("case", FAILING)
def test_an_action_fails_in_the_same_words_in_every_condition(play: Player, case: str) -> None:
    action, reason = FAILING[case]
    outcomes: dict[str, Any] = {}
    for condition in CONDITIONS:
        agent = Scripted(action)
        play(agent, TASK, condition)
        ((done, outcome),) = agent.seen[-1].history
        assert done == action
        assert not outcome.ok
        outcomes[condition] = outcome.model_dump()
    assert outcomes["clean"]["reason"] == reason
    assert all(reported == outcomes["clean"] for reported in outcomes.values()), outcomes


def test_the_harness_edits_no_observation(play: Player) -> None:
    agent = Scripted(Action(kind="WAIT", seconds=0))
    record = play(agent, TASK, "remap_explicit@3")
    assert [observation.html for observation in agent.seen] == [step.page.html for step in record.steps[:2]]
    # The recording adds to the observation and removes nothing.
    assert [html_for_agent(step.page.recorded) for step in record.steps[:2]] == [
        observation.html for observation in agent.seen
    ]
    assert "double click" in agent.seen[0].html
