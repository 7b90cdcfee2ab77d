"""The adapter for Inspect, in an environment of its own, with a scripted model and a real browser."""

from pathlib import Path

import pytest

from tests.integrations import ways
from tests.integrations.cells import CellsOf
from tests.support.episode_server import FIRST_HIT, Server


@pytest.mark.audit
def test_a_sample_is_scored_by_the_grade_of_its_episode(tmp_path: Path, host: Server, cells_of: CellsOf) -> None:
    answer = ways.inspect(host, cells_of([FIRST_HIT], ["clean", "sham", "failure@5"]), tmp_path)
    assert answer["core"] == []
    assert [score["value"] for score in answer["scores"]] == [True, True, False]
    assert answer["scores"][0]["why"] == "every checkpoint passed"
    for ended in answer["ended"]:
        assert host.state(ended) == ended
        assert ended["agent"] == "inspect=client"
        assert ended["message"].endswith("done")
