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
# On a site, each pointer, severity and world is used once. Sites differ in their combinations, so that over all sites
# every pointer meets every severity and every world.
RUNS = [
    pytest.param(site, pointer, SEVERITIES[(row + number) % 3], (row + number // 3) % 3, id=f"{site}-{pointer}")
    for number, site in enumerate(kit.names())
    for row, pointer in enumerate(POINTERS)
]


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("site", "pointer", "severity", "world"), RUNS)
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
