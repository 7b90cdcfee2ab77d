"""Opens a page in the user's browser, if there is one."""

import os
import sys
import webbrowser
from collections.abc import Mapping

from stressweb.runner.commands.output import say


def open_page(url: str) -> None:
    """Open a page in the user's browser; if there is none, print a line."""
    if not has_display(os.environ, sys.platform) or not _open(url):
        say(f"no browser could be opened; open {url} yourself", err=True)


def has_display(environment: Mapping[str, str], platform: str) -> bool:
    """Return whether a browser could show a window."""
    # Without a display, `webbrowser` would start a terminal browser, such as lynx.
    if platform in ("darwin", "win32"):
        return True
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def _open(url: str) -> bool:
    try:
        return webbrowser.open(url)
    # The browser in BROWSER does not start.
    except (webbrowser.Error, OSError):
        return False
