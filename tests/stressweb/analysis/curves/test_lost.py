"""Severities, modes, pairs, agents and tasks that are lost to errors are named in curves and in the table."""

from collections.abc import Callable

import pytest

from stressweb.analysis.curves.sections import sections
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.remarks import remarks
from tests.stressweb.analysis.curves.printed_curves import printed
from tests.stressweb.analysis.curves.small_runs import curves, severity_run, site_episode


def growing(task: int, severity: int) -> bool:
    return task < 2 * severity


def failing(episodes: list[Graded], lost: Callable[[Graded], bool]) -> list[Graded]:
    """Return a run in which the `lost` episodes ended in an error."""
    return [
        graded.model_copy(update={"status": "error", "success": False, "claim": "none"}) if lost(graded) else graded
        for graded in episodes
    ]


def test_a_severity_of_errors_alone_is_named_beside_the_curve_and_below() -> None:
    measured = curves(failing(severity_run(growing), lambda graded: graded.condition == "remap@4"))
    (curve,) = measured.dose_responses
    assert [point.severity for point in curve.points] == [1, 2, 3, 5]
    assert curve.left_out == {"remap@4": "all 12 episodes ended in errors"}
    assert curve.trend is not None
    assert curve.trend.severities == (1, 2, 3, 5)
    assert "naive remap@4: all 12 episodes ended in errors: it is in no curve and no comparison." in measured.missing
    (section,) = [section for section in sections(measured) if section.title == "naive · remap"]
    assert section.below[0] == "remap@4: all 12 episodes ended in errors; it is not on the curve"


@pytest.mark.parametrize(
    ("lost", "line"),
    [
        (lambda graded: True, "naive clean: all 12 episodes ended in errors: nothing can be compared with clean."),
        (
            lambda graded: graded.condition == "clean",
            "naive clean: all 12 episodes ended in errors: nothing can be compared with clean.",
        ),
        (
            lambda graded: graded.condition != "clean",
            "naive remap@5: all 12 episodes ended in errors: it is in no curve and no comparison.",
        ),
        (
            # Tasks that succeed under clean end in errors at severity 2, and the others have no clean.
            lambda graded: (graded.condition, int(graded.task[-2:].strip("-")) > 5) in (("clean", True), ("remap@2", False)),
            "naive remap@2: of 12 episodes none has a clean partner without an error: it is in no curve and no comparison.",
        ),
        (lambda graded: graded.task.endswith("task-3"), "naive: every episode of site-1/task-3 ended in an error: left out of all figures."),
        (lambda graded: graded.condition in ("remap@3", "remap@4", "remap@5"), "Two severities only (remap@1 and remap@2): no trend, which needs 3."),
    ],
)  # fmt: skip
def test_whatever_is_lost_is_named(lost: Callable[[Graded], bool], line: str) -> None:
    assert line in curves(failing(severity_run(growing), lost)).missing


def test_errors_that_no_interval_covers_are_counted() -> None:
    missing = curves(failing(severity_run(growing), lambda graded: graded.task.endswith("task-3"))).missing
    assert "Errors left out: 6 of 72 episodes (8 %)." in " ".join(missing)


def test_a_mode_whose_episodes_are_errors_is_not_reported_as_not_run() -> None:
    measured = curves(failing(severity_run(growing), lambda graded: graded.condition != "clean"))
    assert measured.dose_responses == []
    assert not [line for line in measured.missing if "No mode was run by itself" in line]


def test_nothing_is_named_of_a_run_without_errors() -> None:
    missing = curves(severity_run(growing)).missing
    assert not [line for line in missing if "error" in line]


def pairs() -> list[Graded]:
    labels = ("clean", "noise@2", "failure@3", "noise@2+failure@3")
    return [site_episode(task, label, task > 3) for task in range(12) for label in labels]


def test_a_pair_without_tasks_is_named() -> None:
    """Either half of the tasks is lost under one of the two modes."""
    measured = curves(
        failing(pairs(), lambda graded: {"noise@2": True, "failure@3": False}.get(graded.condition) is (graded.task < "site-0/task-3"))
    )  # fmt: skip
    assert measured.interactions == []
    line = "naive noise@2+failure@3: no task has a pair of episodes under it and each mode alone: no interaction."
    assert line in measured.missing


def test_an_agent_without_a_clean_success_is_named() -> None:
    failures = [graded.model_copy(update={"success": False}) for graded in severity_run(growing)]
    line = "No clean success of naive: no reference for the steps of other episodes."
    assert line in curves(failures).missing


def test_figures_over_fewer_tasks_than_a_point_say_so() -> None:
    """Errors of four tasks at one severity exclude these tasks from all comparisons of severities."""
    lost = failing(
        severity_run(growing),
        lambda graded: graded.condition == "remap@3" and graded.task.endswith(("-1", "-2", "-3", "-5")),
    )
    text = " ".join(printed(lost).split())
    assert "these are over 8 of 12 tasks: those with a pair of episodes at every severity" in text
    assert "these are over" not in " ".join(printed(severity_run(growing)).split())


def test_the_table_names_conditions_without_figures() -> None:
    episodes = failing(severity_run(growing), lambda graded: graded.condition == "remap@4")
    assert "No figures, because all episodes ended in errors: naive remap@4 (12)." in remarks(measure(episodes))
    assert not [line for line in remarks(measure(severity_run(growing))) if "No figures" in line]
