"""Damaged files of runs."""

import pytest

damaged_runs = pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[: len(data) // 2], "is damaged"),
        (lambda data: data[:60] + bytes(4) + data[64:], "has schema version 0"),
        (lambda data: b"something else" * 50, "is not a run database"),
    ],
)
"""Ways to damage the bytes of a run, with the error message of each."""
