"""An empty run file in memory."""

import sqlite3
from collections.abc import Iterator

import pytest

from stressweb.log import schema


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    memory = sqlite3.connect(":memory:")
    schema.make(memory)
    yield memory
    memory.close()
