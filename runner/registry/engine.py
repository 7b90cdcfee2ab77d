"""Version of the engine that disturbs, drives and records episodes; a run is resumed only with the same engine."""

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
from stressweb.perturbations import check_bundles_are_fresh
from stressweb.runner.agents.llm import prompt as template
from stressweb.sources import SHIPPED

_ENGINE = (
    "perturbations", "runner/browser", "runner/episode/agent_thread.py", "runner/episode/evidence.py",
    "runner/episode/evidence_page_reader.py", "runner/episode/loop.py", "runner/episode/playground.py",
    "runner/external", "runner/world", "core/browser_program.py", "core/protocol.py", "html/copy.js", "html/inner.js",
    "html/notes.js", "html/page_tree.py", "html/written.py", "sources",
)  # fmt: skip
"""Folders and files of the package whose code affects episodes."""
_BUNDLES = "page/bundles"
"""Folder with the bundles of the scripts in the folders next to `page`, and in `page` itself."""


def current(browser: str) -> dict[str, Any]:
    """Return the versions of the software to record with a run.

    They are those of stressweb, browser, Python and Playwright, the revisions of the suite, and hashes of the engine's
    code and of the prompt of the agent `model`. `browser` is the name and version that the browser reports.
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
    """Return a hash of the prompt of the agent `model`: of its instructions, and of the code that writes the rest."""
    instructions = [template.instructions(view, pictures=pictures) for view in SHIPPED for pictures in (False, True)]
    # Without comments, which do not affect the prompt.
    template_code = reduced(inspect.getsource(template))
    return digest("prompt", json.dumps([instructions, template.schema(), template_code], sort_keys=True), size=8).hex()


def now() -> str:
    """Return the current time in UTC in the format of a run: 2026-01-31T12:00:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@cache
def code() -> str:
    """Return a hash of the code that disturbs, drives and records episodes.

    Comments are left out, so that a run can be resumed after a comment has changed. Raises UserError if the page's
    scripts are not bundled.
    """
    check_bundles_are_fresh()
    hasher = hashlib.blake2b(digest_size=8)
    # Sorted, since the order of files in a folder differs between machines.
    for path in sorted(path for part in _ENGINE for path in code_in(PACKAGE / part)):
        hasher.update(f"{path.relative_to(PACKAGE).as_posix()}\n".encode() + _code_text(path).encode())
    return hasher.hexdigest()


def _code_text(path: Path) -> str:
    if path.match(f"{_BUNDLES}/*"):
        return path.read_text(encoding="utf-8")
    return script(path) if path.suffix == ".js" else json.dumps(reduced(path.read_text(encoding="utf-8")))


def code_in(path: Path) -> list[Path]:
    """Return the files below a folder, or the file itself, that belong to the engine's code."""
    return [path] if path.is_file() else [file for file in path.rglob("*") if _is_code(file)]


def _is_code(path: Path) -> bool:
    # The page gets bundles, which have no comments or layout, in place of the modules in them.
    is_module = path.suffix == ".js" and (path.parent.parent / _BUNDLES).is_dir()
    return path.suffix in (".py", ".js") and not is_module


def check(folder: Path, meta: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise UserError if the run in a folder was made with another engine; `now` is as returned by `current`."""
    differing = [
        ("stressweb", meta.get("version"), now["version"]),
        # Only the major version must match: a minor update may be installed between two parts of a run.
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
    # In an untrusted recording the text can have any length.
    number = re.search(r"\d+", str(browser or "")[:200])
    return number[0] if number else ""
