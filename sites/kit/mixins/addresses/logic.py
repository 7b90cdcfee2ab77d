"""The default address."""

from collections.abc import Mapping
from typing import Any

from stressweb.sites.kit.serving.visit import Visit


def first_address(visit: Visit) -> Mapping[str, Any]:
    """Return as `first` whether a new address is the owner's first one, which makes it the default."""
    return {"first": int(not visit.store.where("Address", {"owner": visit.session.owner}))}
