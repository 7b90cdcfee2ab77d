"""A wrong seed is answered with what a seed is."""

import click
import pytest

from runner.commands.seed import Seed


@pytest.mark.parametrize("value", ["-1", "x", "1.5", "", "1" * 5000])
def test_what_is_no_seed(value: str) -> None:
    with pytest.raises(click.BadParameter) as caught:
        Seed().convert(value, None, None)
    assert caught.value.message.startswith(f"{value[:40]!r} is no seed; a seed is a whole number from 0 on")


@pytest.mark.parametrize("value", ["0", "17"])
def test_what_is_one(value: str) -> None:
    assert Seed().convert(value, None, None) == int(value)
