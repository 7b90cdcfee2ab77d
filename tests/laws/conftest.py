"""Fixtures of the law tests: whole episodes in this process, and the seed of the samples."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser

from stressweb.runner.world.world import World
from tests.sampling import sample_seed
from tests.support.arm import Arm
from tests.support.playing import Player
from tests.support.tabs import tab
from tests.support.toy_stage import stage

__all__ = ["stage", "tab"]


@pytest.fixture(scope="session")
def play(browser: Browser, world: World) -> Iterator[Player]:
    """`play("resilient", "shop/profile", "remap@3")` runs and grades one episode."""
    player = Player(browser, world)
    yield player
    player.close()


@pytest.fixture(scope="session")
def seed() -> int:
    """Seed of the samples; `make test SEED=7` draws others."""
    return sample_seed()


@pytest.fixture(scope="module")
def arm(browser: Browser) -> Iterator[Callable[[str], Arm]]:
    """`arm("noise@5")` loads pages under a condition. A file's tests share it; it fails if the engine did."""
    opened: dict[str, Arm] = {}
    with ExitStack() as stack:

        def open_arm(label: str) -> Arm:
            if label not in opened:
                opened[label] = stack.enter_context(Arm(label).opened(browser))
            return opened[label]

        yield open_arm
        assert {label: opened_arm.broken() for label, opened_arm in opened.items() if opened_arm.broken()} == {}
