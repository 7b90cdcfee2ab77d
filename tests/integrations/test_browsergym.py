"""The adapter for BrowserGym, in an environment of its own, with the released BrowserGym and a real browser."""

from pathlib import Path

import pytest

from stressweb.runner.registry import task_ids
from tests.integrations import ways
from tests.integrations.cells import CellsOf
from tests.support.episode_server import FIRST_HIT, Server


@pytest.mark.audit
def test_the_reward_of_an_environment_is_the_grade_of_its_episode(
    tmp_path: Path, host: Server, cells_of: CellsOf
) -> None:
    answer = ways.gym(host, cells_of([FIRST_HIT], ["clean", "sham", "failure@5"]), tmp_path)
    assert answer["core"] == []
    assert answer["names"] == [f"browsergym/stressweb.{task.replace('/', '.')}" for task in task_ids()]
    assert [episode["reward"] for episode in answer["played"]] == [1.0, 1.0, 0.0]
    for episode in answer["played"]:
        ended = episode["ended"]
        assert episode["terminated"]
        assert host.state(ended) == ended
        assert ended["agent"] == "browsergym=client(own_browser)"
        assert ended["grade"]["unobserved"] == []
