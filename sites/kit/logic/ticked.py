"""What is ticked in a form for several rows."""

from stressweb.core.entity import Entity
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit


def ticked(visit: Visit, field: str) -> list[Entity]:
    """Return the rows that are ticked; refuse a form in which none is, by the label `error_none`."""
    rows: list[Entity] = visit.values[field]
    if not rows:
        raise RefusedError("error_none")
    return rows
