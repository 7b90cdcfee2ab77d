"""Limits of an agent per episode: when they are reached, and how they are written."""

import pytest
from pydantic import ValidationError

from stressweb.core.errors import InfrastructureError
from stressweb.core.price import Price
from stressweb.log.limits import LIMITS, Limits
from stressweb.plugins.agent import Usage

PRICES = {"big": Price(input=2.0, output=10.0), "mine": Price(input=20.0, output=100.0)}
USED = Usage(tokens_in=1_000, tokens_out=500, model="big")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(), ""),
        (Limits(agent_tokens=1_501), ""),
        (Limits(agent_tokens=1_500), "1,500 of the 1,500 tokens of the episode are used"),
        (Limits(cost_limit=0.0071, prices=PRICES), ""),
        (Limits(cost_limit=0.007, prices=PRICES), "0.007 of the 0.007 USD of the episode are spent"),
    ],
)
def test_a_limit_is_reached_by_usage(limits: Limits, message: str) -> None:
    assert limits.used_up("mine", USED) == message


def test_the_price_goes_by_the_model_that_answered_and_else_by_the_agent() -> None:
    limits = Limits(cost_limit=0.07, prices=PRICES)
    assert limits.used_up("mine", Usage(tokens_in=1_000, tokens_out=500, model="mine-2026"))
    assert not limits.used_up("mine", USED)


def test_a_model_without_a_price_is_named_and_an_agent_without_a_model_costs_nothing() -> None:
    limits = Limits(cost_limit=1, prices=PRICES)
    assert limits.used_up("naive", Usage(seconds=2.0)) == ""
    with pytest.raises(InfrastructureError, match="cost-limit needs the price of model 'other'; add it to prices"):
        limits.used_up("agent", Usage(tokens_in=1, model="other"))


@pytest.mark.parametrize("cost", [0, -1, float("nan"), float("inf"), "much"])
def test_a_cost_limit_is_a_number_above_0(cost: object) -> None:
    with pytest.raises(ValidationError, match="cost_limit"):
        Limits.model_validate({"cost_limit": cost})


def test_a_chain_has_every_limit_once_for_each_of_its_tasks() -> None:
    limits = Limits(max_steps=7, agent_seconds=2.5, agent_tokens=900, cost_limit=0.25, screenshots=True, prices=PRICES)
    assert dict(limits.times(2)) == {
        **dict(limits),
        "max_steps": 14,
        "agent_seconds": 5.0,
        "agent_tokens": 1800,
        "cost_limit": 0.5,
    }
    assert Limits(max_steps=7).times(3) == Limits(max_steps=21)


def test_limits_are_written_as_words_and_as_options() -> None:
    limits = Limits(max_steps=7, agent_seconds=60.0, agent_tokens=9000, cost_limit=0.25, screenshots=True)
    assert str(limits) == "7 steps, 60 s, 9,000 tokens, 0.25 USD"
    words = "--max-steps 7 --agent-seconds 60 --agent-tokens 9000 --cost-limit 0.25"
    assert limits.options() == words.split()
    assert Limits().options() == []
    assert {f"--{name.replace('_', '-')}" for name in LIMITS} == set(words.split()[::2])


def test_every_limit_that_is_set_is_part_of_the_identity() -> None:
    assert Limits(screenshots=True, prices=PRICES).identity() == [100, None]
    several = [Limits(), Limits(agent_seconds=5), Limits(agent_tokens=5), Limits(cost_limit=5)]
    assert len({str(limits.identity()) for limits in several}) == len(several)
