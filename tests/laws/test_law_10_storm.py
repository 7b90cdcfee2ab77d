"""Law 10: nothing lost. After at least 200 random kills, stops and interruptions, every run ends as if undisturbed."""

import sys

import pytest

from scripts.docs.stormed import report
from scripts.storm import DISTURBANCES, KILLS, storm


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.audit
@pytest.mark.timeout(5400)
def test_a_storm_loses_nothing(seed: int) -> None:
    tally = storm(KILLS, seed)
    print(report(tally))
    assert not tally.harm, tally
    assert sum(tally.disturbances.values()) >= KILLS
    assert all(tally.disturbances[disturbance] for disturbance in DISTURBANCES), "every kind of disturbance happened"
    assert tally.errors, "some of them hit"
