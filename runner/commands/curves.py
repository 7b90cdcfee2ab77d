"""`stressweb curves`: prints a run's curves for severities, pairs of modes, steps, costs, tasks and repeats."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from stressweb.analysis.curves.measured import Curves, curves, to_json
from stressweb.analysis.curves.text import Pages
from stressweb.analysis.table import headline
from stressweb.core import choices
from stressweb.core.agent_names import by_name
from stressweb.core.errors import UserError
from stressweb.core.price import Price
from stressweb.log.run_folder import recorded_plan, run_folder
from stressweb.log.store import FILE, Store
from stressweb.runner.api.read import LocatedRun, graded, recorded_prices
from stressweb.runner.commands.output import say
from stressweb.runner.commands.show import say_unfinished


def show_curves(name: str, runs_dir: Path, price_texts: Sequence[str], *, as_json: bool, explain: bool = False) -> int:
    """Print the curves of a run, and how many episodes are missing; return 0.

    `price_texts` are the values of `--price`. Raises UserError for an unknown run or an invalid price.
    """
    folder = run_folder(name, runs_dir)
    with Store.read(folder / FILE) as store:
        episodes, plan, known = graded(store), recorded_plan(store), recorded_prices(store)
        planned, missing = len(store.cells()), store.missing()
    say_unfinished(LocatedRun(folder, folder.name), planned, missing)
    known |= prices(price_texts, list(dict.fromkeys(episode.agent for episode in episodes)))
    run_curves = curves(episodes, plan.conditions, known)
    if as_json:
        say(json.dumps({"run": str(folder), **to_json(run_curves)}, indent=2))
    else:
        Console().print(Pages(headline(episodes), run_curves, explain))
    return 0


def show_shape(folder: Path, *, explain: bool) -> None:
    """Print the dose responses and interactions of modes that a run has."""
    with Store.read(folder / FILE) as store:
        episodes, plan = graded(store), recorded_plan(store)
    run_curves = curves(episodes, plan.conditions)
    # Experiments are designed for these; `stressweb curves` prints the other curves.
    shape = Curves(
        dose_responses=[curve for curve in run_curves.dose_responses if len(curve.points) > 1],
    )
    if shape.dose_responses or shape.interactions:
        Console().print(Pages("", shape, explain))


def prices(price_texts: Sequence[str], agents: Sequence[str]) -> dict[str, Price]:
    """Return the price of each agent; `2.5,10` applies to all agents, `AGENT=2.5,10` to one.

    Raises UserError for an invalid price, and for an agent that is not in the run.
    """
    price_of: dict[str, Price] = {}
    for text in price_texts:
        # Split at the last =, since an agent's options may contain some.
        agent, _, figures = text.rpartition("=")
        price = _price(text, figures)
        labels = by_name(agents)
        if agent and agent not in labels:
            raise UserError(f"--price names agent {agent!r}, which is not in the run; {choices.offered(agent, agents)}")
        price_of.update(dict.fromkeys([labels[agent]] if agent else agents, price))
    return price_of


def _price(text: str, figures: str) -> Price:
    try:
        tokens_in, tokens_out = map(float, figures.split(","))
    except ValueError:
        tokens_in = tokens_out = math.nan
    if not (0 <= tokens_in < math.inf and 0 <= tokens_out < math.inf):
        raise UserError(
            f"--price {text!r} is not a price; pass US dollars per million input and output tokens, as in 2.5,10 or"
            " AGENT=2.5,10"
        )
    return Price(input=tokens_in, output=tokens_out)
