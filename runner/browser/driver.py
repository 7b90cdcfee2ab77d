"""Starts Playwright's driver and browser with a minimal environment."""

import contextlib
import fnmatch
import os
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from playwright.async_api import Browser, Error, Playwright, async_playwright

from stressweb.core.browser_program import launch_args
from stressweb.core.errors import InfrastructureError, first_line

ALLOWED = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT",
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_*", "DBUS_SESSION_BUS_ADDRESS", "FONTCONFIG_*", "LD_LIBRARY_PATH",
)  # fmt: skip
"""Patterns of the variables that driver and browser get. They exclude model keys, and Playwright's own variables, of
which one lets pages reach this machine without the proxy."""


def reduced(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the part of an environment that driver and browser get."""
    return {
        name: value for name, value in environ.items() if any(fnmatch.fnmatchcase(name, pattern) for pattern in ALLOWED)
    }


@contextlib.asynccontextmanager
async def playwright() -> AsyncIterator[Playwright]:
    """Start Playwright with a reduced environment, which its browsers inherit."""
    async with contextlib.AsyncExitStack() as stack:
        full_environment = dict(os.environ)
        try:
            # The driver inherits this process's environment, so change it while the driver starts.
            os.environ.clear()
            os.environ.update(reduced(full_environment))
            driver = await stack.enter_async_context(async_playwright())
        finally:
            os.environ.clear()
            os.environ.update(full_environment)
        yield driver


async def launch(playwright: Playwright, path: Path, *, headed: bool = False) -> Browser:
    """Start the browser; raises InfrastructureError if it does not start."""
    try:
        return await playwright.chromium.launch(executable_path=path, args=launch_args(), headless=not headed)
    except Error as error:
        raise InfrastructureError(f"browser {path} does not start: {first_line(error)}") from None


async def is_alive(browser: Browser) -> bool:
    """Return whether a browser and its driver are running; Playwright itself does not notice a dead driver."""
    if not browser.is_connected():
        return False
    try:
        # A call that needs both the driver and the browser.
        context = await browser.new_context()
        await context.close()
    except Error:
        return False
    return True
