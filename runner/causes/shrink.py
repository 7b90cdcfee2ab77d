"""Shrink: the smallest set of injections that still breaks an episode, and whether it is the cause."""

from collections.abc import Callable, Collection

from stressweb.core.errors import UserError
from stressweb.core.injections import Allowed, Fired, Injection, Strengths
from stressweb.core.words import counted
from stressweb.log.causes import Answer, Cause
from stressweb.log.recording import EpisodeRecord
from stressweb.runner.causes.delta import smallest
from stressweb.runner.causes.outcome import Ending, Outcome, ending, failing, failure, settled
from stressweb.runner.causes.recorded_episode import RecordedEpisode
from stressweb.runner.causes.replay import Replay, replayed
from stressweb.runner.causes.stage import Stage

MAX_EPISODES = 60
"""Default maximum number of episodes to play."""


class SpentError(Exception):
    """The allowed episodes or tokens are used up."""


class Budget:
    """What the search for a cause may cost."""

    def __init__(self, episodes: int = MAX_EPISODES, tokens: int | None = None) -> None:
        """Take the episodes, and the tokens that a model may read and write; None: no limit."""
        self.episodes, self.tokens = episodes, tokens
        self._played, self._used = 0, 0

    def take(self) -> None:
        """Take an episode; raises SpentError if there is none left."""
        # Tokens are known only when an episode is over, so the last episode may exceed the limit.
        if self._played >= self.episodes or self._overspent:
            raise SpentError
        self._played += 1

    def count(self, record: EpisodeRecord) -> None:
        """Count what an episode used; raises SpentError if it is to be played again and no tokens are left for that."""
        self._used += record.usage.tokens_in + record.usage.tokens_out
        # An episode in which infrastructure failed costs the tokens that its agent used until then.
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
    """Plays an episode with only some of its injections, to see whether it still breaks."""

    def __init__(
        self, episode: RecordedEpisode, stage: Stage, budget: Budget, say: Callable[[str], None], strengths: Strengths
    ) -> None:
        """Take the episode, the stage, the budget, a function that shows progress, and the strengths of the modes.

        Strengths measured on the recorded pages are kept, so a set of injections disturbs no more than a larger set.
        """
        self._episode, self._stage, self._budget, self._say = episode, stage, budget, say
        self._strengths = strengths
        self._outcomes: dict[frozenset[Injection], Outcome] = {}
        self.best: frozenset[Injection] | None = None
        """The smallest set so far that breaks the episode."""

    def outcome(self, some: Collection[Injection], *, fresh: bool = False) -> Outcome:
        """Return how the episode ends if only some injections may fire; `fresh`: play it even if that is known."""
        key = frozenset(some)
        # The search returns to sets that it has tried, and every question costs at least one episode.
        if fresh or key not in self._outcomes:
            self._outcomes[key] = settled(
                lambda repeat: self._play(key, repeat).outcome, deterministic=self._episode.deterministic
            )
        if self._outcomes[key] == "same" and (self.best is None or len(key) < len(self.best)):
            self.best = key
        return self._outcomes[key]

    def breaks(self, some: Collection[Injection]) -> bool:
        """Return whether it fails in the same way if only some injections may fire."""
        return self.outcome(some) == "same"

    def failure_with(self, some: Collection[Injection]) -> str:
        """Return how the episode fails if only some injections may fire, in the recorded way or in another.

        Empty if it passes. Plays fresh episodes.
        """
        key = frozenset(some)
        return failing(lambda repeat: self._play(key, repeat), deterministic=self._episode.deterministic)

    def _play(self, some: frozenset[Injection], repeat: int) -> Ending:
        self._budget.take()
        self._say(f"trying {counted(len(some), 'injection')}")
        episode, allowed = self._episode, Allowed(some, strengths=self._strengths)
        # A repeat gives the agent another seed for its own draws.
        record = self._stage.play(
            episode.record.cell,
            episode.condition,
            lambda: Replay(episode.record, 0, episode.new_agent(), repeat),
            allowed,
        )
        return ending(record, episode.record)


def shrink(episode: RecordedEpisode, stage: Stage, budget: Budget, say: Callable[[str], None]) -> Answer:
    """Return the cause of a failed episode, as far as the budget allows.

    Raises UserError if there is nothing to shrink, or if the recorded actions no longer lead through the recorded
    pages.
    """
    check_failed(episode.record)
    budget.take()
    say("replaying the recorded actions")
    # The replay is an episode too, so the budget pays for it.
    trace = traced(episode, stage)
    shrinking = Shrinking(episode, stage, budget, say, trace.strengths)
    fired = {firing.injection: firing for firing in trace.fired}
    try:
        # Every try costs tokens, even one that ended in an infrastructure error and is not in the answer.
        with stage.reporting_to(budget.count):
            answer = _searched(shrinking, fired)
    except SpentError:
        # Without a smaller set the answer is all injections, as in the recorded episode.
        answer = _answer("stopped", fired, shrinking.best if shrinking.best is not None else fired)
    about = {"failure": failure(episode.record.grade), "injections": len(fired), "episodes": budget.played}
    return answer.model_copy(update=about)


def check_failed(record: EpisodeRecord) -> None:
    """Raise UserError for an episode that passed or was not graded: there is no failure to explain."""
    if record.grade is None:
        raise UserError(f"episode {record.cell.key} has no grade: there is nothing to shrink")
    if not failure(record.grade):
        raise UserError(f"episode {record.cell.key} passed: there is nothing to shrink")


def traced(episode: RecordedEpisode, stage: Stage) -> Allowed:
    """Return which injections fired in a recorded episode, by replaying its actions.

    Raises UserError if a page differs from the recorded one.
    """
    allowed = Allowed()
    replayed(stage, episode, allowed, lambda: Replay(episode.record, len(episode.record.actions)))
    return allowed


def _searched(shrinking: Shrinking, fired: dict[Injection, Fired]) -> Answer:
    # First: if it fails undisturbed, at any checkpoint, no injection is the cause and no search is needed.
    if undisturbed := shrinking.failure_with(()):
        return Answer(verdict="fails without any", failure="", detail=undisturbed)
    if shrinking.outcome(fired) != "same":
        how = "passed" if shrinking.outcome(fired) == "passed" else "failed in another way"
        return Answer(verdict="slipped", failure="", detail=f"with the injections that were recorded it {how}")
    left = smallest(fired, shrinking.breaks)
    # A result of the search may have been luck, so the answer is confirmed by fresh episodes.
    sufficient = shrinking.outcome(left, fresh=True) == "same"
    otherwise = shrinking.failure_with(fired.keys() - left)
    if not sufficient:
        detail = "the smallest set did not break it a second time"
        return _answer("slipped", fired, left, sufficient=False, necessary=not otherwise, detail=detail)
    verdict = "overdetermined" if otherwise else "caused by"
    return _answer(verdict, fired, left, sufficient=True, necessary=not otherwise, detail=otherwise)


def _answer(verdict: str, fired: dict[Injection, Fired], left: Collection[Injection], **about: object) -> Answer:
    causes = [Cause.of(firing) for injection, firing in fired.items() if injection in left]
    return Answer.model_validate({"verdict": verdict, "failure": "", "causes": causes, **about})
