"""The command that connects an MCP client to an episode's browser: the MCP server of the installed Playwright."""

from pathlib import Path

from playwright._impl._driver import compute_driver_executable

from stressweb.runner.host.models import Command


def browser_command(cdp_url: str, folder: Path) -> Command:
    """Return the command for the browser at a CDP address; its tools write files to `folder`.

    By default they would write to the client's working directory.
    """
    node, cli = compute_driver_executable()
    return Command(command=node, args=[cli, "mcp", "--cdp-endpoint", cdp_url, "--output-dir", str(folder)])
