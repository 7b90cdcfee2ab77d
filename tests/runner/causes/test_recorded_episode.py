"""Finding an episode by its name, with the limits of its run."""

from pathlib import Path
from typing import Any

import pytest

from stressweb.core.browser_program import find_browser
from stressweb.core.errors import UserError
from stressweb.log.limits import Limits
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.runner.causes.recorded_episode import cell_by_name, find_episode
from stressweb.runner.registry import Library, engine
from stressweb.runner.registry.identity import identities
from tests.support.plans import plan as planned

pytestmark = pytest.mark.sample(6, "file")

CELLS = [
    Cell(agent=agent, task=task, condition=condition, world=0, stress=None if condition == "clean" else 1)
    for task in ("shop/buy", "calendar/move")
    for agent in ("naive", "resilient(-gesture)")
    for condition in ("clean", "failure@3")
]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("shop/buy|naive|failure@3|0|1|0", "shop/buy|naive|failure@3|0|1|0"),
        ("buy|naive|clean", "shop/buy|naive|clean|0|-|0"),
        ("calendar/move|resilient(-gesture)|failure@3", "calendar/move|resilient(-gesture)|failure@3|0|1|0"),
        ("move | naive | | | 1", "calendar/move|naive|failure@3|0|1|0"),
    ],
)
def test_the_end_of_a_key_may_be_left_out(name: str, key: str) -> None:
    assert cell_by_name(name, CELLS).key == key


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("buy", "episode 'buy' matches 4 episodes: shop/buy|naive|clean|0|-|0; shop/buy|naive|failure@3"),
        ("|||||", "8 have that name"),
        ("by|naive|clean", "unknown episode 'by|naive|clean'; did you mean shop/buy|naive|clean|0|-|0?"),
        ("buy|naive|clean|0|-|0|0", "unknown episode"),
        ("", "matches 8 episodes"),
    ],
)
def test_an_unknown_or_ambiguous_name_is_reported(name: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        cell_by_name(name, CELLS)
    assert message in str(error.value)


LIBRARY = Library()
TASK = "shop/first-hit"


def write_synthetic_run(folder: Path, plan: Plan) -> str:
    """Write a run with one synthetic episode, and return the episode's key."""
    (cell,) = plan.cells()
    meta = {"plan": plan.model_dump(), **engine.current(find_browser().version)}
    with Store.create(folder / FILE, meta, [cell], identities(LIBRARY, plan)) as store:
        store.save(EpisodeRecord(cell, "done", "done"))
    return cell.key


@pytest.mark.parametrize(
    ("budget", "limits"),
    [
        ({"screenshots": False}, Limits(screenshots=False)),
        ({"screenshots": True}, Limits(screenshots=True)),
        ({"max_steps": 7, "agent_seconds": 5.0}, Limits(max_steps=7, agent_seconds=5.0)),
        ({"agent_tokens": 900}, Limits(agent_tokens=900)),
        (
            {"max_steps": 7, "agent_seconds": 5.0, "agent_tokens": 900, "screenshots": True},
            Limits(max_steps=7, agent_seconds=5.0, agent_tokens=900, screenshots=True),
        ),
    ],
)
def test_it_is_played_again_under_the_limits_of_its_run(tmp_path: Path, budget: dict[str, Any], limits: Limits) -> None:
    key = write_synthetic_run(tmp_path, planned(tasks=[TASK], **budget))
    assert find_episode(tmp_path, key, LIBRARY, find_browser().version).limits == limits


def test_an_episode_with_another_budget_than_its_run_says_is_refused(tmp_path: Path) -> None:
    plan = planned(tasks=[TASK], agent_tokens=900)
    (cell,) = plan.cells()
    meta = {"plan": plan.model_dump(), **engine.current(find_browser().version)}
    changed_identities = identities(LIBRARY, plan.model_copy(update={"agent_tokens": 901}))
    with Store.create(tmp_path / FILE, meta, [cell], changed_identities) as store:
        store.save(EpisodeRecord(cell, "done", "done"))
    with pytest.raises(UserError, match="made with another task"):
        find_episode(tmp_path, cell.key, LIBRARY, find_browser().version)
