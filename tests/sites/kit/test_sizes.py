"""Sizes are said in the unit that fits."""

import pytest

from sites.kit.wording.sizes import say


@pytest.mark.parametrize(
    ("kilobytes", "said"),
    [
        (0, "0 KB"),
        (999, "999 KB"),
        (1000, "1.00 MB"),
        (1438, "1.44 MB"),
        (999_990, "999.99 MB"),
        (1_895_000, "1.90 GB"),
    ],
)
def test_a_size_is_said(kilobytes: int, said: str) -> None:
    assert say(kilobytes) == said
