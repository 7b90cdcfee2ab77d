"""What the proof of a site finds: each finding with the place in the site's files that it is about."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from stressweb.core.errors import UserError
from stressweb.core.yaml_models import line_of, load
from stressweb.plugins.site import Site
from stressweb.walking.walker import BrokenError, LostError


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a site."""

    where: str
    """File and line, with the task or the page: `tasks.yaml:12: shop/profile`."""
    what: str


@dataclass
class Part:
    """One part of the proof, done."""

    name: str
    tried: str
    """What was looked at, in words."""
    findings: list[Finding] = field(default_factory=list)
    note: str = ""
    """What was left out, and why."""


class Places:
    """Where in a site's files its tasks and pages stand."""

    def __init__(self, site: Site) -> None:
        """Take the site; one that is not made of a folder has no files, and its findings name task and page alone."""
        self._folder: Path | None = getattr(site, "folder", None)

    def task(self, task: str) -> str:
        """Return where a task stands."""
        path = self._path("tasks.yaml")
        ids = [one.get("id") for one in load(path)] if path else []
        return f"{line_of(path, (ids.index(task), 'id'))}: {task}" if path and task in ids else task

    def page(self, address: str) -> str:
        """Return where the page at an address stands."""
        path = self._path("site.yaml")
        pages = load(path).get("pages", {}) if path else {}
        at = urlsplit(address).path
        for name, page in pages.items():
            if path and re.fullmatch(_pattern(name, page), at):
                return f"{line_of(path, ('pages', name))}: {address}"
        # A page that a mixin or a resource brings stands nowhere by itself.
        return f"{path}: {address}" if path else address

    def _path(self, name: str) -> Path | None:
        return self._folder / name if self._folder is not None and (self._folder / name).is_file() else None


def _pattern(name: str, page: object) -> str:
    said = page.get("path") if isinstance(page, dict) else None
    path = str(said or ("/" if name == "home" else f"/{name.replace('_', '-')}"))
    return "".join("[^/]+" if part.startswith("<") else re.escape(part) for part in re.split(r"(<[^>]+>)", path))


def trouble(error: Exception) -> str:
    """Say in one line what broke a check: what is known of a site as it stands, anything else with its kind."""
    if isinstance(error, UserError | BrokenError | LostError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
