"""What a page that searches says."""

from collections.abc import Mapping
from typing import Any

from stressweb.sites.kit.serving.visit import Visit


def search_words(visit: Visit) -> Mapping[str, Any]:
    """Return the query with its words, so that the title can name them."""
    return {"args": {**visit.args, "q": visit.args.get("q", "").strip()}}
