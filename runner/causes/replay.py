"""Replays recorded actions, compares each page with the recorded one, and then may let an agent continue."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from runner.causes.found import Found
from runner.causes.stage import Stage
from stressweb.core.errors import UserError
from stressweb.core.injections import Allowed
from stressweb.html.recorded import digest
from stressweb.log.recording import EpisodeRecord, StepRecord
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation, Usage


class SlippedError(Exception):
    """The replay differs from the recording."""


class Replay(Agent):
    """Does the first actions of a recorded episode again; after them `agent` goes on, or the episode ends.

    A deterministic agent is asked along the way, so that it knows where it is, and must answer as it did. Any other
    one is asked only when it goes on: every observation holds all actions so far and what came of them.
    """

    name = "replay"

    def __init__(self, recorded: EpisodeRecord, actions: int, agent: Agent | None = None, repeat: int = 0) -> None:
        """Take the episode, how many of its actions are done again, and who goes on.

        `repeat` is added to the seed from which the agent draws.
        """
        self._recorded, self._actions, self._agent, self._repeat = recorded, actions, agent, repeat
        self._done = 0
        self._page = ""
        self.slipped = ""
        """At which step the replay slipped, and how; empty if it did not."""
        if agent is not None:
            self.wants, self.decision_seconds = agent.wants, agent.decision_seconds

    def start(self, brief: Brief) -> Awaitable[None] | None:
        """Give the agent its brief."""
        self.brief = brief
        return None if self._agent is None else self._agent.start(replace(brief, seed=brief.seed + self._repeat))

    @property
    def usage(self) -> Usage:  # type: ignore[override]
        """What the agent's decision cost; a recorded one was paid for in the recorded episode."""
        return Usage() if self._agent is None or self._done <= self._actions else self._agent.usage

    def recorded(self, step: StepRecord) -> None:
        """Take the page that comes next, as it was recorded: no observation tells what is ours on it."""
        self._page = step.page.recorded

    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        """Return the next recorded action, or the agent's; raises SlippedError if anything is not as recorded."""
        at, self._done = self._done, self._done + 1
        if at >= self._actions:
            return Action(kind="DONE") if self._agent is None else self._agent.act(observation)
        # Step 0 is the first page and has no action, so the first action stands at step 1.
        recorded = self._recorded.steps[at + 1].action
        assert recorded is not None
        key = self._recorded.cell.mark_key
        # Without what modes added, because one arm of a fork holds an injection back from the load of the page on.
        if digest(self._page, key) != digest(self._recorded.steps[at].page.recorded, key):
            raise self._slip(at, "the page is not the one that was recorded")
        if self._agent is None or not self._agent.deterministic:
            return recorded
        decided = self._agent.act(observation)
        if isinstance(decided, Awaitable):
            return self._checked_later(at, recorded, decided)
        return self._checked(at, recorded, decided)

    async def _checked_later(self, at: int, recorded: Action, deciding: Awaitable[Action]) -> Action:
        return self._checked(at, recorded, await deciding)

    def _checked(self, at: int, recorded: Action, decided: Action) -> Action:
        if decided != recorded:
            raise self._slip(at + 1, "the agent acts otherwise than it did")
        return recorded

    @property
    def outage(self) -> str:  # type: ignore[override]
        """What keeps the agent's endpoint from answering."""
        return "" if self._agent is None else self._agent.outage

    def _slip(self, step: int, why: str) -> SlippedError:
        self.slipped = f"the replay slipped at step {step}: {why}"
        return SlippedError(self.slipped)


def replayed(stage: Stage, found: Found, allowed: Allowed, make: Callable[[], Replay]) -> EpisodeRecord:
    """Return the episode of a replay; raises UserError if it slipped. `make` returns a fresh one."""
    made: list[Replay] = []

    def fresh() -> Replay:
        made.append(make())
        return made[-1]

    def heard(step: StepRecord) -> None:
        # The one that was made last: an episode may be played a second time.
        made[-1].recorded(step)

    record = stage.play(found.record.cell, found.condition, fresh, allowed, heard)
    # The loop turns an agent's exception into a crash, so the slip is looked up afterwards.
    if slipped := made[-1].slipped:
        raise UserError(f"episode {found.record.cell.key}: {slipped}")
    return record
