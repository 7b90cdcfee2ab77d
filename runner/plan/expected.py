"""The expected time and cost of a plan, from earlier runs, and a check against its budget."""

from dataclasses import dataclass
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.log.plan import Plan
from stressweb.plugins.agent import Usage
from stressweb.runner.plan.budget import priced, unpriced
from stressweb.runner.plan.earlier_runs import EarlierRuns, read_earlier_runs
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.plan.prices import no_price


@dataclass(frozen=True)
class Expected:
    """The expected time and cost of a plan, from earlier runs of its agents and tasks."""

    seconds: float
    """Sum over all episodes; workers divide it among them."""
    tokens: float
    usd: float
    """Cost of the agents whose model has a price."""
    known: int
    """Number of cells with the agent and task of an earlier episode."""
    cells: int
    episodes: int
    """Number of earlier episodes on which the estimate is based."""


def expected(plan: Plan, earlier_runs: EarlierRuns, experiment: Experiment) -> Expected | None:
    """Return the expected time and cost of a plan; None if no earlier run had a similar cell."""
    cells = plan.cells()
    price = priced(experiment.prices, models_of(plan))
    usd = tokens = 0.0
    for agent in plan.agents:
        # By agent, because prices differ.
        estimate = earlier_runs.estimate([cell for cell in cells if cell.agent == agent.label])
        if estimate:
            agent_price = price(agent.label, Usage())
            usd += agent_price.of(estimate.tokens_in, estimate.tokens_out) if agent_price else 0.0
            tokens += estimate.tokens_in + estimate.tokens_out
    total = earlier_runs.estimate(cells)
    if total is None:
        return None
    return Expected(total.seconds, tokens, usd, total.known, len(cells), total.episodes)


def models_of(plan: Plan) -> dict[str, str]:
    """Return the models that agents use, by the agent's label; agents without a model are left out."""
    return {agent.label: str(model) for agent in plan.agents if (model := dict(agent.options).get("model"))}


def check_budget(experiment: Experiment, plan: Plan, runs_dir: Path) -> None:
    """Raise UserError if a price needed for the budget is missing, or if a plan will exceed its budget.

    The expected cost is known only if earlier runs in `runs_dir` had similar cells.
    """
    budget = experiment.budget
    models = models_of(plan)
    # Without a price no cost is counted, so the limit would never be reached.
    if budget.usd is not None and (missing := unpriced(experiment.prices, models.values())):
        raise no_price("budget.usd", missing[0])
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
