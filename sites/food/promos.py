"""What a code takes off an order."""

from collections.abc import Mapping
from typing import Any


def problem(promo: Mapping[str, Any], goods: int, cuisine: str, today: str) -> str:
    """Return the label key of why a code is not accepted, or nothing; amounts are in hundredths."""
    if promo["until"] < today:
        return "error_promo_over"
    if promo["only"] and promo["only"] != cuisine:
        return "error_promo_cuisine"
    return "error_promo_minimum" if goods < promo["minimum"] else ""


def discount(promo: Mapping[str, Any], goods: int, fee: int, cuisine: str, today: str) -> int:
    """Return what a code takes off, in hundredths: nothing where it is not accepted."""
    if problem(promo, goods, cuisine, today):
        return 0
    whole = {"promo_percent": goods * promo["value"] // 100, "promo_amount": promo["value"], "promo_fee": fee}
    # Nobody is paid for ordering.
    return min(int(whole[promo["kind"]]), goods + fee)
