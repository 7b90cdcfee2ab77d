"""How people go on with another of their accounts."""

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit


def switch_account(visit: Visit) -> None:
    """Go on as another of the accounts that the menu offers."""
    account = visit.values["account"]
    # A form can send the key of anybody.
    if account.id not in {row.id for row in visit.rows(visit.frame.accounts, visit.names)}:
        raise RefusedError("error_account")
    visit.session.renew(account.id)
