"""Replays recorded actions, compares each page with the recorded one, and may let an agent continue."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from stressweb.core.errors import UserError
from stressweb.core.injections import AllowedInjections
from stressweb.html.recorded import digest
from stressweb.log.recording import EpisodeRecord, StepRecord
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation, Usage
from stressweb.runner.causes.recorded_episode import RecordedEpisode
from stressweb.runner.causes.stage import CauseStage


class SlippedError(Exception):
    """The replay differs from the recording."""


class Replay(Agent):
    """Repeats the first actions of a recorded episode; then `agent` continues, or the episode ends.

    A deterministic agent is called for every action, to update its state, and must return the recorded one. Any other
    agent is called only when it continues, since observations contain all earlier actions and outcomes.
    """

    name = "replay"

    def __init__(self, recorded: EpisodeRecord, actions: int, agent: Agent | None = None, repeat: int = 0) -> None:
        """Take the episode, the number of actions to repeat, and the agent that continues.

        `repeat` is added to the agent's seed.
        """
        self._recorded, self._actions, self._agent, self._repeat = recorded, actions, agent, repeat
        self._done = 0
        self._page = ""
        self.slipped = ""
        """Description of how the replay differs from the recording; empty if it does not."""
        if agent is not None:
            self.wants, self.decision_seconds = agent.wants, agent.decision_seconds

    def start(self, brief: Brief) -> Awaitable[None] | None:
        """Pass the brief to the agent."""
        self.brief = brief
        return None if self._agent is None else self._agent.start(replace(brief, seed=brief.seed + self._repeat))

    @property
    def usage(self) -> Usage:  # type: ignore[override]
        """Cost of the agent's decision; recorded decisions cost nothing."""
        return Usage() if self._agent is None or self._done <= self._actions else self._agent.usage

    def recorded(self, step: StepRecord) -> None:
        """Take the recording of the next page, in which additions by modes are marked."""
        self._page = step.page.recorded

    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        """Return the next recorded action, or the agent's; raises SlippedError if the replay differs."""
        step, self._done = self._done, self._done + 1
        if step >= self._actions:
            return Action(kind="DONE") if self._agent is None else self._agent.act(observation)
        # Step 0 is the first page and has no action.
        recorded = self._recorded.steps[step + 1].action
        assert recorded is not None
        # Without additions by modes, because one arm of a fork holds back an injection from the page's load on.
        if digest(self._page) != digest(self._recorded.steps[step].page.recorded):
            raise self._slip(step, "the page differs from the recorded one")
        if self._agent is None or not self._agent.deterministic:
            return recorded
        decided = self._agent.act(observation)
        if isinstance(decided, Awaitable):
            return self._checked_later(step, recorded, decided)
        return self._check_action(step, recorded, decided)

    async def _checked_later(self, step: int, recorded: Action, deciding: Awaitable[Action]) -> Action:
        return self._check_action(step, recorded, await deciding)

    def _check_action(self, step: int, recorded: Action, decided: Action) -> Action:
        if decided != recorded:
            raise self._slip(step + 1, "the agent's action differs from the recorded one")
        return recorded

    @property
    def outage(self) -> str:  # type: ignore[override]
        """Why the agent's endpoint does not answer; empty otherwise."""
        return "" if self._agent is None else self._agent.outage

    def _slip(self, step: int, why: str) -> SlippedError:
        self.slipped = f"the replay differs from the recording at step {step}: {why}"
        return SlippedError(self.slipped)


def replayed(
    stage: CauseStage, episode: RecordedEpisode, allowed_injections: AllowedInjections, make: Callable[[], Replay]
) -> EpisodeRecord:
    """Return the episode of a replay; raises UserError if it differs. `make` returns a fresh replay."""
    replays: list[Replay] = []

    def fresh() -> Replay:
        replays.append(make())
        return replays[-1]

    def on_step(step: StepRecord) -> None:
        # The last one, since an episode may be played a second time.
        replays[-1].recorded(step)

    record = stage.play(episode.record.cell, episode.condition, fresh, allowed_injections, on_step)
    # The episode loop turns an agent's exception into a crash, so check afterwards.
    if slipped := replays[-1].slipped:
        raise UserError(f"episode {episode.record.cell.key}: {slipped}")
    return record
