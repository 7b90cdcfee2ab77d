"""The ticked rows of a form."""

from stressweb.core.entity import Entity
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit


def ticked(visit: Visit, field: str) -> list[Entity]:
    """Return the ticked rows of a field; raises RefusedError with the label `error_none` if there are none."""
    rows: list[Entity] = visit.values[field]
    if not rows:
        raise RefusedError("error_none")
    return rows
