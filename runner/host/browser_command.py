"""The command that gives an MCP client the browser of an episode: the server in the installed Playwright."""

from playwright._impl._driver import compute_driver_executable

from runner.host.models import Command


def browser_command(cdp_url: str) -> Command:
    """Return the command for the browser at an address of the DevTools protocol."""
    node, cli = compute_driver_executable()
    return Command(command=node, args=[cli, "mcp", "--cdp-endpoint", cdp_url])
