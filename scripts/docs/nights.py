"""The simulated nights for the documents: how often and how soon they alarm, and how long regressions stay open."""

from collections.abc import Mapping, Sequence

from scripts.docs.markdown import table
from scripts.nightly_simulator import (
    ALARM_WITHIN,
    BASELINES,
    CLOSED_WITHIN,
    DECLINES,
    MODES,
    TASKS,
    Agent,
    Performance,
    agents,
    simulate,
)
from scripts.simulator import POPULATIONS
from stressweb.analysis.cusum import NIGHTS, RECOVERED, REFERENCE, THRESHOLD

SMALL = 0.10
"""The decline that the text about small losses uses."""
SIZES = (TASKS, 2 * TASKS, 4 * TASKS)
"""Numbers of tasks of a night."""


def nights(baselines: int = BASELINES) -> Mapping[str, str]:
    """Simulate the nights of every agent and return tables."""
    results = {agent: simulate(agent, baselines) for agent in agents()}
    by_decline = {
        decline: [result for agent, result in results.items() if agent.decline == decline] for decline in DECLINES
    }
    sizes = {
        (decline, size): by_decline[decline]
        if size == TASKS
        else [simulate(Agent(population, decline), baselines, size) for population in POPULATIONS]
        for decline in (SMALL, 2 * SMALL)
        for size in SIZES
    }
    parts = (_alarms(by_decline, baselines), _power(by_decline[SMALL], sizes), _closing(by_decline))
    return {"nights": "\n\n".join(parts)}


def _alarms(by_decline: Mapping[float, Sequence[Performance]], baselines: int) -> str:
    head = ["decline", f"alarms in {NIGHTS} nights", "first night"]
    head += [f"within {nights}" for nights in ALARM_WITHIN[1:]] + ["nights rerun", "nights red"]
    rows = [
        [
            _points(decline),
            _range([f"{row.alarms:.1f}" for row in measured]),
            *(_percent([row.within[nights] for row in measured]) for nights in ALARM_WITHIN),
            _percent([row.reruns for row in measured]),
            _percent([row.open_nights for row in measured]),
        ]
        for decline, measured in by_decline.items()
    ]
    caption = (
        f"Simulated nights of {TASKS} tasks under clean and {MODES} modes, {NIGHTS} nights after each of {baselines}"
        f" baselines, with reference value {REFERENCE:g} and threshold {THRESHOLD:g}. *Decline* is the loss of"
        f" robustness after the baseline. A range is over {len(POPULATIONS)} simulated populations of tasks. All nights"
        " share the luck of their baseline, which has one episode of every cell. A night is red while a regression is"
        " open; without a decline all red nights are false."
    )
    return f"{caption}\n\n{table(head, rows)}"


def _power(small: Sequence[Performance], sizes: Mapping[tuple[float, int], Sequence[Performance]]) -> str:
    week, month = (_percent([row.within[nights] for row in small]) for nights in (7, 30))
    caption = (
        f"**Small losses are often missed.** A loss of {100 * SMALL:.0f} points alarms within 7 nights after {week} of"
        f" the baselines, and within 30 nights after {month}. More nights help only so far, because all of them are"
        " compared with the same baseline: if the baseline had bad luck, the loss stays hidden. More tasks help more:"
    )
    head = ["decline", "tasks of a night", *(f"within {nights}" for nights in ALARM_WITHIN[1:])]
    rows = [
        [
            _points(decline),
            str(size),
            *(_percent([row.within[nights] for row in measured]) for nights in ALARM_WITHIN[1:]),
        ]
        for (decline, size), measured in sizes.items()
    ]
    return f"{caption}\n\n{table(head, rows)}"


def _closing(by_decline: Mapping[float, Sequence[Performance]]) -> str:
    caption = (
        f"An open regression is closed when its [second sum](#an-open-regression) is above {RECOVERED:g}. *Closed"
        f" wrongly* is the share of open regressions that are closed within the {NIGHTS} nights although the decline"
        " lasts; *not red* is the share of nights after the alarm without an open regression. The other columns are the"
        " shares closed within the given number of nights after the agent is repaired. Regressions that do not close"
        " need a new baseline: the old one had good luck, so the repaired agent still looks worse."
    )
    head = ["decline", "closed wrongly", "not red", *(f"repaired: within {nights}" for nights in CLOSED_WITHIN)]
    rows = [
        [
            _points(decline),
            _percent([row.closed for row in measured]),
            _percent([row.green for row in measured]),
            *(_percent([row.recovered[nights] for row in measured]) for nights in CLOSED_WITHIN),
        ]
        for decline, measured in by_decline.items()
        if decline >= SMALL
    ]
    return f"{caption}\n\n{table(head, rows)}"


def _points(decline: float) -> str:
    return f"{100 * decline:.0f} points" if decline else "none"


def _percent(shares: Sequence[float]) -> str:
    return _range([f"{100 * share:.0f}" for share in (min(shares), max(shares))]) + " %"


def _range(figures: Sequence[str]) -> str:
    low, high = min(figures, key=float), max(figures, key=float)
    return low if low == high else f"{low} to {high}"
