"""What a backend is called, and how it is chosen; what it does is in `stressweb.Backend`."""

from typing import ClassVar

from stressweb.core.errors import UserError

LOCAL, RAY = SHIPPED = ("local", "ray")
"""Names of the backends that ship."""


class BackendChoice:
    """A backend, as a user chooses it."""

    name: ClassVar[str] = ""
    """What `--backend` takes."""
    remote: ClassVar[bool] = False
    """Whether its workers are on other machines, where nobody sees a browser."""

    @classmethod
    def check_address(cls, address: str | None) -> None:
        """Raise UserError for an address that this backend cannot use, or if it needs one; this one takes none."""
        if address:
            raise UserError(f"backend {cls.name} takes no address; leave out --address")
