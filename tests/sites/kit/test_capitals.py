"""A first letter becomes a capital, and nothing else changes."""

import pytest

from stressweb.sites.kit.wording.capitals import capitalized


@pytest.mark.parametrize(
    ("text", "expected"),
    [("the River Inn", "The River Inn"), ("écharpe", "Écharpe"), ("3 tickets", "3 tickets"), ("", "")],
)
def test_only_the_first_letter_changes(text: str, expected: str) -> None:
    assert capitalized(text) == expected
