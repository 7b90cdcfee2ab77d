"""Law 10: nothing lost. At least 200 kills, stops and interruptions at random, and every run ends as if there were none."""

import sys

import pytest

from scripts.docs.stormed import told
from scripts.storm import DEEDS, KILLS, storm


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.audit
@pytest.mark.timeout(5400)
def test_a_storm_loses_nothing(seed: int) -> None:
    tally = storm(KILLS, seed)
    print(told(tally))
    assert not tally.harm, tally
    assert sum(tally.deeds.values()) >= KILLS
    assert all(tally.deeds[deed] for deed in DEEDS), "every disturbance came to be"
    assert tally.errors, "some of them hit"
