"""`stressweb doctor`: checks whether this machine meets stressweb's requirements."""

import json
import os
import platform
import re
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from stressweb.core.browser_program import AS_ROOT, Browser, find_browser, is_root, launch_args
from stressweb.core.cores import cores
from stressweb.core.errors import UserError, first_line
from stressweb.core.words import counted
from stressweb.runner.registry import broken, extensions

RUNS = Path("runs")
_LAUNCH_MS = 30_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Finding:
    """The result of a check: its name, details, and whether the requirement is met."""

    name: str
    detail: str
    ok: bool = True
    cure: str = ""
    """What to do if it is not met."""


def doctor(environ: Mapping[str, str] = os.environ, runs: Path = RUNS) -> list[Finding]:
    """Check Python, packages, browser, loopback and the runs folder, without changing anything."""
    return [
        _python(),
        _platform(),
        _user(),
        *_packages(),
        *_plugins(),
        *_browser(environ),
        _loopback(),
        _writable(runs),
    ]


def report(as_json: bool = False, say: Callable[[str], None] = print, findings: Sequence[Finding] | None = None) -> int:
    """Print findings, by default those of `doctor`, as lines or JSON; return 1 if a requirement is not met, else 0."""
    findings = doctor() if findings is None else findings
    if as_json:
        say(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            say(f"{'ok ' if finding.ok else 'NO '} {finding.name:<{width}}  {finding.detail}")
            if finding.cure:
                say(f"    {'':<{width}}  {finding.cure}")
    return 0 if all(finding.ok for finding in findings) else 1


def _python() -> Finding:
    version_text = f"{platform.python_implementation()} {platform.python_version()} at {sys.executable}"
    fits = sys.version_info >= (3, 12)
    return Finding("python", version_text, fits, "" if fits else "install Python 3.12 or newer")


def _platform() -> Finding:
    return Finding("platform", f"{platform.platform()}, {counted(cores(), 'core')}")


def _user() -> Finding:
    return Finding("user", AS_ROOT if is_root() else "not root: the browser runs in its sandbox")


def _packages() -> list[Finding]:
    try:
        # Without extras.
        wanted = [line for line in requires("stressweb") or [] if "extra ==" not in line]
    except PackageNotFoundError:
        return [Finding("packages", "stressweb is not installed", ok=False, cure="run `make setup`")]
    names = sorted({match[0] for line in wanted if (match := _NAME.match(line))}, key=str.lower)
    versions = {name: _version(name) for name in names}
    missing = [name for name, number in versions.items() if number is None]
    version_text = ", ".join(f"{name} {number}" for name, number in versions.items() if number)
    cure = f"missing: {', '.join(missing)}; run `make setup`" if missing else ""
    return [Finding("stressweb", version("stressweb")), Finding("packages", version_text, not missing, cure)]


def _plugins() -> list[Finding]:
    cure = "fix or uninstall it; everything else works without it"
    bad = [Finding("plug-in", plug_in.reason, ok=False, cure=cure) for plug_in in broken()]
    good = extensions()
    return [*([Finding("plug-ins", ", ".join(good))] if good else []), *bad]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _browser(environ: Mapping[str, str]) -> list[Finding]:
    try:
        browser = find_browser(environ)
    except UserError as error:
        return [Finding("browser", "none found", ok=False, cure=str(error))]
    finding = Finding("browser", f"{browser.version} at {browser.path}, from {browser.source}")
    return [finding, *_check_launch(browser)]


def _check_launch(browser: Browser) -> list[Finding]:
    try:
        with sync_playwright() as playwright:
            launched = playwright.chromium.launch(executable_path=browser.path, args=launch_args(), timeout=_LAUNCH_MS)
            page = launched.new_page()
            # Without a font, the browser draws no text, and empty elements cannot be clicked.
            page.set_content("<span>stressweb</span>")
            width = page.evaluate("document.querySelector('span').getBoundingClientRect().width")
            launched.close()
    except Error as error:
        reason = first_line(error)
        cure = "start it by hand to see the error, or set STRESSWEB_BROWSER to another browser"
        return [Finding("launch", reason, ok=False, cure=cure)]
    cure = "" if width else "install a font (Debian: apt-get install fonts-liberation)"
    fonts = f"text is drawn ({width:.0f} px wide)" if width else "no text is drawn"
    return [Finding("launch", "started, showed a page, closed"), Finding("fonts", fonts, bool(width), cure)]


def _loopback() -> Finding:
    try:
        # A sandbox may forbid listening or connecting, so this does both.
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            with socket.create_connection(("127.0.0.1", port), timeout=5):
                return Finding("loopback", "ports on 127.0.0.1 can be opened and reached")
    except OSError as error:
        cure = "allow this process to listen on 127.0.0.1"
        return Finding("loopback", f"no port on 127.0.0.1: {error.strerror}", ok=False, cure=cure)


def _writable(runs: Path) -> Finding:
    # The first run creates a missing folder, so its parent must be writable.
    folder = runs.resolve()
    folder = folder if folder.exists() else folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return Finding("runs", f"{runs.resolve()} can be written")
    except OSError as error:
        reason = f"{runs.resolve()} cannot be written: {error.strerror}"
        return Finding("runs", reason, ok=False, cure="make this folder writable, or run stressweb in another one")
