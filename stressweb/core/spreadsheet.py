"""Makes texts safe for files that people open in a spreadsheet."""

import re

_FORMULA = re.compile("'|[\\s]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
"""Beginnings that a spreadsheet treats as a formula, which may start a program: signs in both widths, and white space
before them. Includes the apostrophe, so that `unguarded` restores every text."""


def guarded(text: str) -> str:
    """Return a text that no spreadsheet treats as a formula: prefixed with an apostrophe if necessary."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """Return the original text of `guarded`."""
    return cell.removeprefix("'")
