"""Law 8: `resilient` does every task in every condition, by each pointer and at every severity."""

from pathlib import Path

import pytest

from stressweb.core.conditions import CLEAN
from stressweb.runner.api.start import Experiment, Place, play
from stressweb.runner.execution.listener import Listener
from stressweb.runner.verify.certificate import certificate
from stressweb.sites import kit
from tests.support.playing import conditions

POINTERS = ("selector", "coordinates", "tree")
SEVERITIES = (1, 3, 5)
# A Latin square: every pointer meets every severity and every world, and every severity every world. All combinations
# would take three times as long and hold no further pair.
RUNS = [
    pytest.param(pointer, severity, (row + column) % 3, id=f"{pointer}-{severity}")
    for row, pointer in enumerate(POINTERS)
    for column, severity in enumerate(SEVERITIES)
]


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("pointer", "severity", "world"), RUNS)
@pytest.mark.parametrize("site", kit.names())
def test_resilient_does_every_task_of_a_site(
    site: str, pointer: str, severity: int, world: int, tmp_path: Path
) -> None:
    experiment = Experiment(
        agents=(f"resilient(pointer={pointer})",),
        tasks=(f"{site}/*",),
        conditions=(CLEAN.label, *conditions(severity)),
        seed=(world,),
        stress_seeds=(world,),
        screenshots=False,
    )
    # One worker, because the tests of an audit run side by side.
    run = play(experiment, Place("proof", tmp_path, workers=1), Listener())
    proof = certificate(run.folder)
    assert proof.failed == ()
    assert proof.cells == len(kit.tasks(site)) * (1 + len(conditions(severity)))
    assert proof.proven
