"""Shrink: the smallest set of injections that still breaks an episode, and whether it is the cause."""

from collections.abc import Callable, Collection

from runner.causes.delta import smallest
from runner.causes.found import Found
from runner.causes.outcome import Ending, Outcome, ending, failing, failure, settled
from runner.causes.replay import Replay, replayed
from runner.causes.stage import Stage
from stressweb.core.errors import UserError
from stressweb.core.injections import Allowed, Fired, Injection, Strengths
from stressweb.core.words import counted
from stressweb.log.causes import Answer, Cause
from stressweb.log.recording import EpisodeRecord

MOST_EPISODES = 60
"""Episodes that are played at most where a command does not say otherwise."""


class SpentError(Exception):
    """The episodes, or the tokens, that were allowed are used up."""


class Budget:
    """What the search for a cause may cost."""

    def __init__(self, episodes: int = MOST_EPISODES, tokens: int | None = None) -> None:
        """Take the episodes, and the tokens that a model may read and write; None: no limit."""
        self.episodes, self.tokens = episodes, tokens
        self._played, self._used = 0, 0

    def take(self) -> None:
        """Take an episode; raises SpentError if there is none left."""
        # Tokens are known when an episode is over, so that the last one may go beyond the limit.
        if self._played >= self.episodes or self._overspent:
            raise SpentError
        self._played += 1

    def heard(self, record: EpisodeRecord) -> None:
        """Count what an episode used; raises SpentError if it is to be played again and no tokens are left for that."""
        self._used += record.usage.tokens_in + record.usage.tokens_out
        # An episode in which infrastructure failed costs what its agent asked the model until then.
        if record.status == "error" and self._overspent:
            raise SpentError

    @property
    def played(self) -> int:
        """Episodes that were taken."""
        return self._played

    @property
    def _overspent(self) -> bool:
        return self.tokens is not None and self._used >= self.tokens


class Shrinking:
    """Asks episodes whether they still break with only some injections."""

    def __init__(
        self, found: Found, stage: Stage, budget: Budget, say: Callable[[str], None], strengths: Strengths
    ) -> None:
        """Take the episode, the stage, the budget, a function that shows progress, and how far modes went.

        What a mode measured on the recorded pages is kept, so a set of injections disturbs no more than a larger one.
        """
        self._found, self._stage, self._budget, self._say = found, stage, budget, say
        self._strengths = strengths
        self._known: dict[frozenset[Injection], Outcome] = {}
        self.best: frozenset[Injection] | None = None
        """The smallest set so far that breaks it."""

    def outcome(self, some: Collection[Injection], *, fresh: bool = False) -> Outcome:
        """Return how the episode ends if only some injections may fire; `fresh`: also if that is known already."""
        key = frozenset(some)
        # The search comes back to sets that it has tried, and every question costs at least one episode.
        if fresh or key not in self._known:
            self._known[key] = settled(
                lambda repeat: self._play(key, repeat).outcome, deterministic=self._found.deterministic
            )
        if self._known[key] == "same" and (self.best is None or len(key) < len(self.best)):
            self.best = key
        return self._known[key]

    def breaks(self, some: Collection[Injection]) -> bool:
        """Return whether it fails in the same way if only some injections may fire."""
        return self.outcome(some) == "same"

    def failure_with(self, some: Collection[Injection]) -> str:
        """Return how the episode fails if only some injections may fire, in the recorded way or in another.

        Empty if it passes. Asked of fresh episodes.
        """
        key = frozenset(some)
        return failing(lambda repeat: self._play(key, repeat), deterministic=self._found.deterministic)

    def _play(self, some: frozenset[Injection], repeat: int) -> Ending:
        self._budget.take()
        self._say(f"trying {counted(len(some), 'injection')}")
        found, allowed = self._found, Allowed(some, strengths=self._strengths)
        # A repeat has another seed for what the agent draws itself.
        record = self._stage.play(
            found.record.cell, found.condition, lambda: Replay(found.record, 0, found.make(), repeat), allowed
        )
        return ending(record, found.record)


def shrink(found: Found, stage: Stage, budget: Budget, say: Callable[[str], None]) -> Answer:
    """Return the cause of a failed episode, as far as the budget lets it be found.

    Raises UserError if there is nothing to shrink, or if the recorded actions no longer lead through the recorded
    pages.
    """
    check_failed(found.record)
    budget.take()
    say("replaying the recorded actions")
    # The replay is an episode like those that follow, so the budget pays for it, too.
    trace = traced(found, stage)
    asked = Shrinking(found, stage, budget, say, trace.strengths)
    every = {one.injection: one for one in trace.fired}
    try:
        # Every try costs tokens, also one that an infrastructure error ended and that no result shows.
        with stage.heard_by(budget.heard):
            answer = _searched(asked, every)
    except SpentError:
        # Without a smaller set all of them are the answer, because all together are what the recorded episode had.
        answer = _answer("stopped", every, asked.best if asked.best is not None else every)
    about = {"failure": failure(found.record.grade), "injections": len(every), "episodes": budget.played}
    return answer.model_copy(update=about)


def check_failed(record: EpisodeRecord) -> None:
    """Raise UserError for an episode that passed, or that was not graded: there is no failure to explain."""
    if record.grade is None:
        raise UserError(f"episode {record.cell.key} has no grade: there is nothing to shrink")
    if not failure(record.grade):
        raise UserError(f"episode {record.cell.key} passed: there is nothing to shrink")


def traced(found: Found, stage: Stage) -> Allowed:
    """Return which injections fired in a recorded episode, by replaying its actions.

    Raises UserError if a page is not the one that was recorded.
    """
    allowed = Allowed()
    replayed(stage, found, allowed, lambda: Replay(found.record, len(found.record.actions)))
    return allowed


def _searched(asked: Shrinking, every: dict[Injection, Fired]) -> Answer:
    # First of all: if it fails undisturbed, at whatever checkpoint, no injection is the cause, and no search is needed.
    if undisturbed := asked.failure_with(()):
        return Answer(verdict="fails without any", failure="", detail=undisturbed)
    if asked.outcome(every) != "same":
        how = "passed" if asked.outcome(every) == "passed" else "failed in another way"
        return Answer(verdict="slipped", failure="", detail=f"with the injections that were recorded it {how}")
    left = smallest(every, asked.breaks)
    # A result of the search may have been luck, so the answer is confirmed by fresh episodes.
    sufficient = asked.outcome(left, fresh=True) == "same"
    otherwise = asked.failure_with(every.keys() - left)
    if not sufficient:
        detail = "the set that was found did not break it once more"
        return _answer("slipped", every, left, sufficient=False, necessary=not otherwise, detail=detail)
    verdict = "overdetermined" if otherwise else "caused by"
    return _answer(verdict, every, left, sufficient=True, necessary=not otherwise, detail=otherwise)


def _answer(verdict: str, every: dict[Injection, Fired], left: Collection[Injection], **about: object) -> Answer:
    causes = [Cause.of(one) for injection, one in every.items() if injection in left]
    return Answer.model_validate({"verdict": verdict, "failure": "", "causes": causes, **about})
