"""The browser, started."""

from pathlib import Path

from playwright.async_api import Browser, Error, Playwright

from runner.browser.install import launch_args
from stressweb.core.errors import InfrastructureError, first_line


async def launch(playwright: Playwright, path: Path, *, headed: bool = False) -> Browser:
    """Start the browser; raises InfrastructureError if it does not start."""
    try:
        return await playwright.chromium.launch(executable_path=path, args=launch_args(), headless=not headed)
    except Error as error:
        raise InfrastructureError(f"browser {path} does not start: {first_line(error)}") from None
