"""A page that a goal wants left open counts in any tab, however the agent got there."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from playwright.sync_api import Browser

from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Brief, Observation
from stressweb.runner.agents.naive import Naive
from stressweb.runner.world.world import World
from tests.support.playing import Player, summary_of

TASKS = [
    "calendar/day-view",
    "calendar/week-view",
    "food/latest-receipt",
    "food/third-fastest",
    "mail/find-by-sender-and-day",
    "mail/second-latest-sent",
]
"""Two tasks each of three sites: the goal is a page left open, and the last step follows a link to it."""

TO_FIRST, TO_SECOND = {"kind": "TAB", "index": 0}, {"kind": "TAB", "index": 1}
HOME, BACK = {"kind": "CLICK", "selector": "a[href='/']"}, {"kind": "GO_BACK"}


class Wanderer(Naive):
    """Follows the trajectory, optionally opens the last page in a new tab, and performs further actions."""

    name = "wanderer"

    def __init__(self, afterwards: Sequence[dict[str, Any]], *, in_new_tab: bool) -> None:
        self._afterwards = [Action.model_validate(action) for action in afterwards]
        self._in_new_tab = in_new_tab

    def start(self, brief: Brief) -> None:
        """Reset the count of tabs."""
        super().start(brief)
        self.tabs = 0

    def act(self, observation: Observation) -> Action:
        """Return the next action; Control+Enter opens a link in a new tab, like Control+click."""
        self.tabs = max(self.tabs, len(observation.tabs))
        action = super().act(observation)
        if action.final and self._afterwards:
            return self._afterwards.pop(0)
        if not action.final and not self._remaining and self._in_new_tab:
            return Action(kind="PRESS", selector=action.selector, key="Control+Enter")
        return action


@pytest.fixture(scope="module")
def play(browser: Browser, world: World) -> Iterator[Player]:
    player = Player(browser, world)
    yield player
    player.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("afterwards", "in_new_tab", "passes"),
    [
        pytest.param((), True, True, id="second tab"),
        pytest.param((TO_FIRST, TO_SECOND), True, True, id="back in the second tab"),
        pytest.param((TO_FIRST, HOME, {"kind": "CLOSE_TAB"}), True, True, id="first tab used and closed"),
        pytest.param((TO_FIRST,), True, True, id="first tab in front"),
        pytest.param((HOME, BACK), False, True, id="back button"),
        pytest.param((BACK, {"kind": "GO_FORWARD"}), False, True, id="back and forward"),
        pytest.param((BACK,), False, False, id="left by the back button"),
    ],
)
@pytest.mark.parametrize("task", TASKS)
def test_a_page_that_is_open_at_the_end_counts(
    play: Player, task: str, afterwards: Sequence[dict[str, Any]], in_new_tab: bool, passes: bool
) -> None:
    agent = Wanderer(afterwards, in_new_tab=in_new_tab)
    record = play(agent, task)
    assert record.grade is not None
    assert (agent.tabs == 2) is in_new_tab, summary_of(record)
    assert all(step.outcome is None or step.outcome.ok for step in record.steps), summary_of(record)
    assert record.grade.success is passes, summary_of(record)
