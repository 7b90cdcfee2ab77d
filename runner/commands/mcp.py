"""`stressweb mcp`: offers the episode server to a client of the Model Context Protocol."""

import asyncio
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.runner.host.client import HostClient


def mcp(folder: Path | None, runs_dir: Path) -> int:
    """Serve a client on standard input and output until it disconnects.

    `folder` is the folder of the episode server's run (default: the server that was started last). Raises UserError if
    no server runs there, or if the extra is not installed.
    """
    host = HostClient.of(folder) if folder is not None else HostClient.latest(runs_dir)
    try:
        from stressweb.runner.host.mcp_server import serve_mcp  # noqa: PLC0415 - an extra
    except ImportError:
        raise UserError("mcp needs the package mcp; install it with: pip install 'stressweb[mcp]'") from None
    # Fail now if the server is gone, while the user can see the error.
    host.get("/conditions")
    asyncio.run(serve_mcp(host))
    return 0
