"""How orders are numbered and found."""

from collections.abc import Mapping
from typing import Any

from stressweb.sites.kit.serving.visit import Visit


def order_number(visit: Visit) -> str:
    """Return the number of the next order: they go on where those of the spec end, which begin with 10000."""
    # Orders are cancelled and never deleted, so the count is a number that is free.
    (count,) = visit.store.run("SELECT COUNT(*) AS orders FROM orders")
    return f"100{count.orders:02d}"


def latest_order(visit: Visit) -> Mapping[str, Any]:
    """Return the latest order of who is here."""
    orders = visit.store.where("Order", {"owner": visit.session.owner})
    return {"order": orders[-1] if orders else None}
