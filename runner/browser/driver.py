"""Playwright's driver and its browser, started with what they need of the environment and nothing else."""

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
"""Patterns of the variables that driver and browser get. Keys of models are not among them, nor are Playwright's own
switches, one of which lets a page reach this machine past the proxy."""


def reduced(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an environment that driver and browser get."""
    return {
        name: value for name, value in environ.items() if any(fnmatch.fnmatchcase(name, pattern) for pattern in ALLOWED)
    }


@contextlib.asynccontextmanager
async def playwright() -> AsyncIterator[Playwright]:
    """Start Playwright with a reduced environment, which its browsers inherit; this process keeps its own."""
    async with contextlib.AsyncExitStack() as stack:
        whole = dict(os.environ)
        try:
            # The driver takes over the environment of the process that starts it.
            os.environ.clear()
            os.environ.update(reduced(whole))
            started = await stack.enter_async_context(async_playwright())
        finally:
            os.environ.clear()
            os.environ.update(whole)
        yield started


async def launch(playwright: Playwright, path: Path, *, headed: bool = False) -> Browser:
    """Start the browser; raises InfrastructureError if it does not start."""
    try:
        return await playwright.chromium.launch(executable_path=path, args=launch_args(), headless=not headed)
    except Error as error:
        raise InfrastructureError(f"browser {path} does not start: {first_line(error)}") from None


async def is_alive(browser: Browser) -> bool:
    """Whether a browser and its driver are there; Playwright hears of the end of the browser alone by itself."""
    if not browser.is_connected():
        return False
    try:
        # The only question that neither Playwright nor the driver answers without the browser.
        context = await browser.new_context()
        await context.close()
    except Error:
        return False
    return True
