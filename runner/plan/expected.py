"""The expected time and cost of a plan, from earlier runs, and whether they exceed its budget."""

from dataclasses import dataclass
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.log.plan import Plan
from stressweb.plugins.agent import Usage
from stressweb.runner.plan.budget import priced, unpriced
from stressweb.runner.plan.earlier_runs import EarlierRuns, read_earlier_runs
from stressweb.runner.plan.experiment import Experiment


@dataclass(frozen=True)
class Expected:
    """What a plan is expected to take, from earlier runs of its agents and tasks."""

    seconds: float
    """Of all episodes, one after the other: as many workers share them."""
    tokens: float
    usd: float
    """0 for agents whose model has no price."""
    known: int
    """Cells of which an earlier run had the same agent on the same task."""
    cells: int
    episodes: int
    """Episodes of earlier runs that this is made from."""


def expected(plan: Plan, before: EarlierRuns, experiment: Experiment) -> Expected | None:
    """Return what a plan is expected to take; None if no earlier run says anything about it."""
    cells = plan.cells()
    price = priced(experiment.prices, models_of(plan))
    usd = tokens = 0.0
    for agent in plan.agents:
        # Agent by agent, because each has a price of its own.
        mine = before.estimate([cell for cell in cells if cell.agent == agent.label])
        if mine:
            agent_price = price(agent.label, Usage())
            usd += agent_price.of(mine.tokens_in, mine.tokens_out) if agent_price else 0.0
            tokens += mine.tokens_in + mine.tokens_out
    whole = before.estimate(cells)
    if whole is None:
        return None
    return Expected(whole.seconds, tokens, usd, whole.known, len(cells), whole.episodes)


def models_of(plan: Plan) -> dict[str, str]:
    """Return the model that each agent asks, by the agent's label; agents that ask none are not in it."""
    return {agent.label: str(model) for agent in plan.agents if (model := dict(agent.options).get("model"))}


def check_budget(experiment: Experiment, plan: Plan, runs_dir: Path) -> None:
    """Raise UserError if a limit of money cannot be enforced, or if a plan will cost more than its budget.

    The cost is known only if earlier runs in `runs_dir` had these agents.
    """
    budget = experiment.budget
    models = models_of(plan)
    # Without a price, no cost is counted, and a limit of money would never be reached.
    if budget.usd is not None and (missing := unpriced(experiment.prices, models.values())):
        form = f"prices: {{{missing[0]}: {{input: 1.25, output: 10}}}}, in USD per million tokens"
        raise UserError(f"budget.usd needs the price of model {missing[0]}; add {form}")
    if budget.usd is None and budget.tokens is None:
        return
    forecast = expected(plan, read_earlier_runs(runs_dir), experiment)
    if forecast and budget.usd is not None and forecast.usd > budget.usd:
        raise UserError(
            f"this plan will cost about {forecast.usd:.2f} USD, more than its budget of {budget.usd:.2f}; "
            "choose fewer tasks, conditions or repetitions, or raise budget.usd"
        )
    if forecast and budget.tokens is not None and forecast.tokens > budget.tokens:
        raise UserError(
            f"this plan will use about {forecast.tokens:,.0f} tokens, more than its budget of {budget.tokens:,}; "
            "choose fewer tasks, conditions or repetitions, or raise budget.tokens"
        )
