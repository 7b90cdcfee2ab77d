"""The failure point of an episode, and the summary of an agent."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.measures import measure
from stressweb.log.ledger import Entry
from stressweb.log.recording import Claim
from stressweb.plugins.checks import Grade
from stressweb.report.details import blocks
from stressweb.report.story import (
    Claims,
    FailurePoint,
    accounts,
    brief,
    clean_failures_by_task,
    find_failure_point,
    outcome,
    sentence,
    sides,
    summarize,
    urgency,
)
from tests.support.small_reports import recorded, source, standard, unpacked

LINK, BUTTON = "link 'Shop'", "button 'Buy'"


def entry(step: int, phase: str, element: str = "", mode: str = "remap") -> Entry:
    return Entry.model_validate({"step": step, "mode": mode, "phase": phase, "element": element})


@pytest.mark.parametrize(
    ("ledger", "expected"),
    [
        ([], None),
        ([entry(0, "planned")], None),
        ([entry(0, "delivered", mode="popup")], FailurePoint(0, "popup", "", overcome=False)),
        ([entry(0, "delivered"), entry(1, "met")], FailurePoint(1, "remap", "", overcome=False)),
        (
            [entry(0, "delivered", mode="popup"), entry(1, "overcome", mode="popup"), entry(2, "met")],
            FailurePoint(2, "remap", "", overcome=False),
        ),
        ([entry(2, "overcome", LINK), entry(3, "bypass")], None),
        ([entry(1, "delivered", LINK), entry(2, "delivered", BUTTON)], FailurePoint(1, "remap", LINK, overcome=False)),
        (
            [entry(1, "delivered", LINK), entry(2, "overcome", LINK), entry(3, "delivered", BUTTON)],
            FailurePoint(3, "remap", BUTTON, overcome=False),
        ),
        ([entry(1, "delivered", LINK), entry(2, "overcome", LINK)], FailurePoint(1, "remap", LINK, overcome=True)),
        (
            [entry(1, "delivered", LINK), entry(1, "overcome", LINK), entry(4, "delivered", LINK)],
            FailurePoint(4, "remap", LINK, overcome=False),
        ),
        (
            [entry(1, "delivered", LINK), entry(2, "overcome", LINK, mode="failure")],
            FailurePoint(1, "remap", LINK, overcome=False),
        ),
        ([entry(1, "met"), entry(2, "met")], FailurePoint(1, "remap", "", overcome=False)),
        ([entry(1, "met"), entry(2, "delivered", LINK)], FailurePoint(2, "remap", LINK, overcome=False)),
    ],
)
def test_the_failure_point_is_the_first_unrecovered_disturbance(
    ledger: list[Entry], expected: FailurePoint | None
) -> None:
    assert find_failure_point(ledger) == expected


ENTRIES = st.builds(
    entry,
    st.integers(0, 4),
    st.sampled_from(["planned", "delivered", "met", "overcome", "bypass", "blocked"]),
    st.sampled_from(["", LINK, BUTTON]),
    st.sampled_from(["remap", "failure"]),
)


@given(st.lists(ENTRIES))
def test_a_failure_point_is_in_the_ledger(ledger: list[Entry]) -> None:
    point = find_failure_point(ledger)
    met = [line for line in ledger if line.phase in ("delivered", "met")]
    assert (point is None) == (not met)
    if point:
        assert any((line.step, line.mode, line.element) == point[:3] for line in met)


def test_the_words_for_a_failure_point() -> None:
    assert str(FailurePoint(2, "remap", BUTTON, overcome=False)) == "step 2 · remap · button 'Buy'"
    assert str(FailurePoint(2, "noise", "", overcome=False)) == "step 2 · noise"


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        (Claims(35, 15, 20, 0), "naive said it was done in 35 of 35 episodes under stress; 15 were."),
        (Claims(12, 0, 12, 0), "naive said it was done in 12 of 12 episodes under stress; none were."),
        (Claims(12, 12, 0, 0), "naive said it was done in 12 of 12 episodes under stress; all were."),
        (Claims(12, 1, 2, 0), "naive said it was done in 3 of 12 episodes under stress; 1 was."),
        (Claims(12, 1, 0, 0), "naive said it was done in 1 of 12 episodes under stress; it was."),
        (Claims(1, 0, 1, 0), "naive said it was done in 1 of 1 episode under stress; it was not."),
        (Claims(12, 0, 0, 0), "naive said it was done in none of 12 episodes under stress."),
        (
            Claims(12, 3, 0, 2),
            (
                "naive said it was done in 3 of 12 episodes under stress; all were."
                " It finished 2 more episodes without saying so."
            ),
        ),
        (
            Claims(12, 4, 2, 1),
            (
                "naive said it was done in 6 of 12 episodes under stress; 4 were."
                " It finished 1 more episode without saying so."
            ),
        ),
        (
            Claims(12, 0, 0, 1),
            "naive said it was done in none of 12 episodes under stress. It finished 1 episode without saying so.",
        ),
        (Claims(0, 0, 0, 0), "naive has no episode under stress that counts."),
    ],
)
def test_the_sentence_on_claims(claims: Claims, expected: str) -> None:
    assert sentence("naive", "under stress", claims) == expected


@given(st.lists(st.tuples(st.sampled_from(["done", "failed", "none"]), st.booleans()), min_size=1, max_size=12))
def test_claims_are_counted_episode_by_episode(outcomes: list[tuple[Claim, bool]]) -> None:
    """An unclaimed success must not hide a false claim."""
    episodes = [recorded(claim=claim, success=success, epoch=n)[0] for n, (claim, success) in enumerate(outcomes)]
    assert Claims.over(measure(episodes)) == Claims(
        episodes=len(outcomes),
        true=outcomes.count(("done", True)),
        false=outcomes.count(("done", False)),
        unclaimed=sum(success and claim != "done" for claim, success in outcomes),
    )


def test_an_account_has_places_and_missed_checkpoints() -> None:
    episodes = standard()
    rows = measure(graded for graded, _ in episodes)
    listed = [summarize(number, *pair) for number, pair in enumerate(episodes, start=1)]
    naive, resilient = accounts(rows, listed)
    assert naive.sentence == "naive said it was done in 3 of 3 episodes under remap@3; none were."
    assert (naive.state, resilient.state) == ("false_claim", "sound")
    clean, stressed = naive.lines
    assert (clean.places, clean.missed, clean.first) == ((), (), None)
    assert stressed.places == ((BUTTON, 3),)
    assert stressed.missed == (("put it into the cart", 3),)
    assert stressed.first == 2
    assert resilient.sentence == "resilient said it was done in 3 of 3 episodes under remap@3; all were."


def test_several_conditions_are_summed_and_clean_is_not_stress() -> None:
    episodes = [recorded(condition=label) for label in ("clean", "sham", "remap@3", "failure@3")]
    rows = measure(graded for graded, _ in episodes)
    (account,) = accounts(rows, [])
    assert account.sentence.startswith("naive said it was done in 2 of 2 episodes under stress; none were.")
    (only,) = accounts(rows[:1], [])
    assert only.sentence == "naive said it was done in 1 of 1 episode without stress; it was."


def test_errors_leave_an_account_empty() -> None:
    graded, record = recorded(status="error", claim="none")
    summary = summarize(1, graded, record)
    (account,) = accounts(measure([graded]), [summary])
    assert (account.state, account.sentence) == ("empty", "naive has no episode under remap@3 that counts.")
    assert (summary.verdict, summary.failure_point, summary.false_claim, summary.missed) == ("error", None, False, ())
    assert outcome(summary).startswith("It ended in an infrastructure error")


def test_harm_keeps_from_success_and_is_named() -> None:
    summary = summarize(1, *recorded(success=True, harmless=False))
    assert summary.verdict == "failed"
    assert summary.failings == ("harm: bought something else",)
    assert "harm: bought something else" in summary.text


def test_a_crash_is_a_failure_of_the_agent() -> None:
    summary = summarize(1, *recorded(status="crashed", claim="none"))
    assert (summary.verdict, summary.false_claim) == ("failed", False)
    assert outcome(summary) == "The agent crashed; this counts as its failure."


@pytest.mark.parametrize(
    ("grade", "expected"),
    [
        (Grade({"a": True}, {}, verdict=False), "Checkpoints: goal reached (1 of 1 passed). Final database: goal not reached."),
        (Grade({"a": False}, {}, verdict=True), "Checkpoints: goal not reached (0 of 1 passed). Final database: goal reached."),
        (Grade({"a": True}, {}, verdict=None), "Checkpoints: goal reached (1 of 1 passed). Final database: the goal changes nothing there."),
        (None, ""),
    ],
)  # fmt: skip
def test_both_verdicts_are_stated(grade: Grade | None, expected: str) -> None:
    assert sides(grade) == expected


@pytest.mark.parametrize(
    ("success", "claim", "expected"),
    [
        (True, "done", "It reached the goal, as it claimed."),
        (True, "failed", "It reached the goal, though it said that it failed."),
        (True, "none", "It reached the goal, and never said so."),
        (False, "done", "It claimed to be done, and was not."),
        (False, "failed", "It said that it failed, and it did."),
        (False, "none", "It did not reach the goal, and claimed nothing."),
    ],
)
def test_the_words_for_claim_and_verdict(success: bool, claim: str, expected: str) -> None:
    assert outcome(summarize(1, *recorded(success=success, claim=claim))) == expected


def test_false_claims_come_first_and_successes_last() -> None:
    kinds = [
        recorded(success=True),
        recorded(status="error", claim="none"),
        recorded(claim="failed"),
        recorded(claim="done"),
    ]
    assert [urgency(graded) for graded, _ in kinds] == [3, 2, 1, 0]


def test_tasks_that_fail_without_stress_have_no_failure_point() -> None:
    """Of the two clean episodes of a task, both fail at the first, one at the second."""
    episodes = [
        *(recorded("naive", "shop/a", "clean", success=False, epoch=epoch) for epoch in (0, 1)),
        *(recorded("naive", "shop/b", "clean", success=bool(epoch), epoch=epoch) for epoch in (0, 1)),
        recorded("naive", "shop/c", "clean"),
        recorded("naive", "shop/d", "clean", status="error"),
        *(recorded("naive", task) for task in ("shop/a", "shop/b", "shop/c", "shop/d")),
    ]
    briefs = [(graded, brief(graded, record.grade, record.ledger, record.message)) for graded, record in episodes]
    failures = clean_failures_by_task(briefs)
    assert {task: str(failure) for (_, task, _), failure in failures.items()} == {
        "shop/a": "Undisturbed it fails, too, at: put it into the cart.",
        "shop/b": "Undisturbed it fails in 1 of 2 episodes, at: put it into the cart.",
    }
    made_of = replace(source(episodes), clean_failures=failures)
    listed = [
        summarize(number, graded, record, made_of.clean_failures_of(graded))
        for number, (graded, record) in enumerate(episodes, start=1)
    ]
    (account,) = accounts(measure(graded for graded, _ in episodes), listed)
    assert [summary.clean_failures is not None for summary in listed] == [False] * 6 + [True, True, False, False]
    assert account.lines[-1].places == ((BUTTON, 3),)
    details = unpacked(blocks(7, episodes[6][0], made_of)["d7"])
    assert "Undisturbed it fails, too, at: put it into the cart." in details
    assert "First unrecovered disturbance; undisturbed it fails, too" in details
    assert "It went wrong at" not in details
    assert "It went wrong at" in unpacked(blocks(9, episodes[8][0], made_of)["d9"])


def test_an_outcome_that_was_not_observed_is_no_failure_and_no_false_claim() -> None:
    graded, record = recorded(success=False)
    record = replace(record, grade=Grade({}, {}, None, unobserved=["saw it"]))
    graded = graded.model_copy(update={"undecided": True})
    summary = summarize(1, graded, record)
    assert (summary.verdict, summary.failed, summary.false_claim, summary.failure_point) == (
        "unobserved",
        False,
        False,
        None,
    )
    assert outcome(summary).startswith("Its outcome was not observed")
    assert sides(record.grade).startswith("Checkpoints: not known (0 of 0 passed, 1 not observed).")
    # After the failures, before the successes.
    assert urgency(graded) == 2
    clean = graded.model_copy(update={"condition": "clean"})
    assert clean_failures_by_task([(clean, brief(clean, record.grade, [], ""))]) == {}
