"""Dismissing the banner."""

from stressweb.sites.kit.serving.visit import Visit


def dismiss(visit: Visit) -> None:
    """Hide the banner for the rest of the session."""
    visit.session.notes["banner"] = True
