"""The error for a wrong seed explains valid seeds."""

import click
import pytest

from stressweb.runner.commands.seed import Seed


@pytest.mark.parametrize("value", ["-1", "x", "1.5", "", "1" * 5000])
def test_invalid_seeds_are_refused(value: str) -> None:
    with pytest.raises(click.BadParameter) as caught:
        Seed().convert(value, None, None)
    assert caught.value.message.startswith(f"{value[:40]!r} is no seed; a seed is a whole number from 0 on")


@pytest.mark.parametrize("value", ["0", "17"])
def test_valid_seeds_are_numbers(value: str) -> None:
    assert Seed().convert(value, None, None) == int(value)
