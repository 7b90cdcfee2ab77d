"""What the tests of the laws share: whole episodes in this process, and the seed that keys samples."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from runner.world.world import World
from tests.laws.playing import Player
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
