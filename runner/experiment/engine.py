"""What disturbs, drives and records episodes, as a run remembers it: a run is continued by the same engine only."""

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from runner.browser.install import Browser
from stressweb.core.errors import UserError

_ROOT = Path(__file__).resolve().parents[2]
_ENGINE = (
    "perturbations", "runner/browser", "runner/world", "runner/episode/loop.py", "runner/episode/agent_thread.py",
)  # fmt: skip
"""Rooms and files that have a part in what happens in an episode."""


def current(browser: Browser) -> dict[str, str]:
    """Return what a run remembers of the engine: version of stressweb, browser, and a hash of the engine's code."""
    return {"version": version("stressweb"), "browser": browser.version, "engine": code()}


@cache
def code() -> str:
    """Return a hash of the code that disturbs, drives and records episodes."""
    found = hashlib.blake2b(digest_size=8)
    for path in sorted(path for part in _ENGINE for path in _code_in(_ROOT / part)):
        found.update(f"{path.relative_to(_ROOT).as_posix()}\n".encode() + path.read_bytes())
    return found.hexdigest()


def _code_in(path: Path) -> list[Path]:
    return [path] if path.is_file() else [one for one in path.rglob("*") if one.suffix in (".py", ".js")]


def check(folder: Path, meta: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise UserError if the run in a folder was made with another engine than this one; `now` is as `current`."""
    differing = [
        ("stressweb", meta.get("version"), now["version"]),
        ("browser", _major(meta.get("browser")), _major(now["browser"])),
        ("engine", meta.get("engine"), now["engine"]),
    ]
    for what, before, after in differing:
        if before != after:
            made = f"{what} {before or 'unknown'} and this is {what} {after}"
            raise UserError(
                f"run {folder} was made with {made}, so its episodes are not comparable with new ones; start a new run"
            )


def _major(browser: str | None) -> str:
    """Return the major number in what a browser calls itself: 156 of "Chromium 156.0.8078.79"."""
    found = re.search(r"\d+", str(browser or "")[:200])
    return found[0] if found else ""
