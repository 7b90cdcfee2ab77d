"""Publishing reviews."""

from typing import Any

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit


def publish(visit: Visit, subject: str, **about: Any) -> None:
    """Publish a person's review of a subject; `about` are further columns of the review.

    Raises RefusedError if the person has already reviewed the subject.
    """
    me = visit.names["me"]
    # Use the person's key, not the name: two people may have the same name.
    key = f"{subject}/{me.id}"
    # Look it up first, because `put` would overwrite an earlier review.
    if visit.store.one("Review", key) is not None:
        raise RefusedError("error_reviewed")
    opinion = {"rating": int(visit.values["stars"]), "title": visit.values["headline"], "text": visit.values["text"]}
    visit.store.put("Review", {"id": key, **about, "author": me.name, "placed": visit.store.now, **opinion})
