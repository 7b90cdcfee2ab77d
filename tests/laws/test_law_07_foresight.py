"""Law 7: whether a cell's draws would hit the reference trajectory is known before it runs."""

import pytest

from perturbations import MODES
from runner.episode.exposure import foreseen
from runner.experiment.results import exposed
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from tests.laws.playing import Player

pytestmark = pytest.mark.long

TASKS = ("shop/first-hit", "shop/profile")
LABELS = (
    "remap@1,failure@1,popup@2,chaos@0",
    "failure@2,popup@1,remap@0,noise@1",
    "popup@3,popup@0,chaos@1,noise@2+failure@1",
)


@pytest.mark.sample(2)
@pytest.mark.parametrize("stress", [0, 1, 2])
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("task", TASKS)
def test_what_is_foreseen_comes_true(play: Player, task: str, labels: str, stress: int) -> None:
    """An agent on the reference trajectory is exposed in exactly the cells that were foreseen."""
    reference = play.recall("naive", task, "clean")
    conditions = parse(labels, MODES)
    told = foreseen(reference, conditions, Seeds(0, stress, task))
    met = {}
    for one in conditions:
        ledger = play("naive", task, one.label, stress_seed=stress).ledger
        met[one.label] = all(exposed(ledger, one.modes).values())
    assert told == met


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
    # A few moments, half of which a dialog or a failure meets: a seed may miss them all, and only in these two modes.
    assert all(sum(most.pop(name)) > 5 for name in ("popup", "failure"))
    assert all(all(hits) for hits in most.values())
