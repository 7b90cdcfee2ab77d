"""Telephone numbers that are reserved for fiction, so that no real person has them."""

# Ranges that Ofcom keeps free for films and books, of 1,000 numbers each; they look like numbers of cities and mobiles.
_CITIES = (
    "0113 496 0", "0114 496 0", "0116 496 0", "0117 496 0", "0121 496 0", "0131 496 0", "0141 496 0", "0151 496 0",
    "0161 496 0", "0191 498 0", "020 7946 0", "028 9649 6", "029 2018 0",
)  # fmt: skip
_MOBILE = "07700 900"
LANDLINES = 1000 * len(_CITIES)
"""Number of different numbers of landlines."""


def landline(number: int) -> str:
    """Return the telephone number of an office or a restaurant; it repeats after `LANDLINES`."""
    city, last_digits = divmod(number % LANDLINES, 1000)
    return f"{_CITIES[city]}{last_digits:03}"


def mobile(number: int) -> str:
    """Return the number of a mobile telephone; it repeats after 1,000."""
    return f"{_MOBILE}{number % 1000:03}"
