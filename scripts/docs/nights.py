"""The part of the documents about nights: how often they alarm without a reason, and how soon with one."""

from collections.abc import Mapping, Sequence

from scripts.docs.parts import table
from scripts.nightly_simulator import BASELINES, DECLINES, MODES, TASKS, Found, agents, simulate
from scripts.simulator import POPULATIONS
from stressweb.analysis.cusum import NIGHTS, REFERENCE, THRESHOLD


def nights(baselines: int = BASELINES) -> Mapping[str, str]:
    """Follow every agent of the simulation through its nights and return a table."""
    found = {agent: simulate(agent, baselines) for agent in agents()}
    rows = []
    for decline in DECLINES:
        own = [one for agent, one in found.items() if agent.decline == decline]
        rows.append([f"{100 * decline:.0f} points" if decline else "none", *_row(own)])
    head = ["decline", f"alarms in {NIGHTS} nights", "first night", "within 7", "within 30", "nights rerun"]
    said = (
        f"Simulated nights of {TASKS} tasks under clean and {MODES} modes, {NIGHTS} nights after each of {baselines}"
        f" baselines, with reference {REFERENCE:g} and threshold {THRESHOLD:g}. A range is over {len(POPULATIONS)}"
        " populations of tasks. Each baseline has one episode of every cell, whose luck all its nights share."
    )
    return {"nights": f"{said}\n\n{table(head, rows)}"}


def _row(found: Sequence[Found]) -> list[str]:
    alarms = [one.alarms for one in found]
    shares = [[one.within[nights] for one in found] for nights in (1, 7, 30)] + [[one.reruns for one in found]]
    return [_range([f"{one:.1f}" for one in (min(alarms), max(alarms))]), *map(_percent, shares)]


def _percent(shares: Sequence[float]) -> str:
    return _range([f"{100 * min(shares):.0f}", f"{100 * max(shares):.0f}"]) + " %"


def _range(ends: Sequence[str]) -> str:
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
