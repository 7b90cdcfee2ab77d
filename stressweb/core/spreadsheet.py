"""Makes texts safe for files that people open in a spreadsheet."""

import re

_FORMULA = re.compile("'|[\\s]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
"""What a spreadsheet takes for the beginning of a formula, in both widths, which may start a program; white space that
it skips before one; and the apostrophe itself, so that taking one away always gives the text back."""


def guarded(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula: prefixed by an apostrophe if it could be one."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """Return the original text of `guarded`."""
    return cell.removeprefix("'")
