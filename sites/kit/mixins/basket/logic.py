"""The content of a basket."""

from collections.abc import Mapping
from typing import Any

from stressweb.sites.kit.serving.visit import Visit

MOST = 20
"""Maximum quantity of one line of a basket."""


def cart_count(visit: Visit) -> Mapping[str, Any]:
    """Return the total quantity in the basket as `count`."""
    return {"count": sum(line.quantity for line in visit.store.where("Cart", {"owner": visit.session.owner}))}


def put_line(visit: Visit, key: str, values: Mapping[str, Any], quantity: int) -> None:
    """Add a quantity to the basket's line with this key, up to `MOST`."""
    existing = visit.store.one("Cart", key)
    # The form limits the quantity that is added at once; this limits the total.
    total = min(MOST, quantity + (existing.quantity if existing else 0))
    visit.store.put("Cart", {"id": key, **values, "quantity": total})
