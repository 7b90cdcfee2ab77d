"""The coverage of the intervals of curves and the false alarms of their tests, for the documents."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from scripts.curve_simulator import DESIGNS, FIGURES, RUNS, Coverage, Design, scenarios, simulate
from scripts.docs.markdown import table
from stressweb.core.words import counted


def curve_coverage(runs: int = RUNS) -> Mapping[str, str]:
    """Run every scenario and return a table with the lowest coverage and the most alarms for each size of a run.

    The bootstrap takes long, so it is measured only in a fifth of the runs, and only for designs that compare it.
    """
    measured = {
        design: [
            simulate(scenario, runs, bootstrapped=runs // 5 if _compared(design) else 0)
            for scenario in scenarios((design,))
        ]
        for design in DESIGNS
    }
    head = ["interval of", "tasks", "episodes of each", *FIGURES, "trend alarms", "interaction alarms"]
    rows = [[*_size(design), *_least(own), *_most(own)] for design, own in measured.items()]
    every = [figures_of_scenario for own in measured.values() for figures_of_scenario in own]
    means = [
        f"{100 * fmean(row.covered[figure] for row in every if figure in row.covered):.1f} %" for figure in FIGURES
    ]
    caption = (
        "Lowest coverage of the 95 % intervals, and highest share of false alarms at 5 %. Each row is"
        f" {counted(len(every) // len(measured), 'scenario')} of {runs:,} runs ({runs // 5:,} for the bootstrap);"
        " the last is the mean over all scenarios."
    )
    return {"curve-coverage": f"{caption}\n\n{table(head, [*rows, ['mean', '', '', *means, '', '']])}"}


def _compared(design: Design) -> bool:
    return not design.new and design.repeats == 1


def _size(design: Design) -> list[object]:
    of = f"new sites ({design.sites})" if design.new else "these sites"
    return [of, design.tasks, design.repeats]


def _least(measured: Sequence[Coverage]) -> list[str]:
    covered = ([row.covered[figure] for row in measured if figure in row.covered] for figure in FIGURES)
    return [f"{100 * min(shares):.1f} %" if shares else "" for shares in covered]


def _most(measured: Sequence[Coverage]) -> list[str]:
    alarmed = ([row.alarms[test] for row in measured if test in row.alarms] for test in ("trend", "interaction"))
    return [f"{100 * max(shares):.1f} %" if shares else "" for shares in alarmed]
