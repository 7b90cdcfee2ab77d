"""Findings of the proof of a site, each with its line in the site's files."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from stressweb.cases.case_file import NAME as CASES_FILE
from stressweb.core.errors import UserError
from stressweb.core.task_id import TaskId
from stressweb.core.yaml_models import line_of, load
from stressweb.plugins.site import Site
from stressweb.walking.walker import BrokenError, LostError


@dataclass(frozen=True)
class Finding:
    """A problem of a site."""

    where: str
    """File and line, with the task or the page: `tasks.yaml:12: shop/profile`."""
    what: str


@dataclass
class Part:
    """A completed part of the proof."""

    name: str
    tried: str
    """Description of what was checked."""
    findings: list[Finding] = field(default_factory=list)
    note: str = ""
    """Note about the part, such as checks that were left out."""


class Places:
    """Finds the lines of tasks and pages in a site's files."""

    def __init__(self, site: Site) -> None:
        """Take the site; for a site without a folder, findings name only task and page."""
        self._folder: Path | None = getattr(site, "folder", None)

    def task(self, task: str) -> str:
        """Return file and line of a task."""
        path = self._path("tasks.yaml")
        ids = [task_entry.get("id") for task_entry in load(path)] if path else []
        return f"{line_of(path, (ids.index(task), 'id'))}: {task}" if path and task in ids else task

    def cases(self, task: str) -> str:
        """Return file and line of the test cases of a task."""
        path, name = self._path(CASES_FILE), TaskId.read(task).name
        known = load(path).get("cases", {}) if path else {}
        return f"{line_of(path, ('cases', name))}: {task}" if path and name in known else self.task(task)

    def page(self, address: str) -> str:
        """Return file and line of the page at an address."""
        path = self._path("site.yaml")
        pages = load(path).get("pages", {}) if path else {}
        path_of_page = urlsplit(address).path
        for name, page in pages.items():
            if path and re.fullmatch(_pattern(name, page), path_of_page):
                return f"{line_of(path, ('pages', name))}: {address}"
        # A page from a mixin or a resource has no line.
        return f"{path}: {address}" if path else address

    def _path(self, name: str) -> Path | None:
        return self._folder / name if self._folder is not None and (self._folder / name).is_file() else None


def _pattern(name: str, page: object) -> str:
    spec_path = page.get("path") if isinstance(page, dict) else None
    path = str(spec_path or ("/" if name == "home" else f"/{name.replace('_', '-')}"))
    return "".join("[^/]+" if part.startswith("<") else re.escape(part) for part in re.split(r"(<[^>]+>)", path))


def trouble(error: Exception) -> str:
    """Return in one line why a check failed; for unexpected errors with the type of the error."""
    if isinstance(error, UserError | BrokenError | LostError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
