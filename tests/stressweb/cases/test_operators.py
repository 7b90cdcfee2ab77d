"""Operators on two pages: each changed step must fail, and a change that would pass is rejected."""

import pytest

from stressweb.cases.building import Fault, Played, Spread, changed, failing_cases, proven_faults
from stressweb.cases.operators import OPERATORS, Vocabulary, rejection
from stressweb.cases.rendering import case_step, passing_case
from stressweb.core.verdict import Cause
from stressweb.plugins.steps import Step
from stressweb.plugins.test_case import CaseStep, Check
from tests.stressweb.cases.toy_pages import FILLED, FILLS, PRESS, PRESSED


def played(world_seed: int = 0) -> Played:
    vocabulary = Vocabulary(
        headings={"Chairs"}, messages={"The chair is sold."}, names={"Voss chair"}, labels={"Colour", "Words"},
        buttons={"Apply", "Pay", "Apply twice"}, links={"Imprint"}, options={"Newest", "Loudest"},
    )  # fmt: skip
    for page in (*FILLED, *PRESSED):
        vocabulary.add(page)
    case = passing_case("toy/filter-lamps", world_seed, [FILLS, PRESS], [FILLED, PRESSED])
    return Played(world_seed, case, [FILLED, PRESSED], vocabulary)


EXPECTED = {
    ("missing_control", 2): ('Press "Pay"', None),
    ("missing_option", 1): ("Enter \"alta 40\" into \"Words\", choose \"Loudest\" for \"Sort by\" and tick \"In stock\"", None),
    ("wrong_text", 2): (None, 'The message "The chair is sold." is shown'),
    ("wrong_page", 2): (None, 'The page has the heading "Chairs"'),
    ("wrong_label", 2): (None, 'There is a button "Pay"'),
    ("missing_field", 2): (None, 'There is a field "Colour"'),
    ("wrong_order", 2): (None, '"Bergen lamp" is listed before "Alta lamp"'),
    ("wrong_state", 1): (None, 'The box "On sale" is ticked'),
}  # fmt: skip


@pytest.mark.parametrize("operator", OPERATORS)
def test_no_operator_changes_a_step_after_the_last(operator: str) -> None:
    assert changed(played(), Fault(operator, 3)) is None


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_makes_a_step_that_fails(operator: str) -> None:
    applied = [number for number in (1, 2) if changed(played(), Fault(operator, number))]
    assert applied
    for number in applied:
        step, before = changed(played(), Fault(operator, number)), played().case.steps[number - 1]
        assert step is not None
        assert step != before
        cause = OPERATORS[operator][1]
        assert (step.action != before.action) == (cause == "action")
        if (operator, number) in EXPECTED:
            action, expected = EXPECTED[operator, number]
            assert step.action == (action or before.action)
            assert expected in (None, step.expected)


def test_wrong_numbers_and_values_are_near_the_right_ones() -> None:
    count, field = changed(played(), Fault("wrong_count", 2)), changed(played(), Fault("wrong_field", 1))
    rule = changed(played(), Fault("absent_rule", 2))
    assert count is not None
    assert field is not None
    assert rule is not None
    assert count.expected in [f"The number of listed entries is {number}" for number in (3, 4, 5, 7)]
    assert field.expected == 'The field "Words" shows "alta 41"' or "Sort by" in field.expected
    assert rule.expected.startswith('The message "Words: at ')


@pytest.mark.parametrize(
    ("step", "cause", "reason"),
    [
        (case_step(PRESS, Check(kind="count", says="3")), "assertion", "so it is in a state of the step"),
        (case_step(PRESS, Check(kind="heading", says="Cheap lamps")), "assertion", "so it is in a state of the step"),
        (case_step(PRESS, Check(kind="message", says="2 lamps")), "assertion", "the text is on a page of the step"),
        (case_step(PRESS, Check(kind="button", says="Basket")), "assertion", "the text is on a page of the step"),
        (case_step(PRESS, None), "action", "the action can be done"),
        (case_step(PRESS, Check(kind="count", says="9")), "assertion", ""),
        (case_step((Step(verb="press", target="Pay"),), None), "action", ""),
        (case_step((Step(verb="choose", target="Sort by", value="Loudest"),), None), "action", ""),
        (case_step((Step(verb="choose", target="Sort by", value="Newest"),), None), "action", "the action can be done"),
    ],
)
def test_a_step_that_need_not_fail_is_rejected(step: CaseStep, cause: Cause, reason: str) -> None:
    assert rejection(step, cause, PRESSED).endswith(reason)
    assert bool(rejection(step, cause, PRESSED)) == bool(reason)


def test_a_fault_must_fail_in_every_world() -> None:
    proven, rejected = proven_faults([played(0), played(1)])
    assert {fault.operator for fault in proven} >= {*OPERATORS} - {"wrong_order", "wrong_count"}
    # Before the filter there were three lamps, and Bergen stood before Alta.
    assert "wrong_order" in {entry.fault.operator for entry in rejected if entry.fault}
    assert all(entry.reason.startswith(("world 0: ", "world 1: ")) for entry in rejected)
    # In this world the filter changes nothing.
    unfiltered = played(1)._replace(seen=[FILLED, (PRESSED[0], PRESSED[0])])
    fewer, _ = proven_faults([played(0), unfiltered])
    assert not {"wrong_text", "wrong_page"} & {fault.operator for fault in fewer if fault.step == 2}
    assert {"wrong_text", "wrong_page"} <= {fault.operator for fault in proven if fault.step == 2}


def test_failing_cases_differ_from_the_passing_one_in_one_step() -> None:
    parent = played()
    faults = [Fault("wrong_field", 1), Fault("missing_control", 2)]
    for number, (case, fault) in enumerate(zip(failing_cases(parent, faults), faults, strict=True), start=1):
        assert case.id == f"cases/toy/filter-lamps#F{number}"
        assert (case.truth.step, case.truth.operator) == (fault.step, fault.operator)
        differing = [before != after for before, after in zip(parent.case.steps, case.steps, strict=True)]
        assert differing == [step == fault.step for step in (1, 2)]
    with pytest.raises(ValueError, match="wrong_order does not apply to step 1"):
        failing_cases(parent, [Fault("wrong_order", 1)])


def test_faults_are_spread_over_operators_and_steps() -> None:
    spread = Spread()
    faults = [Fault(operator, step) for operator in OPERATORS for step in range(1, 9)]
    chosen = [fault for task in range(40) for fault in spread.choose(f"toy/{task}", faults)]
    assert len(chosen) == 120
    assert all(14 <= spread.steps[step] <= 16 for step in range(1, 9))
    assert all(9 <= spread.operators[operator] <= 13 for operator in OPERATORS)
    assert spread.choose("toy/none", []) == []
    assert len(spread.choose("toy/one-step", [fault for fault in faults if fault.step == 4])) == 1
