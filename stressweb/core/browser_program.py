"""The browser of all episodes: finding it, installing it if necessary, and its launch switches."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from stressweb.core.errors import InfrastructureError, UserError
from stressweb.core.periodic import every

ON_PATH = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
"""Programs to look for on PATH, the cheapest per episode first."""

AS_ROOT = "you are root, so the browser runs without its sandbox; running as another user is safer"
_DOWNLOAD = "chromium-headless-shell"
_DOWNLOADED = ("headless_shell", "chrome-headless-shell", "headless_shell.exe", "chrome-headless-shell.exe")
_ANSWER_SECONDS = 30.0
_TRIES = 3
_INSTALL_SECONDS = 600.0
_EVERY_S = 5.0
_CURE = (
    "install chromium-headless-shell, Chromium or Google Chrome (Debian: apt-get install chromium-headless-shell; "
    "anywhere: .venv/bin/playwright install --with-deps chromium-headless-shell), or set STRESSWEB_BROWSER to one"
)


type Installer = tuple[str, list[list[str]]]
"""The name of a package, and the commands that install it; each may fail."""


@dataclass(frozen=True)
class Browser:
    """A browser that reported its version."""

    path: Path
    source: str
    """How it was found: "STRESSWEB_BROWSER", "PATH" or "Playwright"."""
    version: str
    """The version as it reports it, such as "Chromium 156.0.8078.79"."""


def find_browser(environ: Mapping[str, str] = os.environ) -> Browser:
    """Return the browser to use, without installing one.

    The order is STRESSWEB_BROWSER, PATH, Playwright's own download. Programs on PATH that do not start are skipped.
    Raises UserError if there is no browser, or if the one in STRESSWEB_BROWSER does not start.
    """
    chosen_path = environ.get("STRESSWEB_BROWSER")
    if chosen_path:
        return _browser_at(Path(chosen_path).absolute())
    for path, source in _candidates(environ):
        version = ask_version(path)
        if version:
            return Browser(path, source, version)
    raise UserError(f"no browser found; {_CURE}")


def ensure_browser(
    environ: Mapping[str, str] = os.environ,
    say: Callable[[str], None] = lambda _: None,
    installers: Iterable[Installer] | None = None,
) -> Browser:
    """Return the browser to use; if there is none, install Playwright's download, else Debian's package.

    `installers` replaces these two. `say` is called with a line for each attempt. Raises UserError if no browser could
    be installed.
    """
    try:
        return find_browser(environ)
    except UserError:
        # The user named this browser, so stressweb does not install another one instead.
        if environ.get("STRESSWEB_BROWSER"):
            raise
    # Playwright's download comes first: it needs no root, and fails within seconds without network access.
    for package, steps in _installers() if installers is None else installers:
        say(f"no browser found, installing {package}")
        for step in steps:
            # A failed step may not matter, so check for a browser instead of the exit status.
            with saying(say, f"still trying {package}"):
                run_quietly(step, environ)
            try:
                return find_browser(environ)
            except UserError:
                continue
    raise UserError(f"no browser found and none could be installed; {_CURE}")


@contextmanager
def saying(say: Callable[[str], None], activity: str, every_s: float = _EVERY_S) -> Iterator[None]:
    """Report every few seconds that an activity continues, and for how long."""
    start = time.monotonic()
    with every(every_s, lambda: say(f"{activity}, {time.monotonic() - start:.0f} s so far")):
        yield


def check_display(environ: Mapping[str, str] = os.environ, platform: str = "") -> None:
    """Raise UserError if a visible browser would have no display."""
    if (platform or sys.platform) == "linux" and not (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")):
        cure = "leave out --headed, or put xvfb-run before the command (Debian: apt-get install xvfb)"
        raise UserError(f"--headed needs a screen, and neither DISPLAY nor WAYLAND_DISPLAY is set; {cure}")


def is_root() -> bool:
    """Whether this process runs as root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def launch_args(*, root: bool | None = None) -> list[str]:
    """Return the switches for `launch(args=…)`: no background traffic, and no sandbox if this process runs as root.

    `root`: whether this process runs as root; None looks it up.
    Playwright itself disables background networking, component updates, sync and first-run pages.
    """
    # Chromium refuses to start its sandbox as root; other users keep it.
    sandbox = ["--no-sandbox"] if (is_root() if root is None else root) else []
    return [
        *sandbox,
        # QUIC uses UDP, which an HTTP proxy cannot forward. The next two prevent requests without an action: reports of
        # failed requests, and pings of links.
        "--disable-quic",
        "--disable-domain-reliability",
        "--no-pings",
        # WebRTC would bypass the proxy, and announce itself by mDNS.
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        # Only the proxy resolves names, so that a request that bypasses it cannot leave the machine.
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        # Otherwise pages could be read in the middle of a scroll.
        "--disable-smooth-scrolling",
    ]


def ask_version(path: Path) -> str | None:
    """Return the answer of a browser to `--version`, or None if it does not start.

    Raises InfrastructureError if it is killed each time, for example because memory ran out.
    """
    for _ in range(_TRIES):
        try:
            answer = subprocess.run(
                [path, "--version"],
                capture_output=True,
                text=True,
                timeout=_ANSWER_SECONDS,
                errors="replace",
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        # The kernel kills processes when memory runs out, so try again.
        if answer.returncode != -signal.SIGKILL:
            break
    else:
        raise InfrastructureError(f"browser {path} was killed {_TRIES} times while reporting its version")
    if answer.returncode:
        return None
    line = next((line.strip() for line in answer.stdout.splitlines() if re.search(r"\d+\.\d+", line)), "")
    return line or None


def run_quietly(command: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Run an installer without questions and output; return whether it succeeded in time."""
    try:
        process = subprocess.run(
            command,
            env={**environ, "DEBIAN_FRONTEND": "noninteractive"},
            # The user cannot see the installer's questions, so it must not wait for an answer.
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_INSTALL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return process.returncode == 0


def _browser_at(path: Path) -> Browser:
    if not path.is_file() or not os.access(path, os.X_OK):
        raise UserError(f"STRESSWEB_BROWSER is {str(path)!r}, which is not an executable file; {_CURE}")
    version = ask_version(path)
    if version is None:
        raise UserError(f"STRESSWEB_BROWSER is {str(path)!r}, which does not answer to --version; {_CURE}")
    return Browser(path, "STRESSWEB_BROWSER", version)


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    for name in ON_PATH:
        program = shutil.which(name, path=environ.get("PATH", os.defpath))
        if program:
            yield Path(program), "PATH"
    for path in _downloads(environ):
        yield path, "Playwright"


def _playwright(*arguments: str) -> list[str]:
    # -P keeps the current folder off the import path; it may contain a `playwright`.
    return [sys.executable, "-P", "-m", "playwright", *arguments]


def _downloads(environ: Mapping[str, str]) -> list[Path]:
    """Return the downloads of this version of Playwright; only Playwright knows where they are."""
    try:
        plan = subprocess.run(
            _playwright("install", "--dry-run", _DOWNLOAD),
            env=dict(environ),
            capture_output=True,
            text=True,
            timeout=_ANSWER_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    folders = re.findall(r"^\s*Install location:\s*(.+?)\s*$", plan.stdout, re.MULTILINE)
    files = (path for folder in folders for path in sorted(Path(folder).glob("*/*")))
    return [path for path in files if path.name in _DOWNLOADED]


def _installers() -> Iterator[Installer]:
    yield "Playwright's own download of chromium-headless-shell", [_playwright("install", _DOWNLOAD)]
    apt = shutil.which("apt-get")
    if apt and is_root():
        # Without a font, texts are not drawn and cannot be clicked.
        install = [apt, "install", "-y", "--no-install-recommends", "fonts-liberation"]
        packages = [[*install, "chromium-headless-shell"], [*install, "chromium"]]
        yield (
            "Debian's packages, for the whole machine: fonts-liberation and chromium-headless-shell, else chromium",
            [[apt, "update"], *packages],
        )


def main() -> int:
    """Find or install the browser for `make`; print progress, and a line if the browser has changed."""
    try:
        browser = ensure_browser(say=lambda line: _print(f"browser: {line}"))
    except UserError as error:
        _print(str(error))
        return 2
    print_change(browser, Path(sys.prefix) / ".stressweb-browser")
    return 0


def _print(line: str) -> None:
    print(f"stressweb: {line}", file=sys.stderr, flush=True)


def print_change(browser: Browser, record: Path) -> None:
    """Print which browser is used, unless the file already has it."""
    line = f"browser: {browser.version} at {browser.path}, by {browser.source}"
    # The file is optional: in a read-only folder the line is printed every time.
    with suppress(OSError):
        if record.is_file() and record.read_text(encoding="utf-8", errors="replace") == line:
            return
    _print(line)
    with suppress(OSError):
        record.write_text(line, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
