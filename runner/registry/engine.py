"""What disturbs, drives and records episodes, as a run remembers it: a run is continued by the same engine only."""

import hashlib
import inspect
import json
import re
import time
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

from runner.agents.llm import prompt as template
from stressweb.core.draws import digest
from stressweb.core.errors import UserError
from stressweb.core.javascript import source as script
from stressweb.core.source import reduced
from stressweb.core.suite import REVISIONS
from stressweb.sources import SHIPPED

_ROOT = Path(__file__).resolve().parents[2]
_ENGINE = (
    "perturbations", "runner/browser", "runner/episode/agent_thread.py", "runner/episode/evidence.py",
    "runner/episode/loop.py", "runner/episode/playground.py", "runner/episode/written_pages.py", "runner/external",
    "runner/world", "stressweb/core/browser_program.py", "stressweb/core/protocol.py", "stressweb/html/copy.js",
    "stressweb/html/inner.js", "stressweb/html/notes.js", "stressweb/html/page_tree.py", "stressweb/html/written.py",
    "stressweb/sources",
)  # fmt: skip
"""Rooms and files that have a part in what happens in an episode."""


def current(browser: str) -> dict[str, Any]:
    """Return what a run records about the software that carries it out.

    `browser` is what the browser calls itself.

    These are the versions of stressweb, browser, Python and Playwright, the revisions of the suite, and hashes of the
    engine's code and of the prompt of the agent `model`.
    """
    return {
        "version": version("stressweb"),
        "browser": browser,
        "engine": code(),
        "revisions": dict(REVISIONS),
        "prompt": prompt(),
        "packages": {"python": python_version(), "playwright": version("playwright")},
    }


@cache
def prompt() -> str:
    """Return a hash of the template of the agent `model`: its instructions, and the code that writes the rest."""
    told = [template.instructions(view, pictures=pictures) for view in SHIPPED for pictures in (False, True)]
    # Reduced, because a comment in the code changes nothing that a model reads.
    wrapped = reduced(inspect.getsource(template))
    return digest("prompt", json.dumps([told, template.schema(), wrapped], sort_keys=True), size=8).hex()


def now() -> str:
    """Return date and time in UTC as a run has them: 2026-01-31T12:00:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@cache
def code() -> str:
    """Return a hash of the code that disturbs, drives and records episodes, its comments left out.

    So a run can be continued after a comment was changed.
    """
    found = hashlib.blake2b(digest_size=8)
    # Sorted, since the order in which a folder lists its files is another one on every machine.
    for path in sorted(path for part in _ENGINE for path in _code_in(_ROOT / part)):
        found.update(f"{path.relative_to(_ROOT).as_posix()}\n".encode() + _told(path).encode())
    return found.hexdigest()


def _told(path: Path) -> str:
    return script(path) if path.suffix == ".js" else json.dumps(reduced(path.read_text(encoding="utf-8")))


def _code_in(path: Path) -> list[Path]:
    return [path] if path.is_file() else [one for one in path.rglob("*") if one.suffix in (".py", ".js")]


def check(folder: Path, meta: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise UserError if the run in a folder was made with another engine than this one; `now` is as `current`."""
    differing = [
        ("stressweb", meta.get("version"), now["version"]),
        # A newer build of the same browser may go on: it can come with any update of the machine while a run is
        # interrupted.
        ("browser", major(meta.get("browser")), major(now["browser"])),
        ("engine", meta.get("engine"), now["engine"]),
    ]
    for what, before, after in differing:
        if before != after:
            made = f"{what} {before or 'unknown'} and this is {what} {after}"
            raise UserError(
                f"run {folder} was made with {made}, so its episodes are not comparable with new ones; start a new run"
            )


def major(browser: str | None) -> str:
    """Return the major number in what a browser calls itself: 156 of "Chromium 156.0.8078.79"."""
    # The text may be a stranger's, and of any length.
    found = re.search(r"\d+", str(browser or "")[:200])
    return found[0] if found else ""
