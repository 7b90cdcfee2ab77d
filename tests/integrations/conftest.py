"""A host for the adapters, and a task's words for their scripted agents."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner.host.conftest import Server, first_hit_words


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Server]:
    """A server whose run is in a folder of the test."""
    server = Server("--out", str(tmp_path / "run"))
    yield server
    server.end()


@pytest.fixture
def words() -> dict[str, str | None]:
    """The names of the fields and buttons that `shop/first-hit` needs."""
    return first_hit_words()
