"""One mitmproxy master in a thread, for the lifetime of a worker process."""

import asyncio
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from mitmproxy import options

from stressweb.core.errors import InfrastructureError
from stressweb.perturbations import LARGEST_BODY
from stressweb.runner.world.mitmproxy_parts import Core, Master, NextLayer, Proxyserver

_TIMEOUT_S = 20.0
"""Seconds to wait for the master to start, listen or stop."""


class ProxyThread:
    """Runs the master; `listen` opens a port on 127.0.0.1 and `release` closes it."""

    def __init__(self, addons: Sequence[object]) -> None:
        """Start the master with our addons and wait until it runs. Create only one per process."""
        self._addons = addons
        self._modes: dict[int, str] = {}
        self._started: Future[tuple[asyncio.AbstractEventLoop, Master, Proxyserver]] = Future()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._thread.start()
        self._loop, self._master, self._servers = self._started.result(_TIMEOUT_S)

    def listen(self, *kinds: str, port: int = 0) -> list[int]:
        """Open a port for each kind of listener, "regular" or "reverse:URL", and return the ports.

        Raises OSError if the port is in use.
        """
        listeners = []
        for kind in kinds:
            # Choose the port here: mitmproxy opens only one of several listeners with port 0.
            number = _free_port(port)
            # The ports are not open yet, so the system may return the same one again.
            while number in listeners:
                number = _free_port(0)
            self._modes[number] = f"{kind}@127.0.0.1:{number}"
            listeners.append(number)
        self._update()
        return listeners

    def release(self, *ports: int) -> None:
        """Close ports."""
        for port in ports:
            self._modes.pop(port, None)
        self._update()

    def close(self) -> None:
        """Stop the master and its thread."""
        self._loop.call_soon_threadsafe(self._master.shutdown)
        self._thread.join(_TIMEOUT_S)

    def _update(self) -> None:
        done = asyncio.run_coroutine_threadsafe(self._set_modes(list(self._modes.values())), self._loop)
        done.result(_TIMEOUT_S)

    async def _set_modes(self, modes: list[str]) -> None:
        self._master.options.update(mode=modes)
        deadline = self._loop.time() + _TIMEOUT_S
        # mitmproxy opens and closes listeners in its own tasks, after the option has been set.
        while not self._listening():
            if self._loop.time() > deadline:
                raise InfrastructureError("the proxy does not accept connections")
            await asyncio.sleep(0.001)

    def _listening(self) -> bool:
        ports = {address[1] for server in self._servers.servers for address in server.listen_addrs}
        return ports == set(self._modes)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            # Otherwise the constructor would time out without a reason.
            if not self._started.done():
                self._started.set_exception(error)

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_say_nothing_of_an_end)
        master = Master(options.Options(mode=[], listen_host="127.0.0.1"), event_loop=loop)
        servers = Proxyserver()
        master.addons.add(Core(), servers, NextLayer(), *self._addons)
        # `serve` uses a reverse listener, which would otherwise replace the Host header with the address of the
        # sites' server.
        master.options.update(keep_host_header=True, connection_strategy="lazy", body_size_limit=LARGEST_BODY)
        # The loop calls this when `run` first yields, so the constructor does not return before the master runs.
        loop.call_soon(lambda: self._started.set_result((loop, master, servers)))
        await master.run()


def _say_nothing_of_an_end(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    # Python 3.12.1 prints a traceback for each connection that is cancelled when its listener closes.
    if not isinstance(context.get("exception"), asyncio.CancelledError):
        loop.default_exception_handler(context)


def _free_port(wanted: int) -> int:
    """Return the wanted port, or any free port for 0; raise OSError if the port is in use."""
    with socket.socket() as probe:
        # As in mitmproxy: a port that was just released can be reused at once.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", wanted))
        return int(probe.getsockname()[1])
