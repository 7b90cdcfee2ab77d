"""An agent that drives the episode's browser from outside gets the same grade and ledger as inside."""

from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from stressweb.core.task_id import site_of
from stressweb.log.limits import Limits
from stressweb.log.recording import EpisodeRecord
from stressweb.runner.world.world import World
from tests.runner.external.site_tasks import TASKS
from tests.support.playing import Player, conditions
from tests.support.programs import Programs

UNHURRIED = Limits(agent_seconds=600)
"""A busy machine must not decide how an episode ends."""


@pytest.fixture(scope="module")
def player(browser: Browser, world: World) -> Iterator[Player]:
    """Player of our agents' episodes, in this process."""
    player = Player(browser, world)
    yield player
    player.close()


def outcome(record: EpisodeRecord) -> tuple[object, object, object, Counter[tuple[object, ...]]]:
    """Return claim, grade, database and ledger, but no steps: outside, an action refused by the browser is no step."""
    lines = Counter[tuple[object, ...]]()
    for entry in record.ledger:
        lines[entry.mode, entry.phase, entry.element, entry.attempt, entry.detail] += entry.count
    return record.claim, record.grade, record.final, lines


@pytest.mark.sample(1)
@pytest.mark.parametrize("agent", ["naive", "resilient"])
@pytest.mark.parametrize("label", ["clean", *conditions(3)])
@pytest.mark.parametrize("task", TASKS, ids=site_of)
def test_grade_ledger_and_database_are_the_same(
    player: Player, programs: Programs, task: str, label: str, agent: str
) -> None:
    own_record = player(agent, task, label)
    outside = programs.run(programs.scripted(agent, task), label, task, UNHURRIED)
    assert outside.status != "error", outside.message
    (*ends, lines), (*expected_ends, expected) = outcome(outside), outcome(own_record)
    assert ends == expected_ends
    assert lines - expected == expected - lines == Counter()
