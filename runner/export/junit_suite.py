"""Exports a run as JUnit XML: a suite for each agent and condition, with a test for each episode."""

from collections.abc import Sequence
from pathlib import Path

from stressweb.analysis.graded import Graded
from stressweb.log.episode import Episode
from stressweb.log.store_reader import StoreReader
from stressweb.plugins.test_case import step_text
from stressweb.report.junit import Case, junit
from stressweb.runner.outcome.goals import goal_texts
from stressweb.runner.outcome.results import with_episodes

FILE = "junit.xml"
ABOUT = (
    f"`{FILE}` has a suite for each agent and condition. For a test case, the result is the agent's verdict: the "
    "message names the failing step, the text the true verdict. For a task, an episode without success is a failure."
)


def write(store: StoreReader, folder: Path) -> int:
    """Write the file into a folder and return its number of tests; raises AlteredError."""
    goal, suites = goal_texts(store.meta()), dict[str, list[Case]]()
    for details, graded in with_episodes(store):
        own = suites.setdefault(f"{graded.agent}.{graded.condition}", [])
        own.append(case_element(details.episode, graded, goal(graded.task, graded.world_seed)))
    (folder / FILE).write_text(junit(suites), encoding="utf-8")
    return sum(map(len, suites.values()))


def case_element(episode: Episode, graded: Graded, goal: str) -> Case:
    """Return the test case of an episode."""
    stress = f"stress {graded.stress_seed}" if graded.stress_seed is not None else ""
    epoch = f"epoch {graded.epoch}" if graded.epoch else ""
    name = f"{graded.task} ({', '.join(filter(None, (f'world {graded.world_seed}', stress, epoch)))})"
    if graded.status == "error":
        return Case(name, "error", episode.message)
    if graded.tester_verdict is None:
        grade = episode.grade
        failed = [check for check, holds in grade.passed.items() if not holds] if grade else []
        harms = [harm for harm, done in grade.harms.items() if done] if grade else []
        unmet = [*failed, *harms, *(grade.unmet if grade else [])]
        return Case(name, "passed") if graded.success else Case(name, "failure", "; ".join(unmet), episode.message)
    return _verdict(name, graded, goal, episode.message)


def _verdict(name: str, graded: Graded, goal: str, message: str) -> Case:
    text = f"{_truth(graded)} The tester said: {message}"
    if graded.tester_verdict == "none":
        return Case(name, "error", "no verdict", text)
    if graded.tester_verdict == "pass":
        return Case(name, "passed", text)
    step = graded.tester_step or 1
    return Case(name, "failure", _sentence(step, graded.tester_cause or "", step_text(goal, step)), text)


def _truth(graded: Graded) -> str:
    if graded.truth == "unknown":
        return "The true verdict of this case is unknown."
    cause = f" ({graded.truth_cause})" if graded.truth_cause else ""
    truth = f"step {graded.truth_step} fails{cause}" if graded.truth == "fail" else "the case passes"
    return f"True verdict: {truth}."


def _sentence(step: int, cause: str, words: Sequence[str]) -> str:
    reason = {"action": "its action cannot be done", "assertion": "its result does not appear"}.get(cause, "it fails")
    return f"step {step}: {reason}: {' '.join(words)}" if words else f"step {step}: {reason}"
