"""The simulated coverage of intervals and false alarms of tests, for the documents."""

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
    Coverage,
    alarms,
    hiding,
    scenarios,
    simulate,
)
from stressweb.core.words import counted


def simulated(runs: int = RUNS) -> Mapping[str, str]:
    """Run every scenario and return a table with the lowest coverage and the most alarms."""
    measured = {scenario: simulate(scenario, runs) for scenario in scenarios()}
    without = {scenario: alarms(scenario, runs) for scenario in measured if scenario.loss == 0}
    rows = []
    for tasks, repeats in product(TASKS, REPEATS):
        own = [
            figures_of_scenario
            for scenario, figures_of_scenario in measured.items()
            if scenario[1:3] == (tasks, repeats)
        ]
        false = [rates for scenario, rates in without.items() if scenario[1:3] == (tasks, repeats)]
        most = (max(rates.single for rates in false), max(rates.family for rates in false))
        rows.append([tasks, repeats, *_least(own), *(f"{100 * rate:.1f} %" for rate in most)])
    means = [f"{100 * fmean(_covered(list(measured.values()), figure)):.1f} %" for figure in FIGURES]
    head = ["tasks", "repeats", *FIGURES, "alarms, 1 condition", f"alarms, {FAMILY} conditions"]
    coverage_table = table(head, [*rows, ["mean", "", *means, "", ""]])
    losses = ", ".join(f"{100 * loss:.0f}" for loss in LOSSES)
    caption = (
        f"Lowest coverage of the 95 % intervals, and highest share of false alarms at 5 %, over {len(measured)}"
        f" scenarios of {runs:,} runs: {counted(len(POPULATIONS), 'population')} of tasks on two sites, losses of"
        f" {losses} points, without errors and with 12 % of them under the condition. The last row is the mean over"
        " scenarios."
    )
    return {"coverage": f"{caption}\n\n{coverage_table}\n\n{hidden(runs)}"}


def hidden(runs: int) -> str:
    """Run every scenario in which errors depend on the outcome and return a table with the lowest coverage."""
    scenarios = list(hiding())
    measured = {scenario: simulate(scenario, runs) for scenario in scenarios}
    rows = []
    for tasks, repeats in product(TASKS, REPEATS):
        own = [
            figures_of_scenario
            for scenario, figures_of_scenario in measured.items()
            if scenario[1:3] == (tasks, repeats)
        ]
        rows.append([tasks, repeats, *_least(own)])
    ignoring = [simulate(scenario, runs, ignoring=True) for scenario in scenarios]
    coverage_table = table(["tasks", "repeats", *FIGURES], [*rows, ["if errors were ignored", "", *_least(ignoring)]])
    caption = (
        f"Lowest coverage of the 95 % intervals over {len(measured)} scenarios of {runs:,} runs, in which errors hide"
        f" {100 * HIDING:.0f} % of the outcomes under the condition: failures alone, or successes alone."
        " The last row is the lowest coverage of intervals that leave errors out."
    )
    return f"{caption}\n\n{coverage_table}"


def _covered(measured: Sequence[Coverage], figure: str) -> list[float]:
    return [covered for row in measured for name, covered in row.covered.items() if name == figure]


def _least(measured: Sequence[Coverage]) -> list[str]:
    return [f"{100 * min(_covered(measured, figure)):.1f} %" for figure in FIGURES]
