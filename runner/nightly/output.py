"""Output files in the folder of the nights: the page of all nights, and JUnit XML of the last one."""

from runner.nightly.history import History
from stressweb.analysis.nights import AgentNight, Night
from stressweb.core.whole_file import write_atomically
from stressweb.report.junit import Case, junit, lines
from stressweb.report.trend import trend

PAGE, SUITE = "nights.html", "junit.xml"


def write(history: History) -> None:
    """Write page and JUnit XML anew from the history, so that a kill in between costs nothing."""
    nights = history.nights()
    write_atomically(history.folder / SUITE, junit({one.agent: cases_of(one, nights[-1]) for one in nights[-1].agents}))
    write_atomically(history.folder / PAGE, trend(nights))


def cases_of(one: AgentNight, night: Night) -> list[Case]:
    """Return the test cases of one agent's night; an open regression is a failure until it is closed."""
    if one.outcome == "baseline":
        said = "baseline: there was nothing to compare with yet"
        return [Case("robustness", "skipped", said), Case("clean", "skipped", said)]
    still = [
        Case(f"open regression of {line}", "failure", said)
        for line, said in zip(one.open, one.open_text(night.left_out.tasks), strict=True)
        if line not in one.opened
    ]
    if one.robustness is None or one.clean is None:
        # An error and not skipped, because build servers count skipped tests as passed, and this has no result.
        return [*([Case("comparable", "error", night.refused)] if one.outcome == "not comparable" else []), *still]
    both = {"robustness": one.robustness, "clean": one.clean}
    found = lines(both, one.failing, regressed=one.regressed, comparable=one.outcome != "not comparable",
                  reason=f"{one.complete} of {one.blocks} blocks are complete on night {night.number}")  # fmt: skip
    if one.opened and not any(case.kind == "failure" for case in found[:2]):
        # The chart over the nights alarms although neither line of this night does.
        said = "the sum over the nights is above the threshold, after the rerun, too"
        found.append(Case("nights", "failure", said))
    return [*found, *still]
