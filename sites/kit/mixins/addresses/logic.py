"""Which address is the default."""

from collections.abc import Mapping
from typing import Any

from stressweb.sites.kit.serving.visit import Visit


def first_address(visit: Visit) -> Mapping[str, Any]:
    """Return whether a new address is the first, which is then the default."""
    return {"first": int(not visit.store.where("Address", {"owner": visit.session.owner}))}
