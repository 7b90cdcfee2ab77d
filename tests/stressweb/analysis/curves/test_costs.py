"""What success cost."""

import pytest

from stressweb.analysis.curves.costs import Price, costs
from tests.stressweb.analysis.curves.making import at


def test_failures_and_errors_are_paid_for_too() -> None:
    spent = {"tokens_in": 1_000_000, "tokens_out": 100_000, "seconds": 2.0, "steps": 10}
    episodes = [
        at(0, "clean", True, **spent),
        at(1, "clean", True, **spent),
        at(2, "clean", False, **spent),
        at(3, "clean", True, **spent, status="error"),
    ]
    found = costs("naive", "clean", episodes, Price(2.5, 10))
    assert (found.episodes, found.successes) == (4, 2)
    assert (found.tokens_in, found.tokens_out, found.seconds, found.steps) == (4_000_000, 400_000, 8, 40)
    assert found.dollars == pytest.approx(14)
    assert found.dollars_per_success == pytest.approx(7)
    assert (found.tokens_per_success, found.seconds_per_success, found.steps_per_success) == (2_200_000, 4, 20)


def test_without_price_or_success_there_is_none() -> None:
    unpriced, lost = (
        costs("naive", "clean", [at(0, "clean", True)]),
        costs("naive", "clean", [at(0, "clean", False)], Price(1, 1)),
    )
    assert (unpriced.dollars, unpriced.dollars_per_success) == (None, None)
    assert lost.dollars == 0
    assert (lost.dollars_per_success, lost.tokens_per_success, lost.seconds_per_success) == (None, None, None)


def test_what_is_free_costs_nothing() -> None:
    assert costs("naive", "clean", [at(0, "clean", True, tokens_in=5)], Price(0, 0)).dollars == 0
