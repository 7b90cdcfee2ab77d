"""Budgets of a run: tokens, dollars and hours are counted, and the gate closes at a limit."""

import pytest

from stressweb.core.price import Price
from stressweb.plugins.agent import Usage
from stressweb.runner.plan.budget import Budget, BudgetGate, Spending, priced, unpriced

PRICES = {"big": Price(input=2.0, output=10.0), "small-2026": Price(input=0.5, output=1.0)}


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_price_is_per_million_tokens() -> None:
    assert Price(input=2.0, output=10.0).of(1_000_000, 500_000) == 7.0


def test_the_price_follows_the_servers_model_name_else_the_users() -> None:
    price = priced(PRICES, {"model(model=big)": "big", "model(model=small)": "small"})
    assert price("model(model=big)", Usage(model="big-snapshot")) == PRICES["big"]
    assert price("model(model=small)", Usage(model="small-2026")) == PRICES["small-2026"]
    assert price("model(model=small)", Usage()) is None
    assert unpriced(PRICES, ["big", "small", ""]) == ["small"]


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (Budget(tokens=1_500), "1,500 of 1,500 tokens were used"),
        (Budget(usd=0.006), "0.01 of 0.01 USD were spent"),
    ],
)
def test_a_limit_of_tokens_or_dollars_closes_the_gate(budget: Budget, message: str) -> None:
    spending = Spending(budget, priced(PRICES, {"m": "big"}))
    gate = BudgetGate(spending)
    assert (gate.shut, spending.spent) == (False, "")
    spending.add("m", Usage(tokens_in=1_000, tokens_out=0))
    assert not gate.shut
    spending.add("m", Usage(tokens_in=0, tokens_out=500))
    assert (gate.shut, gate.overdue, spending.spent) == (True, False, message)
    assert spending.usd == pytest.approx(0.007)


def test_after_the_time_limit_nothing_starts_and_after_the_grace_nothing_is_waited_for() -> None:
    clock = Clock()
    spending = Spending(Budget(hours=0.5), priced({}, {}), clock)
    gate = BudgetGate(spending)
    clock.now += 1799
    assert (gate.shut, gate.overdue) == (False, False)
    clock.now += 1
    assert (gate.shut, gate.overdue, spending.spent) == (True, False, "the run's 0.5 hours are over")
    clock.now += BudgetGate.GRACE_S + 1
    assert gate.overdue


def test_without_limits_the_gate_stays_open() -> None:
    clock = Clock()
    gate = BudgetGate(Spending(Budget(), priced({}, {}), clock))
    clock.now += 1e9
    assert (gate.shut, gate.overdue) == (False, False)
