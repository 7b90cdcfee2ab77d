"""Playwright's driver and its browser, started with what they need of the environment and nothing else."""

import contextlib
import fnmatch
import os
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Playwright

ALLOWED = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT",
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_*", "DBUS_SESSION_BUS_ADDRESS", "FONTCONFIG_*", "LD_LIBRARY_PATH",
)  # fmt: skip
"""Patterns of the variables that driver and browser get. Keys of models are not among them, nor are Playwright's own
switches, one of which lets a page reach this machine past the proxy."""


def reduced(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an environment that driver and browser get."""
    return {name: value for name, value in environ.items() if any(fnmatch.fnmatchcase(name, one) for one in ALLOWED)}


@contextlib.asynccontextmanager
async def playwright() -> AsyncIterator["Playwright"]:
    """Start Playwright with a reduced environment, which its browsers inherit; this process keeps its own."""
    from playwright.async_api import async_playwright  # noqa: PLC0415 - slow to import

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
