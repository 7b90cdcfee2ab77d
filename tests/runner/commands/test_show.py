"""The last line below the table of a run."""

from pathlib import Path

import pytest

from stressweb.runner.commands.show import closing


@pytest.mark.parametrize(
    ("folder", "runs_dir", "width", "last"),
    [
        ("runs/a", "runs", 80, "runs/a   next: stressweb report a"),
        ("runs/a b", "runs", 80, "runs/a b   next: stressweb report 'a b'"),
        ("there/a", "there", 80, "there/a   next: stressweb report there/a"),
        ("runs/" + "a" * 30, "runs", 80, f"runs/{'a' * 30}\n next: stressweb report {'a' * 30}"),
    ],
)
def test_the_last_line_is_the_next_command(folder: str, runs_dir: str, width: int, last: str) -> None:
    assert closing(Path(folder), Path(runs_dir), width) == last
