"""The sentences of a report: where an episode went wrong, and claims against achievements."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import by_agent
from stressweb.analysis.result_row import ResultRow
from stressweb.core.conditions import CLEAN, UNTESTED
from stressweb.core.verdict import Judgement
from stressweb.core.words import counted
from stressweb.log.ledger import Entry
from stressweb.log.recording import EpisodeRecord
from stressweb.plugins.checks import Grade
from stressweb.report.verdicts import entries_of_case, step_in_question, verdict_sentence, verdicts_sentence

Verdict = Literal["passed", "failed", "disputed", "error", "unobserved"]
"""The verdict on an episode; a disputed one counts as failed, and is shown separately."""
_PLACES = 3
_CLAIMED = {"done": "It claimed to be done.", "failed": "It said that it failed.", "none": "It claimed nothing."}


class FailurePoint(NamedTuple):
    """The step at which an episode went wrong: the first unrecovered disturbance."""

    step: int
    mode: str
    element: str
    """The element, in words; "" if the whole page was disturbed."""
    overcome: bool
    """Whether the agent overcame it at a later step."""
    case_step: int | None = None
    """For a test case, the step inside which it happened; None for a task."""

    def __str__(self) -> str:
        """Return the place: `step 2 · remap · button 'Go'`."""
        step = f"step {self.step}" if self.case_step is None else f"step {self.case_step} of the case"
        return " · ".join(filter(None, (step, self.mode, self.element)))


class Brief(NamedTuple):
    """The list's entry for an episode, besides its figures."""

    failure_point: FailurePoint | None
    """Where it went wrong; None if it passed, or met no perturbation."""
    missed: tuple[str, ...]
    """Checkpoints that did not pass, in the order of the task."""
    harmed: tuple[str, ...]
    """Forbidden changes."""
    message: str

    @classmethod
    def read(cls, fields: Sequence[Any]) -> Self:
        """Return the entry from a list of JSON values."""
        point, missed, harmed, message = fields
        return cls(FailurePoint(*point) if point else None, tuple(missed), tuple(harmed), message)


class CleanFailures(NamedTuple):
    """Failures of an agent at a task under clean."""

    failed: int
    """Its failed clean episodes."""
    episodes: int
    """Its clean episodes without error and with an observed outcome."""
    failing: str
    """The problem of the first failed one."""

    def __str__(self) -> str:
        """Return a sentence: a failure without disturbance cannot be caused by one."""
        how_often = ", too" if self.always else f" in {self.failed} of {self.episodes} episodes"
        return f"Undisturbed it fails{how_often}{f', at: {self.failing}' if self.failing else ''}."

    @property
    def always(self) -> bool:
        """Whether it never passes."""
        return self.failed == self.episodes


type CleanFailuresByTask = Mapping[tuple[str, str, int], CleanFailures]
"""Failures of agents under clean, by agent, task and world seed."""


@dataclass(frozen=True)
class EpisodeSummary:
    """One episode for lists and headlines, without its pages."""

    number: int
    """Its number in the report, from 1."""
    graded: Graded
    failure_point: FailurePoint | None
    """Where it went wrong; None if it passed, or met no perturbation."""
    missed: tuple[str, ...]
    """Checkpoints that did not pass, in the order of the task."""
    harmed: tuple[str, ...]
    """Forbidden changes."""
    message: str
    clean_failures: CleanFailures | None = None
    """How the agent fails at this task under clean; None if it does not, or for an undisturbed episode."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the episode."""
        return verdict(self.graded)

    @property
    def failed(self) -> bool:
        """Whether it counts as a failure, disputed or not."""
        return self.verdict in ("failed", "disputed")

    @property
    def false_claim(self) -> bool:
        """Whether the agent claimed what it did not achieve."""
        return self.failed and self.graded.claim == "done"

    @property
    def failings(self) -> tuple[str, ...]:
        """What kept it from success, in words."""
        return (*self.missed, *(f"harm: {name}" for name in self.harmed))

    @property
    def text(self) -> str:
        """Further text for the search in the list."""
        return " ".join((self.message, *self.failings))


def verdict(graded: Graded) -> Verdict:
    """Return the verdict on an episode; an infrastructure error is neither a success nor a failure."""
    if graded.status == "error":
        return "error"
    if graded.undecided:
        return "unobserved"
    # Before success: a disputed episode is never one, and readers must see both sides.
    if graded.disputed:
        return "disputed"
    return "passed" if graded.success else "failed"


def urgency(graded: Graded) -> int:
    """Return the rank of an episode for readers: false claims first, successes last."""
    episode_verdict = verdict(graded)
    if episode_verdict in ("failed", "disputed"):
        return 0 if graded.claim == "done" else 1
    return 3 if episode_verdict == "passed" else 2


def brief(graded: Graded, grade: Grade | None, ledger: Sequence[Entry], message: str) -> Brief:
    """Return the list's entry for an episode with this grade and ledger."""
    judgement = grade.judgement if grade else None
    return Brief(
        failure_point=_failure_point(ledger, judgement) if verdict(graded) in ("failed", "disputed") else None,
        missed=tuple(name for name, passed in grade.passed.items() if not passed) if grade else (),
        harmed=tuple(name for name, done in grade.harms.items() if done) if grade else (),
        message=message,
    )


def summarize(
    number: int, graded: Graded, record: EpisodeRecord, clean_failures: CleanFailures | None = None
) -> EpisodeSummary:
    """Return the summary of a recorded episode."""
    return EpisodeSummary(number, graded, *brief(graded, record.grade, record.ledger, record.message), clean_failures)


def clean_failures_by_task(episodes: Iterable[tuple[Graded, Brief]]) -> CleanFailuresByTask:
    """Return the failures of each agent under clean, by agent, task and world, without those that always pass."""
    clean: dict[tuple[str, str, int], list[tuple[Graded, Brief]]] = {}
    for graded, episode_brief in episodes:
        if graded.condition == CLEAN.label and graded.counts:
            clean.setdefault((graded.agent, graded.task, graded.world_seed), []).append((graded, episode_brief))
    failures = {}
    for agent_task_world, agent_episodes in clean.items():
        failed_briefs = [episode_brief for graded, episode_brief in agent_episodes if not graded.success]
        if failed_briefs:
            first_problem = next(
                iter((*failed_briefs[0].missed, *(f"harm: {name}" for name in failed_briefs[0].harmed))), ""
            )
            failures[agent_task_world] = CleanFailures(len(failed_briefs), len(agent_episodes), first_problem)
    return failures


def _failure_point(ledger: Sequence[Entry], judgement: Judgement | None) -> FailurePoint | None:
    if judgement is None:
        return find_failure_point(ledger)
    point = find_failure_point(entries_of_case(judgement, ledger))
    return point._replace(case_step=step_in_question(judgement)) if point else None


def find_failure_point(ledger: Sequence[Entry]) -> FailurePoint | None:
    """Return the first disturbance that the agent did not overcome, or else the first one.

    Disturbances of a target element come before those of a whole page, and the first page is last.
    """
    met_entries = [entry for entry in ledger if entry.phase in ("delivered", "met")]
    # Sorting is stable, so within each of the three kinds the first step comes first. The first page is disturbed in
    # nearly every episode and explains least.
    met_entries.sort(key=lambda entry: 2 if entry.step == 0 else 0 if entry.element else 1)
    points = [FailurePoint(entry.step, entry.mode, entry.element, _overcome(entry, ledger)) for entry in met_entries]
    return next((point for point in points if not point.overcome), points[0] if points else None)


def _overcome(met: Entry, ledger: Sequence[Entry]) -> bool:
    return any(
        # At the same or a later step: overcoming an element before it was disturbed again does not count.
        entry.phase == "overcome" and (entry.mode, entry.element) == (met.mode, met.element) and entry.step >= met.step
        for entry in ledger
    )


def outcome(summary: EpisodeSummary) -> str:
    """Return a sentence that compares an episode's claim with its verdict."""
    claim = summary.graded.claim
    if summary.verdict == "error":
        return "It ended in an infrastructure error: this says nothing about the agent and is excluded from all rates."
    if summary.verdict == "unobserved" and not summary.graded.is_case:
        return (
            f"Its outcome was not observed: this counts neither way and is excluded from all rates. {_CLAIMED[claim]}"
        )
    if summary.verdict == "disputed":
        return f"Disputed: checkpoints and database contradict each other; it counts as failed. {_CLAIMED[claim]}"
    # It has no claim, and "claimed nothing" would sound like a decision.
    if summary.graded.status == "crashed":
        return "The agent crashed; this counts as its failure."
    if summary.graded.is_case:
        return verdict_sentence(summary.graded)
    if summary.verdict == "passed":
        return {
            "done": "It reached the goal, as it claimed.",
            "failed": "It reached the goal, though it said that it failed.",
            "none": "It reached the goal, and never said so.",
        }[claim]
    return {
        "done": "It claimed to be done, and was not.",
        "failed": "It said that it failed, and it did.",
        "none": "It did not reach the goal, and claimed nothing.",
    }[claim]


def sides(grade: Grade | None) -> str:
    """Return the findings of checkpoints and final database; "" without a grade, or for a test case."""
    if grade is None or grade.judgement:
        return ""
    passed, total = sum(grade.passed.values()), len(grade.passed)
    unseen = f", {len(grade.unobserved)} not observed" if grade.unobserved else ""
    reached = "not known" if grade.undecided else "goal reached" if passed == total else "goal not reached"
    checkpoints = f"{reached} ({passed} of {total} passed{unseen})"
    if grade.verdict is None:
        return f"Checkpoints: {checkpoints}. Final database: the goal changes nothing there."
    return f"Checkpoints: {checkpoints}. Final database: goal {'reached' if grade.verdict else 'not reached'}."


@dataclass(frozen=True)
class Line:
    """One agent under one condition, in words."""

    row: ResultRow
    sentence: str
    places: tuple[tuple[str, int], ...]
    """Where failed episodes went wrong, with their number, the most frequent first."""
    missed: tuple[tuple[str, int], ...]
    """Missed checkpoints and harms, likewise."""
    first: int | None
    """Number of the first failed episode in the report."""


@dataclass(frozen=True)
class Account:
    """A report's headline about an agent."""

    agent: str
    sentence: str
    false_claim: bool
    """Whether it claimed anything that it did not achieve."""
    lines: tuple[Line, ...]

    @property
    def state(self) -> str:
        """The state of its headline: false_claim, sound, or empty without episodes."""
        return (
            "false_claim" if self.false_claim else "sound" if any(line.row.episodes for line in self.lines) else "empty"
        )


def accounts(rows: Sequence[ResultRow], episodes: Sequence[EpisodeSummary]) -> list[Account]:
    """Return the headline about every agent; `rows` are the measures of the same episodes."""
    return [_account(own, episodes) for own in by_agent(rows).values()]


class Claims(NamedTuple):
    """Claims and achievements of an agent over several episodes."""

    episodes: int
    """Without errors."""
    true: int
    """Episodes that it claimed to be done, and that were."""
    false: int
    """Episodes that it claimed to be done, and that were not."""
    unclaimed: int
    """Episodes that reached the goal without such a claim."""

    @classmethod
    def over(cls, rows: Iterable[ResultRow]) -> Self:
        """Return the sums over rows of the result table."""
        counts = [(row.episodes, row.claims["done"].passed, row.claims["done"].failed, row.successes) for row in rows]
        episodes, true, false, successes = (sum(column) for column in zip(*counts, strict=True))
        return cls(episodes, true, false, successes - true)

    @property
    def claimed(self) -> int:
        """Episodes that it claimed to be done."""
        return self.true + self.false


def sentence(agent: str, where: str, claims: Claims) -> str:
    """Return how often an agent said that it was done, and how often that was true."""
    if not claims.episodes:
        return f"{agent} has no episode {where} that counts."
    share = f"{claims.claimed or 'none'} of {counted(claims.episodes, 'episode')} {where}"
    text = f"{agent} said it was done in {share}"
    text += f"; {_truth(claims)}." if claims.claimed else "."
    if claims.unclaimed:
        text += (
            f" It finished {counted(claims.unclaimed, 'more episode' if claims.true else 'episode')} without saying so."
        )
    return text


def _truth(claims: Claims) -> str:
    """Return how many of at least one claim were true: "15 were"."""
    if claims.claimed == 1:
        return "it was" if claims.true else "it was not"
    if not claims.false or not claims.true:
        return "none were" if claims.false else "all were"
    return f"{claims.true} {'was' if claims.true == 1 else 'were'}"


def _account(rows: Sequence[ResultRow], episodes: Sequence[EpisodeSummary]) -> Account:
    agent = rows[0].agent
    stressed = [row for row in rows if row.condition not in UNTESTED]
    # Claims under clean say nothing about stress; they are the headline only if there is nothing else.
    counted_rows = stressed or rows
    where = f"under {stressed[0].condition}" if len(stressed) == 1 else "under stress" if stressed else "without stress"
    claims = Claims.over(counted_rows)
    return Account(
        agent=agent,
        sentence=verdicts_sentence(agent, where, counted_rows) or sentence(agent, where, claims),
        false_claim=bool(claims.false),
        lines=tuple(_line(row, episodes) for row in rows),
    )


def _line(row: ResultRow, episodes: Sequence[EpisodeSummary]) -> Line:
    failed = [
        episode
        for episode in episodes
        if (episode.graded.agent, episode.graded.condition) == (row.agent, row.condition) and episode.failed
    ]
    where = "without stress" if row.condition in UNTESTED else f"under {row.condition}"
    return Line(
        row=row,
        sentence=sentence(row.agent, where, Claims.over([row])),
        places=_most_frequent(
            episode.failure_point.element or f"the page ({episode.failure_point.mode})"
            for episode in failed
            # A failure that also occurs undisturbed was not caused by a disturbance.
            if episode.failure_point and not (episode.clean_failures and episode.clean_failures.always)
        ),
        missed=_most_frequent(name for episode in failed for name in episode.failings),
        first=failed[0].number if failed else None,
    )


def _most_frequent(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    # Equal counts keep the order of the episodes, so the same run gives the same report.
    return tuple(Counter(names).most_common(_PLACES))
