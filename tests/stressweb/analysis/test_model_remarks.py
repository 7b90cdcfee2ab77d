"""Remarks below the table about language models and their endpoints."""

from typing import Any

from stressweb.analysis.measures import measure
from stressweb.analysis.model_remarks import model_remarks
from tests.stressweb.analysis.printed_tables import episode

FAILED = "it is not JSON: Expecting value: I would\x1b[31m click."


def lines(*changes: dict[str, Any]) -> list[str]:
    """Return the remarks on a run with one episode per argument."""
    rows = measure(
        episode("model", n, "clean" if n % 2 else "remap@3", False, **fields) for n, fields in enumerate(changes)
    )
    return model_remarks(rows)


def test_agents_without_a_model_have_no_remarks() -> None:
    assert lines({}, {}) == []


def test_three_invalid_answers_are_reported_with_the_first() -> None:
    ended = {"status": "gave_up", "claim": "failed", "unanswered": FAILED, "rejected": 3}
    assert lines(ended, ended) == [
        (
            "model: 2 of 2 episodes ended because three answers in a row were no action; "
            "first: it is not JSON: Expecting value: I would [31m click."
        )
    ]
    assert lines(ended, {}, {})[0].startswith("model: 1 of 3 episodes ended")
    (long,) = lines({**ended, "unanswered": "x" * 1000})
    assert len(long) < 300


def test_refusals_of_an_endpoint_are_reported_for_errors_too() -> None:
    error = {"status": "error", "claim": "none"}
    both = {"refused": ("pictures", "JSON schema")}
    assert lines(both, {**error, "refused": ("pictures",)}) == [
        "model: the endpoint refused pictures in 2 of 2 episodes, JSON schema in 1 of 2."
    ]
    assert lines({"refused": ("page length",)}, {}) == ["model: the page was cut to fit the model in 1 of 2 episodes."]


def test_answers_extracted_from_other_text_are_counted() -> None:
    assert lines({"unwrapped": 3}, {}) == ["model: 3 answers in 1 of 2 episodes had to be taken out of other text."]


def test_the_rows_have_the_same_figures() -> None:
    error = episode("model", 0, "clean", False, status="error", requests=4, rejected=1, refused=("seed",))
    (row,) = measure([error, episode("model", 1, "clean", True, requests=2, unwrapped=1, refused=("seed",))])
    assert (row.requests, row.rejected, row.unwrapped, row.unwrapped_in, row.refused) == (6, 1, 1, 1, {"seed": 2})
