"""How a review is published."""

from typing import Any

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit


def publish(visit: Visit, subject: str, **about: Any) -> None:
    """Publish what somebody said about a subject, once; `about` are the columns that say what that is."""
    me = visit.names["me"]
    # By the person and not by the name: two may bear the same.
    key = f"{subject}/{me.id}"
    # Looked up first, because `put` would write over the review that is there.
    if visit.store.one("Review", key) is not None:
        raise RefusedError("error_reviewed")
    opinion = {"rating": int(visit.values["stars"]), "title": visit.values["headline"], "text": visit.values["text"]}
    visit.store.put("Review", {"id": key, **about, "author": me.name, "placed": visit.store.now, **opinion})
