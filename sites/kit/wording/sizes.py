"""Sizes of files in words."""


def say(kilobytes: int) -> str:
    """Return a size in words; a megabyte has a thousand kilobytes, as on the labels of disks."""
    if kilobytes < 1000:
        return f"{kilobytes} KB"
    unit, amount = ("MB", kilobytes / 1000) if kilobytes < 1_000_000 else ("GB", kilobytes / 1_000_000)
    return f"{amount:,.2f} {unit}"
