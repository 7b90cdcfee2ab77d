"""Writes the page of all nights, and JUnit XML of the last night, to the folder of the nights."""

from stressweb.analysis.nights import AgentNight, Night
from stressweb.core.whole_file import write_atomically
from stressweb.report.junit import Case, cases_of_lines, junit
from stressweb.report.trend import trend
from stressweb.runner.nightly.history import History

PAGE, SUITE = "nights.html", "junit.xml"


def write(history: History) -> None:
    """Write the page and JUnit XML from the history."""
    nights = history.nights()
    write_atomically(
        history.folder / SUITE,
        junit({agent_night.agent: cases_of(agent_night, nights[-1]) for agent_night in nights[-1].agents}),
    )
    write_atomically(history.folder / PAGE, trend(nights))


def cases_of(agent_night: AgentNight, night: Night) -> list[Case]:
    """Return the test cases of an agent's night; an open regression is a failure until it is closed."""
    if agent_night.outcome == "baseline":
        message = "baseline: nothing to compare with yet"
        return [Case("robustness", "skipped", message), Case("clean", "skipped", message)]
    open_cases = [
        Case(f"open regression of {line}", "failure", text)
        for line, text in zip(agent_night.open, agent_night.open_text(night.left_out.tasks), strict=True)
        if line not in agent_night.opened
    ]
    if agent_night.robustness is None or agent_night.clean is None:
        # An error, because build servers count skipped tests as passed.
        return [
            *([Case("comparable", "error", night.refused)] if agent_night.outcome == "not comparable" else []),
            *open_cases,
        ]
    lines = {"robustness": agent_night.robustness, "clean": agent_night.clean}
    cases = cases_of_lines(
        lines,
        agent_night.failing,
        regressed=agent_night.regressed,
        comparable=agent_night.outcome != "not comparable",
        reason=f"{agent_night.complete} of {agent_night.blocks} blocks are complete on night {night.number}",
    )
    if agent_night.opened and not any(case.kind == "failure" for case in cases[:2]):
        # The chart over all nights raises an alarm although this night alone does not.
        message = "the sum over the nights is above the threshold, also after the rerun"
        cases.append(Case("nights", "failure", message))
    return [*cases, *open_cases]
