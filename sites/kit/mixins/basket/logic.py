"""What is in a basket."""

from collections.abc import Mapping
from typing import Any

from stressweb.sites.kit.serving.visit import Visit

MOST = 20
"""How many of one thing may be in a basket."""


def cart_count(visit: Visit) -> Mapping[str, Any]:
    """Return how many things are in the basket."""
    return {"count": sum(line.quantity for line in visit.store.where("Cart", {"owner": visit.session.owner}))}


def put_line(visit: Visit, key: str, values: Mapping[str, Any], quantity: int) -> None:
    """Put so many into the basket, on top of what is there under this key."""
    there = visit.store.one("Cart", key)
    # The form limits what is added at once; this limits what adds up.
    total = min(MOST, quantity + (there.quantity if there else 0))
    visit.store.put("Cart", {"id": key, **values, "quantity": total})
