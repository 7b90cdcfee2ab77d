"""Backends by name: the built-in ones, then those of plug-ins."""

import contextlib
from collections.abc import Iterator
from typing import cast

from stressweb.core.errors import UserError
from stressweb.plugins.backend import RAY
from stressweb.plugins.extensions import REFERENCE
from stressweb.runner.execution.backend import Backend
from stressweb.runner.execution.local import Local
from stressweb.runner.execution.mission import Mission
from stressweb.runner.execution.ray_connection import connected
from stressweb.runner.registry import BACKENDS, EXTENSIONS


class Ray(Backend):
    """Workers on the machines of a Ray cluster. Ray is an extra, and imported when a run is opened."""

    name = RAY
    remote = True

    @classmethod
    def check_address(cls, address: str | None) -> None:
        """Raise UserError without an address."""
        if not address:
            cure = "give --address HOST:PORT, which `ray start --head` prints (and `ray status` checks)"
            raise UserError(f"backend ray needs the address of a running Ray cluster; {cure}")

    @classmethod
    @contextlib.contextmanager
    def opened(cls, mission: Mission, address: str | None) -> Iterator[Backend]:
        """Connect to the cluster; raise UserError if a node lacks something that the run needs."""
        with connected(str(address)):
            from stressweb.runner.execution.ray_cluster import Cluster  # noqa: PLC0415 - imports Ray

            yield Cluster(mission)


_SHIPPED: tuple[type[Backend], ...] = (Local, Ray)


def backend(name: str) -> type[Backend]:
    """Return a backend by its name or as `module:Class`; raise UserError if there is none, or a plug-in fails."""
    if REFERENCE.fullmatch(name):
        (name,) = EXTENSIONS.load(name)
    # Built-in backends come first, so that no plug-in can replace them.
    shipped = next((backend_class for backend_class in _SHIPPED if backend_class.name == name), None)
    return shipped or cast("type[Backend]", BACKENDS.plugin(name))
