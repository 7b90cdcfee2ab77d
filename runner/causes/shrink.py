"""Shrink: finds the smallest set of injections that still breaks an episode, and whether it is the cause."""

from collections.abc import Callable, Collection

from stressweb.core.errors import UserError
from stressweb.core.injections import AllowedInjections, Fired, Injection, Strengths
from stressweb.core.words import counted
from stressweb.log.causes import Answer, Cause
from stressweb.log.recording import EpisodeRecord
from stressweb.runner.causes.delta import smallest
from stressweb.runner.causes.outcome import Ending, Outcome, ending, failing, failure, settled
from stressweb.runner.causes.recorded_episode import RecordedEpisode
from stressweb.runner.causes.replay import Replay, replayed
from stressweb.runner.causes.stage import CauseStage

MAX_EPISODES = 60
"""Default maximum number of episodes to play."""


class SpentError(Exception):
    """The budget is used up."""


class Budget:
    """The budget of a search for a cause."""

    def __init__(self, episodes: int = MAX_EPISODES, tokens: int | None = None) -> None:
        """Take the maximum numbers of episodes, and of a model's input and output tokens (None: no limit)."""
        self.episodes, self.tokens = episodes, tokens
        self._played, self._used = 0, 0

    def take(self) -> None:
        """Take an episode from the budget; raises SpentError if it is used up."""
        # Tokens are only known after an episode, so the last one may exceed the limit.
        if self._played >= self.episodes or self._overspent:
            raise SpentError
        self._played += 1

    def count(self, record: EpisodeRecord) -> None:
        """Count an episode's tokens; raises SpentError if it must be played again and none remain."""
        self._used += record.usage.tokens_in + record.usage.tokens_out
        # An episode with an infrastructure error is played again.
        if record.status == "error" and self._overspent:
            raise SpentError

    @property
    def played(self) -> int:
        """Number of episodes taken."""
        return self._played

    @property
    def _overspent(self) -> bool:
        return self.tokens is not None and self._used >= self.tokens


class Shrinking:
    """Plays an episode with some of its injections, to test whether it still breaks."""

    def __init__(
        self,
        episode: RecordedEpisode,
        stage: CauseStage,
        budget: Budget,
        say: Callable[[str], None],
        strengths: Strengths,
    ) -> None:
        """Take the episode, the stage, the budget, a function for progress messages, and the strengths of the modes.

        The strengths are those measured on the recorded pages, so that a subset never disturbs more than the whole set.
        """
        self._episode, self._stage, self._budget, self._say = episode, stage, budget, say
        self._strengths = strengths
        self._outcomes: dict[frozenset[Injection], Outcome] = {}
        self.best: frozenset[Injection] | None = None
        """The smallest breaking set so far."""

    def outcome(self, some: Collection[Injection], *, fresh: bool = False) -> Outcome:
        """Return the episode's outcome if only some injections may fire; `fresh`: play it even if it is known."""
        key = frozenset(some)
        # Cached, since the search tries some sets again.
        if fresh or key not in self._outcomes:
            self._outcomes[key] = settled(
                lambda repeat: self._play(key, repeat).outcome, deterministic=self._episode.deterministic
            )
        if self._outcomes[key] == "same" and (self.best is None or len(key) < len(self.best)):
            self.best = key
        return self._outcomes[key]

    def breaks(self, some: Collection[Injection]) -> bool:
        """Return whether the episode fails in the recorded way if only some injections may fire."""
        return self.outcome(some) == "same"

    def failure_with(self, some: Collection[Injection]) -> str:
        """Return text about how the episode fails, in whatever way, if only some injections may fire.

        Empty if it passes. Always plays new episodes.
        """
        key = frozenset(some)
        return failing(lambda repeat: self._play(key, repeat), deterministic=self._episode.deterministic)

    def _play(self, some: frozenset[Injection], repeat: int) -> Ending:
        self._budget.take()
        self._say(f"trying {counted(len(some), 'injection')}")
        episode, allowed_injections = self._episode, AllowedInjections(some, strengths=self._strengths)
        # Each repetition gives the agent another seed.
        record = self._stage.play(
            episode.record.cell,
            episode.condition,
            lambda: Replay(episode.record, 0, episode.new_agent(), repeat),
            allowed_injections,
        )
        return ending(record, episode.record)


def shrink(episode: RecordedEpisode, stage: CauseStage, budget: Budget, say: Callable[[str], None]) -> Answer:
    """Return the cause of a failed episode, as far as the budget allows.

    Raises UserError if the episode did not fail, or if a replay differs from the recording.
    """
    check_failed(episode.record)
    budget.take()
    say("replaying the recorded actions")
    # The replay is an episode, too, and counts towards the budget.
    trace = traced(episode, stage)
    shrinking = Shrinking(episode, stage, budget, say, trace.strengths)
    fired = {firing.injection: firing for firing in trace.fired}
    try:
        # Every episode costs tokens, even with an infrastructure error.
        with stage.reporting_to(budget.count):
            answer = _search(shrinking, fired)
    except SpentError:
        # If no smaller set was found, the answer is all injections.
        answer = _answer("stopped", fired, shrinking.best if shrinking.best is not None else fired)
    episode_fields = {"failure": failure(episode.record.grade), "injections": len(fired), "episodes": budget.played}
    return answer.model_copy(update=episode_fields)


def check_failed(record: EpisodeRecord) -> None:
    """Raise UserError for an episode that passed or has no grade."""
    if record.grade is None:
        raise UserError(f"episode {record.cell.key} has no grade, so there is nothing to shrink")
    if not failure(record.grade):
        raise UserError(f"episode {record.cell.key} passed, so there is nothing to shrink")


def traced(episode: RecordedEpisode, stage: CauseStage) -> AllowedInjections:
    """Replay a recorded episode and return the injections that fired.

    Raises UserError if the replay differs from the recording.
    """
    allowed_injections = AllowedInjections()
    replayed(stage, episode, allowed_injections, lambda: Replay(episode.record, len(episode.record.actions)))
    return allowed_injections


def _search(shrinking: Shrinking, fired: dict[Injection, Fired]) -> Answer:
    # First, because no injection is the cause if the episode fails undisturbed, in whatever way.
    if undisturbed := shrinking.failure_with(()):
        return Answer(verdict="fails without any", failure="", detail=undisturbed)
    if shrinking.outcome(fired) != "same":
        how = "passed" if shrinking.outcome(fired) == "passed" else "failed in another way"
        return Answer(verdict="slipped", failure="", detail=f"with the recorded injections it {how}")
    minimal = smallest(fired, shrinking.breaks)
    # The search may have been lucky, so new episodes confirm the answer.
    sufficient = shrinking.outcome(minimal, fresh=True) == "same"
    without_minimal = shrinking.failure_with(fired.keys() - minimal)
    if not sufficient:
        detail = "the smallest set did not break it a second time"
        return _answer("slipped", fired, minimal, sufficient=False, necessary=not without_minimal, detail=detail)
    verdict = "overdetermined" if without_minimal else "caused by"
    return _answer(verdict, fired, minimal, sufficient=True, necessary=not without_minimal, detail=without_minimal)


def _answer(verdict: str, fired: dict[Injection, Fired], causing: Collection[Injection], **about: object) -> Answer:
    causes = [Cause.of(firing) for injection, firing in fired.items() if injection in causing]
    return Answer.model_validate({"verdict": verdict, "failure": "", "causes": causes, **about})
