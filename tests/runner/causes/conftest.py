"""A site of one page with planted causes, and agents that follow a list in the test."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from playwright.sync_api import Browser as Chromium

from scripts import waited
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell
from stressweb.runner.causes.recorded_episode import RecordedEpisode
from stressweb.runner.causes.stage import CauseStage
from stressweb.runner.registry import conditions
from stressweb.runner.world.world import World
from tests.runner.causes.planted_causes import STRICT, TASK, Planted, Presses, ToyLibrary
from tests.support.toy import PAGE, Toy


@pytest.fixture(scope="module")
def stage(browser: Chromium, world: World) -> CauseStage:
    """Stage that plays episodes on the toy site."""
    library = ToyLibrary(Toy(PAGE.replace("</main>", STRICT)))
    return waited.CauseStage(world, browser, Limits(max_steps=30), library, lambda record: None)


@pytest.fixture
def planted(stage: CauseStage) -> Planted:
    """`planted("failure(rate=1)", [SAVE])` plays an episode and returns it ready to be explained."""

    def _planted(
        label: str, todo: Sequence[Any], stress: int = 0, kind: Callable[..., Presses] = Presses, task: str = TASK
    ) -> RecordedEpisode:
        (condition,) = conditions(label)
        seed = stress if condition.drawn else None
        cell = Cell(agent="presses", task=task, condition=condition.label, world=0, stress=seed)
        record = stage.play(cell, condition, lambda: kind(todo))
        return RecordedEpisode(record, condition, Limits(max_steps=30), lambda: kind(todo), kind([]).deterministic)

    return _planted
