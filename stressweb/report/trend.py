"""The page of the nights: the last night in words, the trend as charts, and every night in a table."""

from collections.abc import Sequence
from typing import Any

from stressweb.analysis import cusum
from stressweb.analysis.comparison_text import brief, sentence, share
from stressweb.analysis.nights import AgentNight, Night
from stressweb.core.words import counted
from stressweb.report import assets
from stressweb.report.chart import MARKS
from stressweb.report.trend_charts import charts

GENERATOR = '<meta name="generator" content="stressweb nights">'
_SCRIPTS = ("data", "theme", "charts", "nights")
_STATES = {"baseline": "empty", "unchanged": "", "improved": "", "non-inferior": ""}
"""State of an outcome's box; every other one is a warning."""
_COLOURS = {"false_claim": "red", "empty": "dim", "": "green"}


def trend(nights: Sequence[Night]) -> str:
    """Return the page of at least one night as one HTML document; equal nights give equal text."""
    last = nights[-1]
    drawn = charts(nights)
    code = assets.script(*_SCRIPTS)
    return (
        assets.environment()
        .get_template("nights.html")
        .render(
            generator=GENERATOR,
            policy=assets.policy(code),
            css=assets.css(),
            script=code,
            library=assets.library()[0],
            headline=f"{counted(len(nights), 'night')}; the last on {last.date}",
            last=last,
            latest=[_account(agent_night, last) for agent_night in last.agents],
            left_out=_named_left_out(last),
            accepted=last.accepted,
            charts=drawn,
            marks=MARKS,
            specs={chart.name: chart.spec for chart in drawn},
            # The newest first: after a year the last night would be at the end of hundreds of rows.
            rows=[_row(night, agent_night) for night in reversed(nights) for agent_night in night.agents],
            reference=f"{cusum.REFERENCE:g}",
            threshold=f"{cusum.THRESHOLD:g}",
            recovered=f"{cusum.RECOVERED:g}",
            ninety=cusum.NIGHTS,
        )
    )


def _account(agent_night: AgentNight, night: Night) -> dict[str, Any]:
    who = (
        agent_night.agent
        if agent_night.agent == agent_night.baseline
        else f"{agent_night.agent}, against {agent_night.baseline}"
    )
    lines = []
    for name, line in (("robustness", agent_night.robustness), ("clean", agent_night.clean)):
        if line:
            lines.append((name, sentence(line)))
    lines += [("open", regression_text) for regression_text in agent_night.open_text(night.left_out.tasks)]
    if agent_night.robustness is None and night.refused:
        lines.append(("refused", night.refused))
    if agent_night.rerun:
        rerun_changes = (
            f"robustness {sentence(agent_night.rerun.robustness)}; clean {sentence(agent_night.rerun.clean)}"
        )
        lines.append(("rerun", f"on a fresh stress seed: {rerun_changes}"))
    if agent_night.blocks:
        night_size = f"{counted(night.tasks, 'task')}, {agent_night.complete} of {agent_night.blocks} blocks complete"
        lines.append(
            ("size", f"{night_size}, {share(agent_night.equal, agent_night.cells)} of {agent_night.cells} cells equal")
        )
    elif agent_night.outcome == "baseline":
        lines.append(("size", f"{counted(night.tasks, 'task')}; the next nights are compared with this one"))
    return {
        "title": f"{who}: {agent_night.outcome_text}",
        "state": state(agent_night),
        "lines": lines,
        "failing": agent_night.failing,
    }


def _named_left_out(night: Night) -> list[tuple[str, str]]:
    """Return every task that the last night left out, with the reason and the remedy."""
    out = night.left_out
    rows = [(", ".join(out.changed), "changed since the baseline"), (", ".join(out.removed), "no longer there")]
    rows += [(task, f"cannot be loaded: {why}") for task, why in out.broken.items()]
    rows += [(", ".join(out.new), "not in the baseline"), (", ".join(out.conditions), "changed for every task")]
    return [row for row in rows if row[0]]


def _row(night: Night, agent_night: AgentNight) -> dict[str, Any]:
    return {
        "number": night.number,
        "date": night.date,
        "agent": agent_night.agent,
        "outcome": agent_night.outcome_text,
        "colour": _COLOURS.get(state(agent_night), "yellow"),
        "robustness": brief(agent_night.robustness),
        "clean": brief(agent_night.clean),
        "tasks": night.tasks,
        "equal": share(agent_night.equal, agent_night.cells),
        # The sum before an alarm reset it, which was compared with the threshold.
        "sum": f"{agent_night.highest_sum:.1f}" if agent_night.robustness else "–",
    }


def state(agent_night: AgentNight) -> str:
    """Return the class of the box of a night."""
    return "false_claim" if agent_night.regressed else _STATES.get(agent_night.outcome, "warned")
