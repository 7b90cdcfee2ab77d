"""`stressweb curves`: curves and comparisons of a run: severities, pairs of modes, steps, costs, tasks, repeats."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from runner.commands.output import say
from runner.experiment.results import graded
from runner.experiment.run_folder import recorded_plan, run_folder
from stressweb.analysis.curves.costs import Price
from stressweb.analysis.curves.measured import curves, to_json
from stressweb.analysis.curves.text import Pages
from stressweb.analysis.table import headline
from stressweb.core import choices
from stressweb.core.errors import UserError
from stressweb.log.store import FILE, Store


def show_curves(name: str, runs_dir: Path, given: Sequence[str], *, as_json: bool, explain: bool = False) -> int:
    """Print what a run says about severities, pairs, steps, costs, tasks and repeats, and what it does not; return 0.

    `given` are prices as `--price` takes them. Raises UserError if there is no such run or a price is malformed.
    """
    folder = run_folder(name, runs_dir)
    with Store.read(folder / FILE) as store:
        episodes, plan = graded(store), recorded_plan(store)
    found = curves(episodes, plan.conditions, prices(given, list(dict.fromkeys(one.agent for one in episodes))))
    if as_json:
        say(json.dumps({"run": str(folder), **to_json(found)}, indent=2))
    else:
        Console().print(Pages(headline(episodes), found, explain))
    return 0


def prices(given: Sequence[str], agents: Sequence[str]) -> Mapping[str, Price]:
    """Return the price of each agent; `2.5,10` is that of all of them, `AGENT=2.5,10` of one.

    Raises UserError for what is no price, and for an agent that the run does not have.
    """
    found: dict[str, Price] = {}
    for text in given:
        # An agent's name may hold = itself, in its options; a price does not.
        agent, _, figures = text.rpartition("=")
        price = _price(text, figures)
        if agent and agent not in agents:
            raise UserError(f"--price names agent {agent!r}, which is not in the run; {choices.offered(agent, agents)}")
        found.update(dict.fromkeys([agent] if agent else agents, price))
    return found


def _price(text: str, figures: str) -> Price:
    try:
        tokens_in, tokens_out = map(float, figures.split(","))
    except ValueError:
        tokens_in = tokens_out = math.nan
    if not (0 <= tokens_in < math.inf and 0 <= tokens_out < math.inf):
        raise UserError(
            f"--price {text!r} is no price; give US dollars per million tokens read and written: 2.5,10 or AGENT=2.5,10"
        )
    return Price(tokens_in, tokens_out)
