"""Worlds of the shop, and a walker through them."""

import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sites import kit


@cache
def _world(seed: int) -> kit.KitWorld:
    return kit.load("shop", seed)


@pytest.fixture(scope="session")
def world() -> Callable[[int], kit.KitWorld]:
    """Return the shop at a seed."""
    return _world


@pytest.fixture(scope="session")
def walker() -> Any:
    """Return the module of the walker."""
    spec = importlib.util.spec_from_file_location("shop_walker", Path(__file__).parent / "walker.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
