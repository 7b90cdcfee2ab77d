"""Counting and adding notifications."""

from collections.abc import Mapping
from typing import Any

from stressweb.sites.kit.serving.visit import Visit


def unread(visit: Visit) -> Mapping[str, Any]:
    """Return the number of unread notifications as `count`."""
    return {"count": len(visit.store.where("Notification", {"owner": visit.session.owner, "unread": 1}))}


def notify(visit: Visit, owner: str, text: str, path: str) -> None:
    """Add a notification for a person; functions of sites call this."""
    row = {"owner": owner, "text": text, "path": path, "at": visit.store.now, "unread": 1}
    visit.store.put("Notification", {"id": visit.store.free_key("Notification", row), **row})
