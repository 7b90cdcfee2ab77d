"""Output files in the folder of the nights: the page of all nights, and JUnit XML of the last one."""

from runner.nightly.history import History
from stressweb.analysis.nights import AgentNight, Night
from stressweb.core.whole_file import put
from stressweb.report.junit import Case, junit, lines
from stressweb.report.trend import trend

PAGE, SUITE = "nights.html", "junit.xml"


def write(history: History) -> None:
    """Write page and JUnit XML anew from the history, so that a kill in between costs nothing."""
    nights = history.nights()
    put(history.folder / SUITE, junit({one.agent: cases_of(one, nights[-1]) for one in nights[-1].agents}))
    put(history.folder / PAGE, trend(nights))


def cases_of(one: AgentNight, night: Night) -> list[Case]:
    """Return the test cases of one agent's night."""
    if one.outcome == "baseline" or one.robustness is None or one.clean is None:
        said = "baseline: there was nothing to compare with yet"
        return [Case("robustness", "skipped", said), Case("clean", "skipped", said)]
    both = {"robustness": one.robustness, "clean": one.clean}
    return lines(both, one.failing, regressed=one.outcome == "regressed", comparable=one.outcome != "not comparable",
                 reason=f"{one.complete} of {one.blocks} blocks are complete on night {night.number}")  # fmt: skip
