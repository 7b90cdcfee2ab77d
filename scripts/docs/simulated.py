"""The part of the documents that is simulated: how often intervals cover and tests alarm."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from scripts.docs.parts import table
from scripts.simulator import (
    FAMILY,
    FIGURES,
    LOSSES,
    POPULATIONS,
    REPEATS,
    RUNS,
    TASKS,
    Found,
    alarms,
    scenarios,
    simulate,
)
from stressweb.wording import counted


def simulated(runs: int = RUNS) -> Mapping[str, str]:
    """Run every scenario and return a table of the least coverage and the most alarms."""
    found = {scenario: simulate(scenario, runs) for scenario in scenarios()}
    nulls = [scenario for scenario in found if scenario.loss == 0]
    rates = {(scenario, family): alarms(scenario, runs, family) for scenario in nulls for family in (1, FAMILY)}
    rows = []
    for tasks in TASKS:
        for repeats in REPEATS:
            own = [one for scenario, one in found.items() if (scenario.tasks, scenario.repeats) == (tasks, repeats)]
            most = [
                max(
                    rate
                    for (one, many), rate in rates.items()
                    if (one.tasks, one.repeats, many) == (tasks, repeats, family)
                )
                for family in (1, FAMILY)
            ]
            rows.append([tasks, repeats, *_least(own), *(f"{100 * rate:.1f} %" for rate in most)])
    means = [f"{100 * fmean(_covered(list(found.values()), figure)):.1f} %" for figure in FIGURES]
    head = ["tasks", "repeats", *FIGURES, "alarms, 1 condition", f"alarms, {FAMILY} conditions"]
    shown = table(head, [*rows, ["mean", "", *means, "", ""]])
    losses = ", ".join(f"{100 * loss:.0f}" for loss in LOSSES)
    said = (
        f"Least coverage of the 95 % intervals, and most alarms at 5 % without a loss, over {len(found)} scenarios of"
        f" {runs:,} runs: {counted(len(POPULATIONS), 'population')} of tasks on two sites, losses of {losses} points,"
        f" without errors and with 12 % of them under the condition. The last row is the mean over scenarios."
    )
    return {"coverage": f"{said}\n\n{shown}"}


def _covered(found: Sequence[Found], figure: str) -> list[float]:
    return [covered for one in found for name, covered in one.covered.items() if name == figure]


def _least(found: Sequence[Found]) -> list[str]:
    return [f"{100 * min(_covered(found, figure)):.1f} %" for figure in FIGURES]
