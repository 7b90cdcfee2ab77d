"""Entries into the fields of the toy page, and presses of its button, by every path."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

ENTRIES: list[tuple[str, Callable[[Page], object], str]] = [
    ("fill", lambda page: page.fill("#name", "Ada"), "name"),
    ("type", lambda page: page.locator("#name").press_sequentially("Ada"), "name"),
    ("date", lambda page: page.fill("#day", "2026-01-02"), "day"),
    ("select", lambda page: page.select_option("#size", label="two"), "size"),
    ("note", lambda page: page.fill("textarea", "Hello"), "note"),
]
"""Entries, each with a name and its field."""


def by_entry(*more: tuple[str, Callable[[Page], object], str]) -> pytest.MarkDecorator:
    """Run a test for each entry, and for `more` of them, with `entry` and `field`."""
    entries = [*ENTRIES, *more]
    return pytest.mark.parametrize(
        ("entry", "field"), [case[1:] for case in entries], ids=[case[0] for case in entries]
    )


BY_PRESS = pytest.mark.parametrize(
    "press",
    [
        lambda page: page.click("#save"),
        lambda page: page.press("#save", "Enter"),
        lambda page: page.press("#save", "Space"),
        lambda page: page.press("#name", "Enter"),
        lambda page: page.evaluate("document.querySelector('#save').click()"),
        lambda page: page.evaluate("document.forms[0].requestSubmit()"),
    ],
)
"""Run a test for each `press`: mouse, keys and scripts."""
