"""The command that gives an MCP client the browser of an episode: the server in the installed Playwright."""

from pathlib import Path

from playwright._impl._driver import compute_driver_executable

from runner.host.models import Command


def browser_command(cdp_url: str, folder: Path) -> Command:
    """Return the command for the browser at an address of the DevTools protocol; its tools write files into `folder`.

    Without a folder they would write into that of the client.
    """
    node, cli = compute_driver_executable()
    return Command(command=node, args=[cli, "mcp", "--cdp-endpoint", cdp_url, "--output-dir", str(folder)])
