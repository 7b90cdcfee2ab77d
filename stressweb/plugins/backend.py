"""Names and selection of backends; `stressweb.Backend` is the base of implementations."""

from typing import ClassVar

from stressweb.core.errors import UserError

LOCAL, RAY = SHIPPED = ("local", "ray")
"""Names of the backends that ship."""


class BackendChoice:
    """A backend as a user selects it."""

    name: ClassVar[str] = ""
    """Its name for `--backend`."""
    remote: ClassVar[bool] = False
    """Whether its workers are on other machines, where you cannot see a browser."""

    @classmethod
    def check_address(cls, address: str | None) -> None:
        """Raise UserError for an invalid or missing address; the base accepts none."""
        if address:
            raise UserError(f"backend {cls.name} takes no address; leave out --address")
