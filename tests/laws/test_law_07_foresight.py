"""Law 7: whether a cell's draws would hit the reference trajectory is known before it runs."""

import pytest

from perturbations import MODES, mode
from runner.outcome.results import exposed
from runner.registry.exposure import foreseen, hits_on
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.plugins.perturbation import Stage
from tests.laws.playing import Player

pytestmark = pytest.mark.long

TASKS = ("shop/first-hit", "shop/profile")
LABELS = [*(f"{name}@{severity}" for name in MODES for severity in range(4)), "failure@1+noise@2"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("stress", [0, 1, 2])
@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("task", TASKS)
def test_what_is_foreseen_comes_true(play: Player, task: str, label: str, stress: int) -> None:
    """An agent on the reference trajectory is exposed in exactly the cells that were foreseen."""
    reference = play.recall("naive", task, "clean")
    (one,) = parse(label, MODES)
    told = foreseen(reference, [one], Seeds(0, stress, task))
    ledger = play("naive", task, label, stress_seed=stress).ledger
    assert told == {label: all(exposed(ledger, one.modes).values())}


def test_every_action_of_the_trajectory_is_foreseen(play: Player) -> None:
    """At full severity remap hits every control, and nothing else: as many as the trajectory acts on."""
    reference = play.recall("naive", TASKS[0], "clean")
    (one,) = parse("remap(share=1)", MODES)
    pressed = [step.action for step in reference.steps if step.action and step.action.kind == "CLICK"]
    assert pressed
    assert hits_on(reference, [one], Seeds(0, 0, TASKS[0])) == {one.label: [len(pressed)]}


@pytest.mark.audit
def test_foresight_grows_with_severity(play: Player) -> None:
    reference = play.recall("naive", TASKS[0], "clean")
    most: dict[str, list[bool]] = {}
    for name in MODES:
        conditions = parse(",".join(f"{name}@{severity}" for severity in range(6)), MODES)
        for stress in range(10):
            told = list(foreseen(reference, conditions, Seeds(0, stress, TASKS[0])).values())
            assert told == sorted(told)
            assert not told[0]
            most.setdefault(name, []).append(told[5])
    # A few moments, half of which a dialog or a failure meets: a seed may miss them all, and only there.
    for name, hits in most.items():
        assert sum(hits) > (5 if mode(name).stage is Stage.EXECUTION else 9), name


def test_an_upload_is_foreseen_as_an_entry(play: Player) -> None:
    """At full rate failure hits whatever is acted on, a file field among it."""
    reference = play.recall("naive", "files/upload-the-invoices", "clean")
    (one,) = parse("failure(rate=1)", MODES)
    acted = [step.action.kind for step in reference.steps if step.action and not step.action.final]
    assert "UPLOAD" in acted
    assert hits_on(reference, [one], Seeds(0, 0, "files/upload-the-invoices")) == {one.label: [len(acted)]}
