"""Marking reviews as helpful."""

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit


def mark_helpful(visit: Visit) -> None:
    """Count one more person who finds a review helpful; raises RefusedError for a second mark by the same person."""
    review, owner = visit.values["review"], visit.session.owner
    key = f"{owner}/{review.id}"
    if visit.store.one("HelpfulMark", key) is not None:
        raise RefusedError("error_helpful")
    visit.store.put("HelpfulMark", {"id": key, "owner": owner, "review": review.id})
    visit.store.change("Review", {"id": review.id}, {"helpful": review.helpful + 1})
