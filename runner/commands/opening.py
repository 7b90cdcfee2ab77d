"""Opens a page in the browser of the person who typed a command, where there is one."""

import os
import sys
import webbrowser
from collections.abc import Mapping

from stressweb.runner.commands.output import say


def open_page(url: str) -> None:
    """Open a page in the person's browser; where there is none, print one line and go on."""
    if not _has_display(os.environ, sys.platform) or not _opened(url):
        say(f"no browser could be opened here; open {url} yourself", err=True)


def _has_display(environment: Mapping[str, str], platform: str) -> bool:
    """Return whether a browser could show a window."""
    # Without a display `webbrowser` falls back to a browser of the terminal, such as lynx, which would take it over.
    if platform in ("darwin", "win32"):
        return True
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def _opened(url: str) -> bool:
    try:
        return webbrowser.open(url)
    # A browser that is named in BROWSER and does not start.
    except (webbrowser.Error, OSError):
        return False
