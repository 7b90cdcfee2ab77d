"""Switching between the accounts of a person."""

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit


def switch_account(visit: Visit) -> None:
    """Switch to another account in the menu; raises RefusedError for an account that is not in it."""
    account = visit.values["account"]
    # A form can send any key.
    if account.id not in {row.id for row in visit.rows(visit.frame.accounts, visit.names)}:
        raise RefusedError("error_account")
    visit.session.renew(account.id)
