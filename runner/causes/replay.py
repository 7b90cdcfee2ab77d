"""Replays recorded actions, compares each page with the recorded one, and may then let an agent continue."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from stressweb.core.errors import UserError
from stressweb.core.injections import Allowed
from stressweb.html.recorded import digest
from stressweb.log.recording import EpisodeRecord, StepRecord
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation, Usage
from stressweb.runner.causes.recorded_episode import RecordedEpisode
from stressweb.runner.causes.stage import Stage


class SlippedError(Exception):
    """The replay differs from the recording."""


class Replay(Agent):
    """Repeats the first actions of a recorded episode; then `agent` continues, or the episode ends.

    A deterministic agent is asked at every action, so that it knows where it is, and must answer as it did. Any other
    agent is asked only when it continues: every observation holds all earlier actions and their outcomes.
    """

    name = "replay"

    def __init__(self, recorded: EpisodeRecord, actions: int, agent: Agent | None = None, repeat: int = 0) -> None:
        """Take the episode, how many of its actions are repeated, and the agent that continues.

        `repeat` is added to the seed from which the agent draws.
        """
        self._recorded, self._actions, self._agent, self._repeat = recorded, actions, agent, repeat
        self._done = 0
        self._page = ""
        self.slipped = ""
        """At which step the replay slipped, and how; empty if it did not slip."""
        if agent is not None:
            self.wants, self.decision_seconds = agent.wants, agent.decision_seconds

    def start(self, brief: Brief) -> Awaitable[None] | None:
        """Give the agent its brief."""
        self.brief = brief
        return None if self._agent is None else self._agent.start(replace(brief, seed=brief.seed + self._repeat))

    @property
    def usage(self) -> Usage:  # type: ignore[override]
        """Cost of the agent's decision; a recorded decision costs nothing again."""
        return Usage() if self._agent is None or self._done <= self._actions else self._agent.usage

    def recorded(self, step: StepRecord) -> None:
        """Take the next page as it was recorded, since an observation does not mark what modes added."""
        self._page = step.page.recorded

    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        """Return the next recorded action, or the agent's; raises SlippedError if anything is not as recorded."""
        step, self._done = self._done, self._done + 1
        if step >= self._actions:
            return Action(kind="DONE") if self._agent is None else self._agent.act(observation)
        # Step 0 is the first page and has no action, so the first action is that of step 1.
        recorded = self._recorded.steps[step + 1].action
        assert recorded is not None
        key = self._recorded.cell.mark_key
        # Without what modes added, because one arm of a fork holds an injection back from the page's load on.
        if digest(self._page, key) != digest(self._recorded.steps[step].page.recorded, key):
            raise self._slip(step, "the page is not the one that was recorded")
        if self._agent is None or not self._agent.deterministic:
            return recorded
        decided = self._agent.act(observation)
        if isinstance(decided, Awaitable):
            return self._checked_later(step, recorded, decided)
        return self._checked(step, recorded, decided)

    async def _checked_later(self, step: int, recorded: Action, deciding: Awaitable[Action]) -> Action:
        return self._checked(step, recorded, await deciding)

    def _checked(self, step: int, recorded: Action, decided: Action) -> Action:
        if decided != recorded:
            raise self._slip(step + 1, "the agent acts otherwise than it did")
        return recorded

    @property
    def outage(self) -> str:  # type: ignore[override]
        """What keeps the agent's endpoint from answering."""
        return "" if self._agent is None else self._agent.outage

    def _slip(self, step: int, why: str) -> SlippedError:
        self.slipped = f"the replay slipped at step {step}: {why}"
        return SlippedError(self.slipped)


def replayed(stage: Stage, episode: RecordedEpisode, allowed: Allowed, make: Callable[[], Replay]) -> EpisodeRecord:
    """Return the episode of a replay; raises UserError if it slipped. `make` returns a fresh replay."""
    replays: list[Replay] = []

    def fresh() -> Replay:
        replays.append(make())
        return replays[-1]

    def on_step(step: StepRecord) -> None:
        # The last replay: an episode may be played a second time.
        replays[-1].recorded(step)

    record = stage.play(episode.record.cell, episode.condition, fresh, allowed, on_step)
    # The loop turns an agent's exception into a crash, so the slip is looked up afterwards.
    if slipped := replays[-1].slipped:
        raise UserError(f"episode {episode.record.cell.key}: {slipped}")
    return record
