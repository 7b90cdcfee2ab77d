"""The effect of one injection: an episode goes on with it and without."""

from collections import Counter
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from runner.causes.fork import check_step, fork
from runner.causes.found import Found
from scripts.waited import Stage
from stressweb.core.errors import UserError
from stressweb.log.recording import EpisodeRecord
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Observation
from tests.runner.causes.conftest import AGREE, NAME, SAVE, Planted, Presses

REMAP = "remap(share=1)"
TODO: list[Any] = [(NAME, "lamp"), SAVE, AGREE]


class Recalls(Presses):
    """Is asked only when it goes on, and knows from the history where it is; tells at which steps it was asked."""

    deterministic = False
    asked: ClassVar[list[int]] = []

    def act(self, observation: Observation) -> Action:
        """Do the next thing."""
        self._at = len(observation.history) - 1
        self.asked.append(len(observation.history))
        return super().act(observation)


def go(found: Found, stage: Stage, step: int, repeats: int = 1) -> str:
    return str(fork(found, step, stage, repeats, lambda said: None))


@pytest.mark.sample(1, "forks")
def test_the_effect_of_an_injection_that_breaks(planted: Planted, stage: Stage) -> None:
    found = planted(REMAP, TODO)
    effect = "step 2: with remap of button 'Save it', 0 of 1 passed; without it, 1 of 1 passed"
    assert go(found, stage, 2) == effect
    assert go(found, stage, 3).startswith("step 3: with remap of checkbox 'Agree', 0 of 1 passed; without it, 0 of 1")


@pytest.mark.sample(1, "forks")
def test_an_agent_that_is_not_deterministic_is_asked_from_there_on(planted: Planted, stage: Stage) -> None:
    found = planted(REMAP, TODO, kind=Recalls)
    Recalls.asked.clear()
    assert "0 of 2 passed; without it, 2 of 2 passed" in go(found, stage, 2, repeats=2)
    # The last press and the end, in each of four parts, or more often where a try broke off; what is replayed asks nobody.
    assert set(Recalls.asked) == {2, 3}
    assert min(Counter(Recalls.asked).values()) >= 4


@pytest.mark.sample(1, "forks")
def test_a_page_that_is_not_the_recorded_one_is_noticed(planted: Planted, stage: Stage) -> None:
    found = planted(REMAP, TODO)
    steps = list(found.record.steps)
    other = replace(steps[1].page, copy=steps[1].page.copy.replace("Some heading", "Another heading"))
    steps[1] = replace(steps[1], page=other)
    altered = EpisodeRecord(**{**vars(found.record), "steps": steps})
    with pytest.raises(UserError, match="the replay slipped at step 1: the page is not the one that was recorded"):
        go(found._replace(record=altered), stage, 2)


@pytest.mark.sample(1, "forks")
def test_an_agent_that_acts_otherwise_is_noticed(planted: Planted, stage: Stage) -> None:
    found = planted(REMAP, TODO)
    with pytest.raises(UserError, match="the replay slipped at step 1: the agent acts otherwise than it did"):
        go(found._replace(make=lambda: Presses([AGREE, SAVE])), stage, 2)


@pytest.mark.sample(1, "forks")
@pytest.mark.parametrize(
    ("step", "said"),
    [
        (1, "nothing was disturbed at step 1 of episode .*; it was at 2, 3$"),
        (9, "step 9 is outside of episode .*, which has the steps 1 to 4$"),
    ],
)
def test_a_step_that_cannot_be_forked_is_said(planted: Planted, step: int, said: str) -> None:
    with pytest.raises(UserError, match=said):
        check_step(planted(REMAP, TODO).record, step)
