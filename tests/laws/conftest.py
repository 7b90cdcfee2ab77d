"""What the tests of the laws share: whole episodes in this process, and the seed that keys samples."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser

from runner.world.world import World
from tests.laws.playing import Player
from tests.laws.shown import Arm
from tests.sampling import sample_seed


@pytest.fixture(scope="session")
def play(browser: Browser, world: World) -> Iterator[Player]:
    """`play("resilient", "shop/profile", "remap@3")` runs and grades one episode."""
    player = Player(browser, world)
    yield player
    player.close()


@pytest.fixture(scope="session")
def seed() -> int:
    """What keys the samples: `make test SEED=7` draws other ones."""
    return sample_seed()


@pytest.fixture(scope="module")
def arm(browser: Browser) -> Iterator[Callable[[str], Arm]]:
    """`arm("noise@5")` shows pages under a condition, for all tests of a file; nothing of the engine may fail there."""
    opened: dict[str, Arm] = {}
    with ExitStack() as stack:

        def open_arm(label: str) -> Arm:
            if label not in opened:
                opened[label] = stack.enter_context(Arm(label).opened(browser))
            return opened[label]

        yield open_arm
        assert {label: one.broken() for label, one in opened.items() if one.broken()} == {}
