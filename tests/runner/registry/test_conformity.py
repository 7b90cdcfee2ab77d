"""Conformity in whole episodes: the count of steps ahead is exact, and 0 for agents that follow the script."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from stressweb.core.verdict import Verdict
from stressweb.log.recording import EpisodeRecord
from stressweb.log.store import Store
from stressweb.perception.dom_view import DomView
from stressweb.perception.targets import targets
from stressweb.perturbations import MODES
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation
from stressweb.runner.agents.script import plain
from stressweb.runner.agents.testers import verdict_action
from stressweb.runner.outcome.regrading import regrade
from stressweb.runner.world.world import World
from tests.support.plans import meta
from tests.support.playing import Player

FASTEST = "cases/food/third-fastest"
"""Its third step, a press, can precede the second, which fills in fields above that button."""


class Unordered(Agent):
    """Agent that does the steps of a case in a chosen order."""

    name = "unordered"
    takes = frozenset({"cases"})
    follows_program = True
    wants = frozenset({"boxes"})

    def __init__(self, order: Sequence[int]) -> None:
        self._order = order

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._left = [action for number in self._order for action in brief.case_steps[number - 1].steps]

    def act(self, observation: Observation) -> Action:
        if not self._left:
            return verdict_action(Verdict(verdict="pass"))
        page, step = DomView(observation), self._left.pop(0)
        return plain(page, step, targets(page, step)[0])


@pytest.fixture(scope="module")
def player(browser: Browser, world: World) -> Player:
    return Player(browser, world)


def ahead(record: EpisodeRecord) -> tuple[int, ...] | None:
    assert record.grade is not None
    assert record.grade.judgement is not None
    return record.grade.judgement.ahead


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("order", "numbers"), [((1, 2, 3), ()), ((1, 3, 2, 3), (2,)), ((1, 3, 3, 2), (2, 3)), ((1, 3), (2,))]
)
def test_planted_steps_ahead_are_counted(player: Player, order: Sequence[int], numbers: tuple[int, ...]) -> None:
    assert ahead(player(Unordered(order), FASTEST)) == numbers


def test_grading_again_from_the_recording_counts_the_same(player: Player, tmp_path: Path) -> None:
    record = player(Unordered((1, 3, 2, 3)), FASTEST)
    with Store.create(tmp_path / "run.db", meta([record.cell]), [record.cell]) as store:
        store.save(record)
        again = regrade(store, graded=True)
    assert not again.changed
    assert [episode.ahead for episode in again.graded] == [1]


@pytest.mark.audit
@pytest.mark.parametrize("condition", ["clean", *(f"{mode}@3" for mode in MODES)])
@pytest.mark.parametrize("agent", ["oracle", "retry", "literal"])
def test_testers_that_look_keep_to_the_script_in_every_mode(player: Player, agent: str, condition: str) -> None:
    assert ahead(player(agent, "cases/food/cheapest-main#F1", condition)) == ()
