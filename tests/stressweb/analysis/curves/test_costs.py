"""The cost of success."""

from functools import partial

import pytest

from stressweb.analysis.curves.costs import costs
from stressweb.core.price import Price
from tests.stressweb.analysis.curves.small_runs import site_episode


def test_failures_and_errors_are_paid_for_too() -> None:
    spent = partial(site_episode, tokens_in=1_000_000, tokens_out=100_000, seconds=2.0, steps=10)
    episodes = [
        spent(0, "clean", True),
        spent(1, "clean", True),
        spent(2, "clean", False),
        spent(3, "clean", True, status="error"),
    ]
    total = costs("naive", "clean", episodes, Price(input=2.5, output=10))
    assert (total.episodes, total.successes) == (4, 2)
    assert (total.tokens_in, total.tokens_out, total.seconds, total.steps) == (4_000_000, 400_000, 8, 40)
    assert total.dollars == pytest.approx(14)
    assert total.dollars_per_success == pytest.approx(7)
    assert (total.tokens_per_success, total.seconds_per_success, total.steps_per_success) == (2_200_000, 4, 20)


def test_without_a_price_or_a_success_there_is_no_cost() -> None:
    unpriced, lost = (
        costs("naive", "clean", [site_episode(0, "clean", True)]),
        costs("naive", "clean", [site_episode(0, "clean", False)], Price(input=1, output=1)),
    )
    assert (unpriced.dollars, unpriced.dollars_per_success) == (None, None)
    assert lost.dollars == 0
    assert (lost.dollars_per_success, lost.tokens_per_success, lost.seconds_per_success) == (None, None, None)


def test_a_free_model_costs_nothing() -> None:
    assert costs("naive", "clean", [site_episode(0, "clean", True, tokens_in=5)], Price(input=0, output=0)).dollars == 0
