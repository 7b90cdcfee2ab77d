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
"""How the box of an outcome looks; every other one is a warning."""
_COLOURS = {"false_claim": "red", "empty": "dim", "": "green"}


def trend(nights: Sequence[Night]) -> str:
    """Return the page of at least one night as one HTML document; the same nights give the same text."""
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
            latest=[_account(one, last) for one in last.agents],
            left_out=_named_left_out(last),
            accepted=last.accepted,
            charts=drawn,
            marks=MARKS,
            specs={chart.name: chart.spec for chart in drawn},
            # The newest first: after a year the last night would be at the end of hundreds of rows.
            rows=[_row(night, one) for night in reversed(nights) for one in night.agents],
            reference=f"{cusum.REFERENCE:g}",
            threshold=f"{cusum.THRESHOLD:g}",
            recovered=f"{cusum.RECOVERED:g}",
            ninety=cusum.NIGHTS,
        )
    )


def _account(one: AgentNight, night: Night) -> dict[str, Any]:
    who = one.agent if one.agent == one.baseline else f"{one.agent}, against {one.baseline}"
    lines = []
    for name, line in (("robustness", one.robustness), ("clean", one.clean)):
        if line:
            lines.append((name, sentence(line)))
    lines += [("open", said) for said in one.open_text(night.left_out.tasks)]
    if one.robustness is None and night.refused:
        lines.append(("refused", night.refused))
    if one.rerun:
        again = f"robustness {sentence(one.rerun.robustness)}; clean {sentence(one.rerun.clean)}"
        lines.append(("rerun", f"on a fresh stress seed: {again}"))
    if one.blocks:
        size = f"{counted(night.tasks, 'task')}, {one.complete} of {one.blocks} blocks complete"
        lines.append(("size", f"{size}, {share(one.equal, one.cells)} of {one.cells} cells equal"))
    elif one.outcome == "baseline":
        lines.append(("size", f"{counted(night.tasks, 'task')}; the next nights are compared with this one"))
    return {"title": f"{who}: {one.outcome_text}", "state": state(one), "lines": lines, "failing": one.failing}


def _named_left_out(night: Night) -> list[tuple[str, str]]:
    """Return every task that the last night left out, with the reason, and what takes them in again."""
    out = night.left_out
    rows = [(", ".join(out.changed), "changed since the baseline"), (", ".join(out.removed), "no longer there")]
    rows += [(task, f"cannot be loaded: {why}") for task, why in out.broken.items()]
    rows += [(", ".join(out.new), "not in the baseline"), (", ".join(out.conditions), "changed for every task")]
    return [row for row in rows if row[0]]


def _row(night: Night, one: AgentNight) -> dict[str, Any]:
    return {
        "number": night.number,
        "date": night.date,
        "agent": one.agent,
        "outcome": one.outcome_text,
        "colour": _COLOURS.get(state(one), "yellow"),
        "robustness": brief(one.robustness),
        "clean": brief(one.clean),
        "tasks": night.tasks,
        "equal": share(one.equal, one.cells),
        # The sum before an alarm set it back to 0, which is what was compared with the threshold.
        "sum": f"{one.highest_sum:.1f}" if one.robustness else "–",
    }


def state(one: AgentNight) -> str:
    """Return the class of the box of a night."""
    return "false_claim" if one.regressed else _STATES.get(one.outcome, "warned")
