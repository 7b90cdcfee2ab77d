"""Sites that are made of a folder: `site.yaml`, `tasks.yaml`, `logic.py`, and checkpoints."""

import importlib
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType

from sites.kit.app import create_app
from sites.kit.references import load_spec
from sites.kit.spec import SiteSpec
from sites.kit.world import KitWorld, SiteCode
from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.plugins.checks import Checklist, checklist
from stressweb.plugins.extensions import module_of
from stressweb.plugins.site import Site
from stressweb.plugins.task import Task, load_tasks

_SITES = Path(__file__).parents[1]


class KitSite(Site):
    """A site in a folder of its own, outside of stressweb.

    `site.yaml` is its spec and `tasks.yaml` its tasks; `logic.py` holds what a spec cannot say, and may be left out;
    `checks.py` holds the checkpoints. The site is called after the folder.
    """

    def __init__(self, folder: Path) -> None:
        """Take the folder; nothing is read before it is asked for. Raises UserError if there is no `site.yaml`."""
        self.folder = folder
        self.name = folder.name
        if not (folder / "site.yaml").is_file():
            raise UserError(f"site {folder} has no site.yaml")

    def world(self, seed: int) -> KitWorld:
        """Return the site at a world seed; raises UserError for a malformed spec."""
        return KitWorld(self.name, self.spec, self._code, seed)

    def tasks(self) -> Sequence[Task]:
        """Return the tasks, in their order; raises UserError for one that is not called after the site."""
        found = load_tasks(self.folder / "tasks.yaml")
        for task in found:
            if task.id.partition("/")[0] != self.name:
                raise UserError(f"{self.folder / 'tasks.yaml'}: task {task.id} must be called {self.name}/...")
        return found

    def checklist(self) -> Checklist:
        """Return the checkpoints; raises UserError if there is no `checks.py`."""
        return checklist([self._checks])

    def sources(self) -> Mapping[str, str]:
        """Return the source of `checks.py`."""
        return {"checks": (self.folder / "checks.py").read_text(encoding="utf-8")}

    @cached_property
    def spec(self) -> SiteSpec:
        """The spec of the site."""
        return load_spec(self.folder / "site.yaml")

    @property
    def _checks(self) -> ModuleType:
        if not (self.folder / "checks.py").is_file():
            raise UserError(f"site {self.folder} has no checks.py")
        return module_of(self.folder / "checks.py")

    @property
    def _logic(self) -> ModuleType:
        path = self.folder / "logic.py"
        return module_of(path) if path.is_file() else ModuleType("logic")

    @cached_property
    def _code(self) -> SiteCode:
        return SiteCode(create_app(self.spec), self._logic, _files(self.folder))


class ShippedSite(KitSite):
    """A site that ships: its logic is a module of `sites`, its checkpoints are the registry's matter."""

    @property
    def _logic(self) -> ModuleType:
        return importlib.import_module(f"sites.{self.name}.logic")


def names() -> list[str]:
    """Return the names of the sites that ship; nothing is read."""
    return sorted(path.parent.name for path in _SITES.glob("*/site.yaml"))


def folder_of(name: str) -> Path:
    """Return the folder of a site that ships; raises UserError for an unknown name."""
    if name not in names():
        raise UserError(unknown("site", name, names(), command="stressweb list sites"))
    return _SITES / name


@cache
def _shipped(name: str) -> ShippedSite:
    return ShippedSite(folder_of(name))


def load(name: str, seed: int) -> KitWorld:
    """Return a world of a site that ships; raises UserError for an unknown site or a malformed spec."""
    return _shipped(name).world(seed)


def tasks(name: str) -> Sequence[Task]:
    """Return the tasks of a site that ships, in their order."""
    return _shipped(name).tasks()


@cache
def _files(folder: Path) -> Mapping[str, str]:
    own = sorted(path for path in folder.glob("*.py") if path.name != "checks.py")
    kit = sorted(path for part in ("templates", "scripts") for path in (_SITES / "kit" / part).iterdir())
    return {f"{path.parent.name}/{path.name}": path.read_text(encoding="utf-8") for path in (*own, *kit)}
