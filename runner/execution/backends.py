"""The backends by name: those that ship, then those of plug-ins."""

import contextlib
from collections.abc import Iterator

from runner.execution.backend import Backend
from runner.execution.local import Local
from runner.execution.mission import Mission
from runner.execution.ray_connection import connected
from runner.registry import plugged_backend
from stressweb.core.errors import UserError
from stressweb.plugins.backend import RAY


class Ray(Backend):
    """Workers on the machines of a Ray cluster. Ray is an extra, and imported when a run is opened."""

    name = RAY
    remote = True

    @classmethod
    def check_address(cls, address: str | None) -> None:
        """Raise UserError without an address."""
        if not address:
            said = "give --address HOST:PORT, which `ray start --head` prints (and `ray status` checks)"
            raise UserError(f"backend ray needs the address of a Ray cluster that runs; {said}")

    @classmethod
    @contextlib.contextmanager
    def opened(cls, mission: Mission, address: str | None) -> Iterator[Backend]:
        """Connect to the cluster, every node of which must have what the run needs; raises UserError."""
        with connected(str(address)):
            from runner.execution.ray_cluster import Cluster  # noqa: PLC0415 - imports Ray

            yield Cluster(mission)


_SHIPPED: tuple[type[Backend], ...] = (Local, Ray)


def backend(name: str) -> type[Backend]:
    """Return a backend; raises UserError for a name that there is not, or an extension that fails."""
    # What ships comes first: no extension can take its place.
    for shipped in _SHIPPED:
        if shipped.name == name:
            return shipped
    found: type[Backend] = plugged_backend(name)
    return found
