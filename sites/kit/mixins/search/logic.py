"""The query of a search page."""

from collections.abc import Mapping
from typing import Any

from stressweb.sites.kit.serving.visit import Visit


def search_words(visit: Visit) -> Mapping[str, Any]:
    """Return the query with its text stripped as `args`, so that the title can show it."""
    return {"args": {**visit.args, "q": visit.args.get("q", "").strip()}}
