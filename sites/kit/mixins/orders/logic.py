"""Numbering and finding orders."""

from collections.abc import Mapping
from typing import Any

from stressweb.sites.kit.serving.visit import Visit


def order_number(visit: Visit) -> str:
    """Return the number of the next order; numbers begin at 10000 with the orders of the spec."""
    # Orders are cancelled but never deleted, so the count gives a free number.
    (count,) = visit.store.run("SELECT COUNT(*) AS orders FROM orders")
    return f"100{count.orders:02d}"


def latest_order(visit: Visit) -> Mapping[str, Any]:
    """Return the person's latest order as `order`; None if there is none."""
    orders = visit.store.where("Order", {"owner": visit.session.owner})
    return {"order": orders[-1] if orders else None}
