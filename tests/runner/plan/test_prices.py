"""Prices of models: the shipped list, and prices of the user."""

import datetime
from pathlib import Path

import pytest

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.errors import UserError
from stressweb.core.price import Price
from stressweb.runner.plan.budget import Budget
from stressweb.runner.plan.expected import check_budget
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.plan.prices import prices_for, shipped

MINE = Price(input=1.0, output=2.0)


def asking(model: str) -> AgentSpec:
    return AgentSpec(label=f"model(model={model})", name="model", options=(("model", model),))


def test_the_list_that_ships_says_when_and_where_it_was_read() -> None:
    price_list = shipped()
    assert price_list.date > datetime.date(2026, 1, 1)
    assert "https://" in price_list.source
    assert all(0 < price.input < price.output for price in price_list.prices.values())


def test_an_agent_has_the_price_of_its_model_and_a_stated_price_comes_first() -> None:
    known = prices_for([asking("gpt-5"), asking("mine")], {"mine": MINE, "gpt-5": MINE})
    assert known["model(model=gpt-5)"] == known["model(model=mine)"] == MINE
    assert prices_for([asking("gpt-5")], {})["model(model=gpt-5)"] == shipped().prices["gpt-5"]


def test_a_model_without_a_price_is_named() -> None:
    with pytest.raises(UserError, match="cost-limit needs the price of model mine, which is not in the list of 20"):
        prices_for([asking("gpt-5"), asking("mine")], {})


def test_a_budget_in_dollars_uses_the_list_that_ships(tmp_path: Path) -> None:
    def check(model: str, prices: dict[str, Price]) -> None:
        experiment = Experiment(
            agents=(f"model(model={model})",), tasks=("shop/first-hit",), prices=prices, budget=Budget(usd=3)
        )
        check_budget(experiment, experiment.plan(), tmp_path)

    check("gpt-5", {})
    check("mine", {"mine": MINE})
    with pytest.raises(UserError, match=r"budget\.usd needs the price of model mine, which is not in the list of 20"):
        check("mine", {"other": MINE})


def test_only_a_plan_with_a_cost_limit_needs_prices() -> None:
    stated = Experiment(agents=("model(model=mine)",), tasks=("shop/first-hit",))
    assert stated.plan().prices == {}
    limited = stated.model_copy(update={"cost_limit": 0.5})
    with pytest.raises(UserError, match="price of model mine"):
        limited.plan()
    priced = limited.model_copy(update={"prices": {"mine": MINE}}).plan()
    assert (priced.cost_limit, priced.prices["model(model=mine)"]) == (0.5, MINE)
    # Serialisation for another process keeps the limits.
    assert type(priced).model_validate_json(priced.model_dump_json()).limits == priced.limits
