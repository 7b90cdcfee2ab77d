"""The sentences of a report about test cases: verdicts against the truth, and events in the step in question."""

from collections.abc import Sequence

from stressweb.analysis.graded import Graded
from stressweb.analysis.result_row import ResultRow
from stressweb.core.verdict import Judgement, Outcome
from stressweb.core.words import counted
from stressweb.log.ledger import Entry


def verdict_words(graded: Graded) -> str:
    """Return the verdict of a tester in a few words: "passes", "fails at 3", "none"."""
    if graded.tester_verdict == "fail":
        return f"fails at {graded.tester_step}"
    return "passes" if graded.tester_verdict == "pass" else "none"


def verdict_sentence(graded: Graded) -> str:
    """Return a sentence that compares the verdict on a test case with its truth."""
    if graded.truth not in ("pass", "fail"):
        return "The test case has no stated truth, so that its verdict is neither right nor wrong, and is in no rate."
    truth = "it passes" if graded.truth == "pass" else f"it fails at step {graded.truth_step}"
    cause = f" ({graded.tester_cause})" if graded.tester_cause else ""
    claim = f"It said that the case fails at step {graded.tester_step}{cause}"
    sentences = {
        Outcome.TN: "It said that the case passes, and it does.",
        Outcome.FP: f"False alarm. {claim}; {truth}.",
        Outcome.FN: f"Missed. It said that the case passes; {truth}.",
        Outcome.AFC: f"{claim}, and it does.",
        Outcome.AFB: f"{claim}; {truth}.",
        Outcome.AFA: f"{claim}; {truth}.",
    }
    return sentences.get(Outcome(graded.judged), f"It gave no verdict; {truth}.")


def step_in_question(judgement: Judgement) -> int:
    """Return the step of a test case to look at first: the one called failing, or the failing one."""
    step = judgement.failing_step if judgement.verdict == "pass" else judgement.step
    return step or 1


def entries_of_case(judgement: Judgement, ledger: Sequence[Entry]) -> list[Entry]:
    """Return the ledger lines of the step in question."""
    first, end = judgement.span(step_in_question(judgement))
    return [entry for entry in ledger if first <= entry.step < end]


def verdicts_sentence(agent: str, where: str, rows: Sequence[ResultRow]) -> str:
    """Return how many test cases an agent judged correctly, and its errors; "" if it also did tasks."""
    figures = [row.testing for row in rows if row.testing]
    cases = sum(row.passing + row.failing for row in figures)
    if len(figures) < len(rows) or not cases:
        return ""
    right = sum(row.right for row in figures)
    false_alarms, missed = sum(row.false_alarms for row in figures), sum(row.missed for row in figures)
    silent = sum(row.no_verdict for row in figures)
    misplaced = sum(row.outcomes.get(outcome, 0) for row in figures for outcome in (Outcome.AFB, Outcome.AFA))
    errors = [
        counted(false_alarms, "false alarm") if false_alarms else "",
        f"{counted(missed, 'failure')} missed" if missed else "",
        f"{counted(misplaced, 'failure')} at a wrong step" if misplaced else "",
        f"{silent} without a verdict" if silent else "",
    ]
    share = "all" if right == cases else right or "none"
    start = f"{agent} judged {counted(cases, 'test case')} {where}, {share} rightly"
    return f"{start}; {', '.join(filter(None, errors))}." if any(errors) else f"{start}."
