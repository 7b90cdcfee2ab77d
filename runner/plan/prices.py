"""Prices of models: the dated list that ships, overridden by an experiment's own prices."""

import datetime
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.errors import UserError
from stressweb.core.price import Price
from stressweb.core.yaml_models import read

_FILE = Path(__file__).with_name("prices.yaml")


class PriceList(BaseModel):
    """Prices of models, with their date and source."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    date: datetime.date
    source: str
    prices: Mapping[str, Price]
    """By the model's name."""


@cache
def shipped() -> PriceList:
    """Return the list that ships."""
    return read(_FILE, PriceList)


def known_prices(stated: Mapping[str, Price]) -> dict[str, Price]:
    """Return prices by model name: the stated ones, and for all other models those that ship."""
    return {**shipped().prices, **stated}


def no_price(limit: str, model: str) -> UserError:
    """Return the error for a model without a price, whose cost `limit` could not count."""
    return UserError(
        f"{limit} needs the price of model {model}, which is not in the list of {shipped().date}; "
        f"add prices: {{{model}: {{input: 1.25, output: 10}}}}, in USD per million tokens"
    )


def prices_for(agents: Iterable[AgentSpec], stated: Mapping[str, Price]) -> dict[str, Price]:
    """Return prices by model name, and by the label of each agent that uses a model.

    The label serves if the server reports another model name. Raises UserError for a model without a price.
    """
    known = known_prices(stated)
    for agent in agents:
        if model := str(dict(agent.options).get("model") or ""):
            if model not in known:
                raise no_price("cost-limit", model)
            known[agent.label] = known[model]
    return known
