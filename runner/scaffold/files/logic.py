"""What site.yaml cannot say: functions that it names with `call` and `load`."""

from stressweb.sites.kit import RefusedError, Visit


def borrowed(visit: Visit) -> None:
    """Refuse to lend a tool twice."""
    if visit.store.one("Loan", visit.names["tool"].id):
        raise RefusedError("error_lent")
