"""Law 7: whether a cell's draws would hit the reference trajectory is known before it runs."""

import pytest

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES, mode
from stressweb.plugins.perturbation import Stage
from stressweb.runner.outcome.results import exposed
from stressweb.runner.registry.exposure import hit_counts, predicted_exposure
from tests.support.playing import Player

pytestmark = pytest.mark.long

TASKS = ("shop/first-hit", "shop/profile")
LABELS = [*(f"{name}@{severity}" for name in MODES for severity in range(4)), "failure@1+noise@2"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("stress", [0, 1, 2])
@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("task", TASKS)
def test_what_is_foreseen_comes_true(play: Player, task: str, label: str, stress: int) -> None:
    """An agent on the reference trajectory is exposed in exactly the predicted cells."""
    reference = play.recall("naive", task, "clean")
    (condition,) = parse(label, MODES)
    expected = predicted_exposure(reference, [condition], Seeds(0, stress, task))
    ledger = play("naive", task, label, stress_seed=stress).ledger
    assert expected == {label: all(exposed(ledger, condition.modes).values())}


def test_every_action_of_the_trajectory_is_foreseen(play: Player) -> None:
    """With share=1 remap hits every control that the trajectory clicks, and nothing else."""
    reference = play.recall("naive", TASKS[0], "clean")
    (condition,) = parse("remap(share=1)", MODES)
    pressed = [step.action for step in reference.steps if step.action and step.action.kind == "CLICK"]
    assert pressed
    assert hit_counts(reference, [condition], Seeds(0, 0, TASKS[0])) == {condition.label: [len(pressed)]}


@pytest.mark.audit
def test_foresight_grows_with_severity(play: Player) -> None:
    reference = play.recall("naive", TASKS[0], "clean")
    most: dict[str, list[bool]] = {}
    for name in MODES:
        conditions = parse(",".join(f"{name}@{severity}" for severity in range(6)), MODES)
        for stress in range(10):
            expected = list(predicted_exposure(reference, conditions, Seeds(0, stress, TASKS[0])).values())
            assert expected == sorted(expected)
            assert not expected[0]
            most.setdefault(name, []).append(expected[5])
    # A dialog or a failure meets half of a few events, so a seed may miss them all.
    for name, hits in most.items():
        assert sum(hits) > (5 if mode(name).stage is Stage.EXECUTION else 9), name


def test_an_upload_is_foreseen_as_an_entry(play: Player) -> None:
    """With rate=1 failure hits every element that is acted on, file fields included."""
    reference = play.recall("naive", "files/upload-the-invoices", "clean")
    (condition,) = parse("failure(rate=1)", MODES)
    acted = [step.action.kind for step in reference.steps if step.action and not step.action.final]
    assert "UPLOAD" in acted
    assert hit_counts(reference, [condition], Seeds(0, 0, "files/upload-the-invoices")) == {
        condition.label: [len(acted)]
    }
