"""`stressweb host`: runs the episode server; prints its address and token, and how it ended."""

import asyncio
import json
import signal
import socket
from collections.abc import Collection, Mapping
from ipaddress import IPv4Address
from typing import Any

from stressweb.core.choices import FEW
from stressweb.core.errors import UserError
from stressweb.core.words import counted
from stressweb.log.limits import Limits
from stressweb.runner.commands.output import say
from stressweb.runner.commands.serve import check_port
from stressweb.runner.host.client import ADDRESS_FILE
from stressweb.runner.host.server import Serving, Settings, serve

_TERMINATED = 143


def host(options: Mapping[str, Any], explicit_names: Collection[str]) -> int:
    """Serve until interrupted; print address and token once the server is ready.

    `explicit_names` are the options that are not defaults. Raises UserError for a port in use, an address that this
    machine does not have, and a folder with anything else.
    """
    as_json = options["as_json"]
    _check_address(options["listen"])
    check_port(options["port"], options["listen"])
    if not as_json:
        say("stressweb: starting the episode server", err=True)
    number, lost = asyncio.run(serve(_settings(options, explicit_names), _announced_json if as_json else _announce))
    if lost:
        say(f"stressweb: {counted(lost, 'open episode')} lost; finished episodes are kept", err=True)
    return _TERMINATED if number == signal.SIGTERM else 0


def _check_address(address: str) -> None:
    """Raise UserError unless this is an IPv4 address of this machine.

    0.0.0.0 is rejected, since clients get this address in answers and cannot connect to it.
    """
    try:
        if IPv4Address(address).is_unspecified:
            raise ValueError
        socket.create_server((address, 0)).close()
    except (OSError, ValueError):
        raise UserError(f"--listen {address!r} is not an IPv4 address of this machine, such as 127.0.0.1") from None


def _settings(options: Mapping[str, Any], explicit_names: Collection[str]) -> Settings:
    return Settings(
        out=options["out"],
        runs_dir=options["runs_dir"],
        port=options["port"],
        listen=options["listen"],
        idle_s=options["idle"],
        in_flight=options["in_flight"],
        limits=Limits(max_steps=options["max_steps"], agent_seconds=options["agent_seconds"]),
        explicit_names=explicit_names,
        version=options["agent_version"],
    )


def _announced_json(server: Serving) -> None:
    fields = {"url": server.url, "token": server.token, "docs": f"{server.url}/docs", "folder": str(server.folder)}
    say(json.dumps({**fields, "finished": server.finished, "lost": [cell.key for cell in server.lost]}))


def _announce(server: Serving) -> None:
    """Print the server's address, and the next command."""
    say(f"episode server: {server.url}  (press Ctrl-C to stop)")
    say(f"token:  {server.token}  (and in {server.folder / ADDRESS_FILE})")
    say(f"API:    {server.url}/docs")
    say(f"run:    {server.folder}, at most {counted(server.most, 'episode')} at a time")
    if server.finished or server.lost:
        say(f"kept:   {counted(server.finished, 'finished episode')}{_lost_text(server)}")
    body = json.dumps({"task": "shop/first-hit", "condition": "remap@3"})
    say("next:   open an episode in another terminal:\n")
    say(f"curl -H 'Authorization: Bearer {server.token}' -H 'Content-Type: application/json' \\")
    say(f"    -d '{body}' {server.url}/episodes")


def _lost_text(server: Serving) -> str:
    if not server.lost:
        return ""
    named = ", ".join(f"{cell.task} under {cell.condition}" for cell in server.lost[:FEW])
    more = f" and {len(server.lost) - FEW} more" if len(server.lost) > FEW else ""
    return f"; lost, so open again: {counted(len(server.lost), 'episode')} ({named}{more})"
