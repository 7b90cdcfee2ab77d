"""Reports on test cases: verdict and truth, disturbances in the step, and charts."""

import re
from dataclasses import replace
from typing import Any

import pytest

from stressweb.analysis.curves.measured import curves
from stressweb.analysis.curves.sections import sections
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.core.verdict import Judgement, NoVerdict, Truth, Verdict
from stressweb.log.ledger import Entry
from stressweb.report.assets import STATIC
from stressweb.report.charts import charts
from stressweb.report.details import blocks
from stressweb.report.story import brief, outcome, summarize
from tests.stressweb.report.coloured import coloured
from tests.support.judged_cases import FAILING, PASSING, judged
from tests.support.plans import condition
from tests.support.small_reports import Recorded, recorded, source, unpacked

CASE = "cases/shop/case-0"
BEGAN = (0, 1, 2)
"""Each of three steps is one action."""


def judged_case(truth: Truth, step: int | None, *lost: int) -> Recorded:
    """Return an episode of a three-step case, with lost clicks at the actions `lost`."""
    answer = Verdict(verdict="pass" if step is None else "fail", step=step, cause=step and "action")
    judgement = Judgement.of(truth, answer, [], BEGAN)
    graded, record = recorded("literal", CASE, success=judgement.right)
    assert record.grade is not None
    ledger = [Entry(step=action, mode="failure", phase="delivered", element=f"button '{action}'") for action in lost]
    graded = graded.model_copy(
        update={
            "tester_verdict": judgement.verdict,
            "tester_step": judgement.step,
            "tester_cause": judgement.cause,
            "truth": truth.verdict,
            "truth_step": truth.step,
            "judged": judgement.outcome.value if judgement.outcome else "",
        }
    )
    return graded, replace(record, ledger=ledger, grade=replace(record.grade, judgement=judgement))


@pytest.mark.parametrize(
    ("truth", "step", "expected"),
    [
        (PASSING, None, "It said that the case passes, and it does."),
        (PASSING, 2, "False alarm. It said that the case fails at step 2 (action); it passes."),
        (FAILING, None, "Missed. It said that the case passes; it fails at step 3."),
        (FAILING, 3, "It said that the case fails at step 3 (action), and it does."),
        (FAILING, 1, "It said that the case fails at step 1 (action); it fails at step 3."),
        (Truth(verdict="unknown"), 1, "The test case has no stated truth"),
    ],
)
def test_the_verdict_stands_beside_the_truth(truth: Truth, step: int | None, expected: str) -> None:
    graded, record = judged_case(truth, step)
    graded = graded.model_copy(update={"undecided": truth.verdict == "unknown"})
    assert outcome(summarize(1, graded, record)).startswith(expected)


def test_a_case_without_a_verdict_says_so() -> None:
    graded = judged(0, FAILING, "none").model_copy(update={"status": "out_of_steps"})
    _, record = judged_case(FAILING, None)
    assert outcome(summarize(1, graded, record)) == "It gave no verdict; it fails at step 3."


def place(truth: Truth, step: int | None, *lost: int) -> str:
    """Return the failure point of an episode, as the list of a report shows it."""
    graded, record = judged_case(truth, step, *lost)
    return str(brief(graded, record.grade, record.ledger, "").failure_point or "")


def test_only_disturbances_inside_the_step_are_named() -> None:
    assert place(PASSING, 2, 0, 1, 2) == "step 2 of the case · failure · button '1'"
    assert place(PASSING, 2, 0, 2) == "", "what happened in other steps explains no alarm"
    # For a missed failure, the step is the failing one.
    assert place(FAILING, None, 0, 2) == "step 3 of the case · failure · button '2'"
    assert place(FAILING, 3, 2) == "", "a right verdict went wrong nowhere"


def test_the_details_lead_to_the_action() -> None:
    def details_of(*lost: int) -> str:
        episode = judged_case(PASSING, 2, *lost)
        return unpacked(blocks(1, episode[0], source([episode], goals={(CASE, 0): "1. Press\n2. Look"}))["d1"])

    disturbed, restful = details_of(1), details_of(2)
    assert re.search(r"Inside step 2 of the case, at <a [^>]*data-step=\"1\">action 1</a>, failure\s+met", disturbed)
    assert "No disturbance was delivered inside step 2 of the case." in restful
    for text in (disturbed, restful):
        assert "claimed" not in text
        assert "Checkpoints" not in text
        assert "Final database" not in text


def test_a_step_lasts_until_the_next_one_begins_and_the_last_until_the_end() -> None:
    judgement = Judgement.of(FAILING, NoVerdict(reason="tester", step=3), [], (0, 2, 5, 5))
    inf = float("inf")
    assert [judgement.span(step) for step in (1, 2, 3, 4)] == [(0, 2), (2, 5), (5, inf), (5, inf)]
    assert Judgement.of(FAILING, Verdict(verdict="pass"), []).span(1) == (0, inf), "of an earlier engine"


CONDITIONS = ("clean", "failure@1", "failure@3", "popup@3")


def run() -> list[Graded]:
    """Return 12 passing and 6 failing cases by one tester, with more false alarms at each severity of failure."""
    alarms = {"clean": 0, "failure@1": 3, "failure@3": 6, "popup@3": 0}
    changes: dict[str, Any] = {"disturbed_steps": (2,)}
    return [
        judged(number, PASSING, 2 if number < alarms[label] else None, label, **changes)
        for label in CONDITIONS
        for number in range(12)
    ] + [judged(20 + number, FAILING, None if number else 1, label) for label in CONDITIONS for number in range(6)]


def test_false_alarms_are_drawn_by_severity() -> None:
    import plotly.graph_objects as go

    measured = curves(run(), map(condition, CONDITIONS))
    drawn = {chart.name: chart for chart in charts(measure(run()), run(), measured)}
    assert "claims" not in drawn, "a verdict is no claim"
    alarms = drawn["false-alarms"]
    failure, popup = alarms.spec["data"]
    assert (failure["x"], failure["y"]) == ([0, 1, 3], [0, 25, 50])
    assert (popup["x"], popup["y"]) == ([0, 3], [0, 0])
    assert alarms.table is not None
    row = dict(zip((column.name for column in alarms.table.fields), alarms.table.rows[2], strict=True))
    assert (row["severity"], row["passing cases"], row["false alarms"], row["in a disturbed step"]) == (3, 12, 6, 6)
    assert (row["FAR [%]"], row["FAR minus clean [points]"]) == (50, 50)
    low, high = row["95 % low"], row["95 % high"]
    assert isinstance(low, float)
    assert isinstance(high, float)
    assert low < 50 < high
    verdicts = drawn["verdicts"]
    assert [trace["x"] for trace in verdicts.spec["data"]] == [
        [12, 9, 6, 12], [0, 3, 6, 0], [5] * 4, [1] * 4, [0] * 4,
    ]  # fmt: skip
    colours = set(re.findall(r"--[\w-]+", (STATIC / "report.css").read_text(encoding="utf-8")))
    for chart in (alarms, verdicts):
        assert set(re.findall(r"var\((--[\w-]+)\)", str(chart.spec))) <= colours
        assert len(go.Figure(coloured(chart.spec)).data) == len(chart.spec["data"])


def test_the_table_of_verdicts_is_the_confusion_matrix() -> None:
    answers = [(PASSING, None), (PASSING, 2), (FAILING, None), (FAILING, 1), (FAILING, 3), (FAILING, 4),
               (PASSING, "none"), (FAILING, "none")]  # fmt: skip
    # One episode with the first outcome, two with the second, and so on.
    episodes = [
        judged(10 * place + number, truth, step)
        for place, (truth, step) in enumerate(answers)
        for number in range(place + 1)
    ]
    other = [episode.model_copy(update={"condition": "failure@3"}) for episode in episodes[:3]]
    drawn = {chart.name: chart for chart in charts(measure([*episodes, *other]), [*episodes, *other], None)}
    table = drawn["verdicts"].table
    assert table is not None
    assert [column.name for column in table.fields] == [
        "agent", "condition", "TN", "FP", "FN", "AFB", "AFC", "AFA", "passing, no verdict", "failing, no verdict",
    ]  # fmt: skip
    assert table.rows == (("naive", "clean", *range(1, 9)), ("naive", "failure@3", 1, 2, 0, 0, 0, 0, 0, 0))


def test_tasks_of_the_same_agent_do_not_change_alarms() -> None:
    tasks = [
        episode.model_copy(update={"task": f"shop/task-{number}", "truth": None, "tester_verdict": None, "judged": ""})
        for number, episode in enumerate(run())
    ]
    alarms = curves(run(), map(condition, CONDITIONS)).alarms
    assert curves([*run(), *tasks], map(condition, CONDITIONS)).alarms == alarms
    assert alarms[0].points[0].condition == "clean"


def test_one_severity_is_no_curve() -> None:
    few = [episode for episode in run() if episode.condition in ("clean", "popup@3")]
    measured = curves(few, map(condition, ("clean", "popup@3")))
    assert "false-alarms" not in {chart.name for chart in charts(measure(few), few, measured)}


def test_an_interval_needs_a_verdict_in_every_passing_case() -> None:
    silent = judged(30, PASSING, "none", "failure@3")
    points = {
        (curve.mode, point.severity): point
        for curve in curves([*run(), silent], map(condition, CONDITIONS)).alarms
        for point in curve.points
    }
    assert points["failure", 1].interval is not None
    # An episode without a verdict is neither an alarm nor right, so FAR is not 1 - Spec.
    assert points["failure", 3].interval is None
    assert points["failure", 3].rate == pytest.approx(6 / 13)


def test_the_terminal_has_the_same_figures() -> None:
    measured = curves(run(), map(condition, CONDITIONS))
    tables = {section.title: section for section in sections(measured)}
    (failure,) = [section for title, section in tables.items() if title.endswith("failure · false alarms")]
    assert [row[:3] for row in failure.rows] == [
        ["clean", "0/12", "0 %"], ["failure@1", "3/12", "25 %"], ["failure@3", "6/12", "50 %"],
    ]  # fmt: skip
    assert failure.rows[2][-1] == "6/6"
