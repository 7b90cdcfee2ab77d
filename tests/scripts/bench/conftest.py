"""The shop without proxy and key."""

from collections.abc import Iterator

import pytest

from scripts.bench.baseline import BaselineSite
from stressweb.runner.registry import Library


@pytest.fixture(scope="package")
def baseline_shop() -> Iterator[BaselineSite]:
    """The shop without proxy and key."""
    site = BaselineSite(Library().world("shop", 0))
    yield site
    site.close()
