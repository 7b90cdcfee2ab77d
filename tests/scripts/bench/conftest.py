"""The shop without proxy and key."""

from collections.abc import Iterator

import pytest

from runner.registry import Library
from scripts.bench.baseline import BareSite


@pytest.fixture(scope="package")
def bare_shop() -> Iterator[BareSite]:
    """The shop without proxy and key."""
    site = BareSite(Library().world("shop", 0))
    yield site
    site.close()
