"""What errors take away as a whole is named: severities, modes, pairs, agents, tasks; in curves and in the table."""

from collections.abc import Callable

import pytest

from stressweb.analysis.curves.sections import sections
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.remarks import remarks
from tests.stressweb.analysis.curves.making import at, curves, severe
from tests.stressweb.analysis.curves.test_text import printed


def growing(task: int, severity: int) -> bool:
    return task < 2 * severity


def failing(episodes: list[Graded], lost: Callable[[Graded], bool]) -> list[Graded]:
    """Return a run in which some episodes ended in an error."""
    return [
        one.model_copy(update={"status": "error", "success": False, "claim": "none"}) if lost(one) else one
        for one in episodes
    ]


def test_a_severity_of_errors_alone_is_named_beside_the_curve_and_below() -> None:
    found = curves(failing(severe(growing), lambda one: one.condition == "remap@4"))
    (curve,) = found.dose_responses
    assert [point.severity for point in curve.points] == [1, 2, 3, 5]
    assert curve.left_out == {"remap@4": "all 12 episodes ended in errors"}
    assert curve.trend is not None
    assert curve.trend.severities == (1, 2, 3, 5)
    assert "naive remap@4: all 12 episodes ended in errors: it is in no curve and no comparison." in found.missing
    (section,) = [one for one in sections(found) if one.title == "naive · remap"]
    assert section.below[0] == "remap@4: all 12 episodes ended in errors; it is not on the curve"


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        (lambda one: True, "naive clean: all 12 episodes ended in errors: nothing can be compared with clean."),
        (
            lambda one: one.condition == "clean",
            "naive clean: all 12 episodes ended in errors: nothing can be compared with clean.",
        ),
        (
            lambda one: one.condition != "clean",
            "naive remap@5: all 12 episodes ended in errors: it is in no curve and no comparison.",
        ),
        (
            # Tasks that succeed under clean end in errors at severity 2, and the others have no clean.
            lambda one: (one.condition, int(one.task[-2:].strip("-")) > 5) in (("clean", True), ("remap@2", False)),
            "naive remap@2: of 12 episodes none has a clean partner without an error: it is in no curve and no comparison.",
        ),
        (lambda one: one.task.endswith("task-3"), "naive: every episode of site-1/task-3 ended in an error: left out of all figures."),
        (lambda one: one.condition in ("remap@3", "remap@4", "remap@5"), "Two severities only (remap@1 and remap@2): no trend, which takes 3."),
    ],
)  # fmt: skip
def test_whatever_is_lost_is_named(lost: Callable[[Graded], bool], said: str) -> None:
    assert said in curves(failing(severe(growing), lost)).missing


def test_errors_are_counted_where_intervals_do_not_know_of_them() -> None:
    missing = curves(failing(severe(growing), lambda one: one.task.endswith("task-3"))).missing
    assert "Errors left out: 6 of 72 episodes (8 %)." in " ".join(missing)


def test_a_mode_that_was_run_is_not_said_not_to_have_been() -> None:
    found = curves(failing(severe(growing), lambda one: one.condition != "clean"))
    assert found.dose_responses == []
    assert not [line for line in found.missing if "No mode was run by itself" in line]


def test_nothing_is_named_of_a_run_without_errors() -> None:
    missing = curves(severe(growing)).missing
    assert not [line for line in missing if "error" in line]


def pairs() -> list[Graded]:
    labels = ("clean", "noise@2", "failure@3", "noise@2+failure@3")
    return [at(task, label, task > 3) for task in range(12) for label in labels]


def test_a_pair_of_which_no_task_is_left_is_named() -> None:
    """Either half of the tasks is lost under one of the two modes."""
    found = curves(
        failing(pairs(), lambda one: {"noise@2": True, "failure@3": False}.get(one.condition) is (one.task < "site-0/task-3"))
    )  # fmt: skip
    assert found.interactions == []
    said = "naive noise@2+failure@3: no task has a pair of episodes under it and each mode alone: no interaction."
    assert said in found.missing


def test_an_agent_without_a_clean_success_is_named() -> None:
    never = [one.model_copy(update={"success": False}) for one in severe(growing)]
    said = "No clean success of naive: there are no steps to compare those of other episodes with."
    assert said in curves(never).missing


def test_figures_over_fewer_tasks_than_a_point_say_so() -> None:
    """Errors of four tasks at one severity take these tasks from all that compares severities."""
    lost = failing(
        severe(growing), lambda one: one.condition == "remap@3" and one.task.endswith(("-1", "-2", "-3", "-5"))
    )
    text = " ".join(printed(lost).split())
    assert "these are over 8 of 12 tasks: those with a pair of episodes at every severity" in text
    assert "these are over" not in " ".join(printed(severe(growing)).split())


def test_the_table_names_what_has_no_figures() -> None:
    episodes = failing(severe(growing), lambda one: one.condition == "remap@4")
    assert "No figures, because all episodes ended in errors: naive remap@4 (12)." in remarks(measure(episodes))
    assert not [line for line in remarks(measure(severe(growing))) if "No figures" in line]
