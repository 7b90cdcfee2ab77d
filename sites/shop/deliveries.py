"""Costs of an order with its delivery, its day of arrival, and its last day for returns."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

EXPRESS = "delivery_express"
_EXPRESS_FEE = 990
_STANDARD_FEE = 490
_FREE_FROM = 15000
"""Value of the goods, in hundredths, from which standard delivery is free."""
_EXPRESS_DAYS = 1
_STANDARD_DAYS = 4
"""Working days; within both ranges that the page about delivery may show."""
_FRIDAY = 4


def costs(goods: int, delivery: str) -> dict[str, int]:
    """Return the costs of goods with their delivery; all amounts are in hundredths."""
    shipping = _EXPRESS_FEE if delivery == EXPRESS else 0 if goods >= _FREE_FROM else _STANDARD_FEE
    return {"subtotal": goods, "shipping": shipping, "total": goods + shipping}


def arrival(ordered: str, delivery: str) -> date:
    """Return the working day of arrival for an order at a moment or on a day."""
    day = date.fromisoformat(ordered[:10])
    for _ in range(_EXPRESS_DAYS if delivery == EXPRESS else _STANDARD_DAYS):
        # Skip the weekend: Monday follows Friday.
        day += timedelta(days=7 - day.weekday() if day.weekday() >= _FRIDAY else 1)
    return day


def order_days(order: Mapping[str, Any], today: str, return_days: int) -> dict[str, str]:
    """Return the days that the pages of an order show; empty texts if they do not apply.

    They are the expected day of arrival, the day of arrival, the last day for a return, and the same day once it has
    passed.
    """
    day, now, status = arrival(order["placed"], order["delivery"]), date.fromisoformat(today), order["status"]
    # A late order arrives today, or tomorrow if it is still being packed.
    expected = max(day, now + timedelta(days=int(status == "status_processing")))
    last = day + timedelta(days=return_days)
    days = {
        "arrives": expected if status in ("status_processing", "status_shipped") else None,
        "arrived": day if status in ("status_delivered", "status_returned") else None,
        "return_until": last if status == "status_delivered" and now <= last else None,
        "returns_ended": last if status == "status_delivered" and now > last else None,
    }
    return {name: day.isoformat() if day else "" for name, day in days.items()}
