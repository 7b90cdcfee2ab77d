"""Discounts of codes."""

from collections.abc import Mapping
from typing import Any


def problem(promo: Mapping[str, Any], goods: int, cuisine: str, today: str) -> str:
    """Return the label key of the reason to refuse a code; empty if it is accepted. Amounts are in hundredths."""
    if promo["until"] < today:
        return "error_promo_over"
    if promo["only"] and promo["only"] != cuisine:
        return "error_promo_cuisine"
    return "error_promo_minimum" if goods < promo["minimum"] else ""


def discount(promo: Mapping[str, Any], goods: int, fee: int, cuisine: str, today: str) -> int:
    """Return the discount of a code, in hundredths; 0 if the code is not accepted."""
    if problem(promo, goods, cuisine, today):
        return 0
    discounts = {"promo_percent": goods * promo["value"] // 100, "promo_amount": promo["value"], "promo_fee": fee}
    # The total cannot be negative.
    return min(int(discounts[promo["kind"]]), goods + fee)
