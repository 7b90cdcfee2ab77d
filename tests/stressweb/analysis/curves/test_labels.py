"""The labels that make a condition a point of a curve, or a pair."""

import pytest

from stressweb.analysis.curves.labels import dose, pair
from stressweb.core.conditions import Applied
from tests.stressweb.analysis.curves.small_runs import condition


@pytest.mark.parametrize(
    ("label", "point"),
    [
        ("clean", None),
        ("sham", None),
        ("remap@3", Applied("remap", 3)),
        ("remap@0", None),
        ("failure@3(rate=0.2)", None),
        ("noise@2+failure@4", None),
    ],
)
def test_one_mode_with_the_parameters_of_its_severity_is_a_point(label: str, point: Applied | None) -> None:
    assert dose(condition(label)) == point


@pytest.mark.parametrize(
    ("label", "alone"),
    [
        ("clean", None),
        ("remap@3", None),
        ("noise@2+failure@4", ("noise@2", "failure@4")),
        ("noise@2+failure@3(rate=0.2)", ("noise@2", "failure@3(rate=0.2)")),
        ("noise@2+failure@4+popup@1", None),
    ],
)
def test_two_modes_are_a_pair_of_their_labels_alone(label: str, alone: tuple[str, str] | None) -> None:
    assert pair(condition(label)) == alone
