"""The effect of one injection: an episode is continued with it and without it."""

from collections import Counter
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from stressweb.core.errors import UserError
from stressweb.log.recording import EpisodeRecord
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Observation
from stressweb.runner.causes.fork import check_step, fork
from stressweb.runner.causes.recorded_episode import RecordedEpisode
from stressweb.runner.causes.stage import CauseStage
from tests.runner.causes.planted_causes import AGREE, NAME, SAVE, Planted, Presses

REMAP = "remap(share=1)"
TODO: list[Any] = [(NAME, "lamp"), SAVE, AGREE]


class Recalls(Presses):
    """Agent that finds its place from the history; records the steps at which it was asked."""

    deterministic = False
    steps_asked: ClassVar[list[int]] = []

    def act(self, observation: Observation) -> Action:
        """Return the next action."""
        self._index = len(observation.history) - 1
        self.steps_asked.append(len(observation.history))
        return super().act(observation)


def go(episode: RecordedEpisode, stage: CauseStage, step: int, repeats: int = 1) -> str:
    return str(fork(episode, step, stage, repeats, lambda line: None))


@pytest.mark.sample(1, "forks")
def test_the_effect_of_an_injection_that_breaks(planted: Planted, stage: CauseStage) -> None:
    episode = planted(REMAP, TODO)
    effect = "step 2: with remap of button 'Save it', 0 of 1 passed; without it, 1 of 1 passed"
    assert go(episode, stage, 2) == effect
    assert go(episode, stage, 3).startswith("step 3: with remap of checkbox 'Agree', 0 of 1 passed; without it, 0 of 1")


@pytest.mark.sample(1, "forks")
def test_an_agent_that_is_not_deterministic_is_asked_from_the_fork_on(planted: Planted, stage: CauseStage) -> None:
    episode = planted(REMAP, TODO, kind=Recalls)
    Recalls.steps_asked.clear()
    assert "0 of 2 passed; without it, 2 of 2 passed" in go(episode, stage, 2, repeats=2)
    # The last press and the end, in each of four parts, more often after a broken try; the replay does not ask the agent.
    assert set(Recalls.steps_asked) == {2, 3}
    assert min(Counter(Recalls.steps_asked).values()) >= 4


@pytest.mark.sample(1, "forks")
def test_a_page_that_is_not_the_recorded_one_is_noticed(planted: Planted, stage: CauseStage) -> None:
    episode = planted(REMAP, TODO)
    steps = list(episode.record.steps)
    changed_page = replace(steps[1].page, copy=steps[1].page.copy.replace("Some heading", "Another heading"))
    steps[1] = replace(steps[1], page=changed_page)
    altered = EpisodeRecord(**{**vars(episode.record), "steps": steps})
    with pytest.raises(UserError, match="the replay differs from the recording at step 1: the page differs"):
        go(episode._replace(record=altered), stage, 2)


@pytest.mark.sample(1, "forks")
def test_an_agent_that_acts_differently_is_noticed(planted: Planted, stage: CauseStage) -> None:
    episode = planted(REMAP, TODO)
    with pytest.raises(UserError, match="the replay differs from the recording at step 1: the agent's action differs"):
        go(episode._replace(new_agent=lambda: Presses([AGREE, SAVE])), stage, 2)


@pytest.mark.sample(1, "forks")
@pytest.mark.parametrize(
    ("step", "message"),
    [
        (1, "step 1 of episode .* was not disturbed; disturbed: 2, 3$"),
        (9, "episode .* has no step 9; its steps are 1 to 4$"),
    ],
)
def test_a_step_that_cannot_be_forked_is_reported(planted: Planted, step: int, message: str) -> None:
    with pytest.raises(UserError, match=message):
        check_step(planted(REMAP, TODO).record, step)
