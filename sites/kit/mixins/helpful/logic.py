"""How a review is marked as helpful."""

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit


def mark_helpful(visit: Visit) -> None:
    """Count one more who found a review helpful."""
    review, owner = visit.values["review"], visit.session.owner
    key = f"{owner}/{review.id}"
    if visit.store.one("HelpfulMark", key) is not None:
        raise RefusedError("error_helpful")
    visit.store.put("HelpfulMark", {"id": key, "owner": owner, "review": review.id})
    visit.store.change("Review", {"id": review.id}, {"helpful": review.helpful + 1})
