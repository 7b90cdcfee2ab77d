"""Sizes have the unit that fits."""

import pytest

from stressweb.sites.kit.wording.sizes import say


@pytest.mark.parametrize(
    ("kilobytes", "text"),
    [
        (0, "0 KB"),
        (999, "999 KB"),
        (1000, "1.00 MB"),
        (1438, "1.44 MB"),
        (999_990, "999.99 MB"),
        (1_895_000, "1.90 GB"),
    ],
)
def test_a_size_has_its_unit(kilobytes: int, text: str) -> None:
    assert say(kilobytes) == text
