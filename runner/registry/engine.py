"""The engine that disturbs, drives and records episodes: a run can only be resumed with the same engine."""

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

from stressweb.core.draws import digest
from stressweb.core.errors import UserError
from stressweb.core.import_path import PACKAGE
from stressweb.core.javascript import source as script
from stressweb.core.source import reduced
from stressweb.core.suite import REVISIONS
from stressweb.perturbations import check_bundles
from stressweb.runner.agents.llm import prompt as template
from stressweb.sources import SHIPPED

_ENGINE = (
    "perturbations", "runner/browser", "runner/episode/agent_thread.py", "runner/episode/evidence.py",
    "runner/episode/loop.py", "runner/episode/playground.py", "runner/episode/written_pages.py", "runner/external",
    "runner/world", "core/browser_program.py", "core/protocol.py", "html/copy.js", "html/inner.js", "html/notes.js",
    "html/page_tree.py", "html/written.py", "sources",
)  # fmt: skip
"""Folders and files of the package whose code affects episodes."""
_BUNDLES = "bundles"
"""Name of the folder that has the bundles of the scripts beside it."""


def current(browser: str) -> dict[str, Any]:
    """Return what a run records about the software that executes it.

    `browser` is the browser's name and version, as it reports them.

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
    """Return a hash of the prompt template of the agent `model`: its instructions, and the code of the rest."""
    instructions = [template.instructions(view, pictures=pictures) for view in SHIPPED for pictures in (False, True)]
    # Without comments, which change nothing that a model reads.
    template_code = reduced(inspect.getsource(template))
    return digest("prompt", json.dumps([instructions, template.schema(), template_code], sort_keys=True), size=8).hex()


def now() -> str:
    """Return date and time in UTC as a run has them: 2026-01-31T12:00:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@cache
def code() -> str:
    """Return a hash of the code that disturbs, drives and records episodes, without comments.

    So a run can be resumed after a comment was changed. Raises UserError if the scripts of the page are not bundled.
    """
    check_bundles()
    hasher = hashlib.blake2b(digest_size=8)
    # Sorted, since the order of files in a folder differs between machines.
    for path in sorted(path for part in _ENGINE for path in _code_in(PACKAGE / part)):
        hasher.update(f"{path.relative_to(PACKAGE).as_posix()}\n".encode() + _code_text(path).encode())
    return hasher.hexdigest()


def _code_text(path: Path) -> str:
    if path.parent.name == _BUNDLES:
        return path.read_text(encoding="utf-8")
    return script(path) if path.suffix == ".js" else json.dumps(reduced(path.read_text(encoding="utf-8")))


def _code_in(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if _is_code(file)]


def _is_code(path: Path) -> bool:
    # Of modules that are bundled, the page gets only the bundles, in which no comment and no layout is left.
    is_module = path.suffix == ".js" and (path.parent / _BUNDLES).is_dir()
    return path.suffix in (".py", ".js") and not is_module


def check(folder: Path, meta: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise UserError if the run in a folder was made with another engine; `now` is as returned by `current`."""
    differing = [
        ("stressweb", meta.get("version"), now["version"]),
        # A newer build of the same browser is accepted: an update of the machine may install it between two parts of
        # a run.
        ("browser", major(meta.get("browser")), major(now["browser"])),
        ("engine", meta.get("engine"), now["engine"]),
    ]
    for software, before, after in differing:
        if before != after:
            versions = f"{software} {before or 'unknown'} and this is {software} {after}"
            raise UserError(
                f"run {folder} was made with {versions}, so its episodes are not comparable with new ones;"
                " start a new run"
            )


def major(browser: str | None) -> str:
    """Return the major version of a browser: 156 for "Chromium 156.0.8078.79"."""
    # In a foreign run the text can have any length.
    number = re.search(r"\d+", str(browser or "")[:200])
    return number[0] if number else ""
