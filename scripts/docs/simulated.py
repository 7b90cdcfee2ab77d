"""The part of the documents that is simulated: how often intervals cover and tests alarm."""

from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean

from scripts.docs.markdown import table
from scripts.simulator import (
    FAMILY,
    FIGURES,
    HIDING,
    LOSSES,
    POPULATIONS,
    REPEATS,
    RUNS,
    TASKS,
    Found,
    alarms,
    hiding,
    scenarios,
    simulate,
)
from stressweb.core.words import counted


def simulated(runs: int = RUNS) -> Mapping[str, str]:
    """Run every scenario and return a table of the least coverage and the most alarms."""
    found = {scenario: simulate(scenario, runs) for scenario in scenarios()}
    without = {scenario: alarms(scenario, runs) for scenario in found if scenario.loss == 0}
    rows = []
    for tasks, repeats in product(TASKS, REPEATS):
        own = [one for scenario, one in found.items() if scenario[1:3] == (tasks, repeats)]
        false = [one for scenario, one in without.items() if scenario[1:3] == (tasks, repeats)]
        most = (max(one.single for one in false), max(one.family for one in false))
        rows.append([tasks, repeats, *_least(own), *(f"{100 * rate:.1f} %" for rate in most)])
    means = [f"{100 * fmean(_covered(list(found.values()), figure)):.1f} %" for figure in FIGURES]
    head = ["tasks", "repeats", *FIGURES, "alarms, 1 condition", f"alarms, {FAMILY} conditions"]
    shown = table(head, [*rows, ["mean", "", *means, "", ""]])
    losses = ", ".join(f"{100 * loss:.0f}" for loss in LOSSES)
    said = (
        f"Lowest coverage of the 95 % intervals, and highest share of false alarms at 5 %, over {len(found)} scenarios"
        f" of {runs:,} runs: {counted(len(POPULATIONS), 'population')} of tasks on two sites, losses of {losses}"
        " points, without errors and with 12 % of them under the condition. The last row is the mean over scenarios."
    )
    return {"coverage": f"{said}\n\n{shown}\n\n{hidden(runs)}"}


def hidden(runs: int) -> str:
    """Run every scenario in which errors depend on the outcome and return a table of the least coverage."""
    scenarios = list(hiding())
    found = {scenario: simulate(scenario, runs) for scenario in scenarios}
    rows = []
    for tasks, repeats in product(TASKS, REPEATS):
        own = [one for scenario, one in found.items() if scenario[1:3] == (tasks, repeats)]
        rows.append([tasks, repeats, *_least(own)])
    ignoring = [simulate(scenario, runs, ignoring=True) for scenario in scenarios]
    shown = table(["tasks", "repeats", *FIGURES], [*rows, ["if errors were left out", "", *_least(ignoring)]])
    said = (
        f"Lowest coverage of the 95 % intervals over {len(found)} scenarios of {runs:,} runs, in which errors hide"
        f" {100 * HIDING:.0f} % of the outcomes under the condition: failures alone, or successes alone."
        " The last row is the lowest coverage of intervals that leave errors out."
    )
    return f"{said}\n\n{shown}"


def _covered(found: Sequence[Found], figure: str) -> list[float]:
    return [covered for one in found for name, covered in one.covered.items() if name == figure]


def _least(found: Sequence[Found]) -> list[str]:
    return [f"{100 * min(_covered(found, figure)):.1f} %" for figure in FIGURES]
