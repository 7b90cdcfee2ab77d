"""`stressweb mcp`: the episode server for one client of the Model Context Protocol."""

import asyncio
from pathlib import Path

from runner.host.client import HostClient
from stressweb.core.errors import UserError


def mcp(folder: Path | None, runs_dir: Path) -> int:
    """Serve a client on standard input and output until it leaves.

    `folder` is that of the run behind the episode server; without it, the server is the one that was started last.
    Raises UserError if no server runs there, or without the extra.
    """
    host = HostClient.of(folder) if folder is not None else HostClient.latest(runs_dir)
    try:
        from runner.host.mcp_server import serve_mcp  # noqa: PLC0415 - an extra
    except ImportError:
        raise UserError("mcp needs the package mcp; install it with: pip install 'stressweb[mcp]'") from None
    # A server that is gone is found now, where a person reads of it.
    host.get("/conditions")
    asyncio.run(serve_mcp(host))
    return 0
