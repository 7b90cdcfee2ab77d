"""Sites defined by a folder: `site.yaml`, `tasks.yaml`, `logic.py` and checkpoints."""

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from types import ModuleType

from stressweb.core.errors import UserError
from stressweb.core.source import imports
from stressweb.plugins.checks import Checklist, checklist
from stressweb.plugins.extensions import module_of
from stressweb.plugins.site import Site
from stressweb.plugins.task import Task, load_tasks
from stressweb.sites import folder_of
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.loading.assembly import Assembly, assembled
from stressweb.sites.kit.loading.columns import check_columns
from stressweb.sites.kit.loading.references import check, references_in
from stressweb.sites.kit.loading.scopes import check_templates
from stressweb.sites.kit.serving.app import create_app
from stressweb.sites.kit.serving.functions import Functions
from stressweb.sites.kit.serving.world import KitWorld, SiteCode
from stressweb.sites.kit.spec.kinds import Kinds, kinds_of
from stressweb.sites.kit.spec.site import SiteSpec

_PARTS = ("templates", "browser", "widgets", "parts", "fields", "mixins")
"""Folders of the kit whose files affect pages."""
_TEXTS = (".py", ".html", ".css", ".js", ".yaml")
_DRAWS = 10
"""Largest number of times that the data of a world are drawn."""


class KitSite(Site):
    """A site in its own folder, which also gives the site its name.

    `site.yaml` has its spec and `tasks.yaml` its tasks. The optional `logic.py` has code for what a spec cannot
    express. `checks.py` has the checkpoints.
    """

    def __init__(self, folder: Path, *, logic: str = "", checks: str = "") -> None:
        """Take the folder; its files are read on demand. Raises UserError if there is no `site.yaml`.

        `logic` and `checks` name modules of installed packages, for a site whose code is not in its folder.
        """
        self.folder = folder
        self.name = folder.name
        self._modules = {"logic": logic, "checks": checks}
        if not (folder / "site.yaml").is_file():
            raise UserError(f"site {folder} has no site.yaml")

    def world(self, seed: int) -> KitWorld:
        """Return the world of the site at a seed; raise UserError for a malformed spec or task.

        Its data are drawn until every task can be drawn from them. Where that never happens they are those of the first
        draw, and the task that does not fit raises UserError when its goal is drawn.
        """
        worlds = (KitWorld(self.name, self.spec, self._code, seed, redraw) for redraw in range(_DRAWS))
        first = next(worlds)
        tasks = self.tasks() if (self.folder / "tasks.yaml").is_file() else ()
        return next((world for world in chain([first], worlds) if all(task.fits(world) for task in tasks)), first)

    def tasks(self) -> Sequence[Task]:
        """Return the tasks in order; raise UserError for an id that does not begin with the site's name."""
        return self._tasks

    @cached_property
    def _tasks(self) -> Sequence[Task]:
        site_tasks = load_tasks(self.folder / "tasks.yaml")
        for task in site_tasks:
            # Cells find their site by this part of the task's id, so a task with another prefix could not be opened.
            if task.site != self.name:
                raise UserError(f"{self.folder / 'tasks.yaml'}: task {task.id} must be called {self.name}/...")
        return site_tasks

    def checklist(self) -> Checklist:
        """Return the checkpoints; raise UserError if there is no `checks.py`."""
        module = self._module("checks")
        if module is None:
            raise UserError(f"site {self.folder} has no checks.py")
        return checklist([module])

    def sources(self) -> Mapping[str, str]:
        """Return the sources of the checkpoints and of the modules they import from their own package, by module."""
        checks = self._modules["checks"]
        if not checks:
            return {"checks": (self.folder / "checks.py").read_text(encoding="utf-8")}
        # Include helper modules, because a change in a helper may change the grades.
        package, unread, texts = checks.rpartition(".")[0], [checks], dict[str, str]()
        while unread:
            name = unread.pop()
            if name not in texts and (spec := importlib.util.find_spec(name)) and spec.origin:
                path = Path(spec.origin)
                texts[name] = path.read_text(encoding="utf-8")
                shared_files = {
                    f"{package}.{module_file.stem}"
                    for module_file in path.parent.glob("*.py")
                    if module_file.stem != "__init__"
                }
                unread += [module for module in imports(texts[name]) if module in shared_files]
        return texts

    @cached_property
    def spec(self) -> SiteSpec:
        """The spec of the site; raises UserError with file and line if it is malformed."""
        assembly = self._assembly
        references = list(references_in(assembly.spec))
        check(assembly, self._functions, references)
        check_templates(assembly, references)
        check_columns(assembly)
        return assembly.spec

    @cached_property
    def _assembly(self) -> Assembly:
        return assembled(self.folder / "site.yaml", self.kinds)

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds of widgets, parts and fields that the site can use."""
        return kinds_of(self.folder, self._import)

    @cached_property
    def _functions(self) -> Functions:
        used = [name for name in self._assembly.mixins if (KIT / "mixins" / name / "logic.py").is_file()]
        logic = self._module("logic")
        mixed = [importlib.import_module(f"stressweb.sites.kit.mixins.{name}.logic") for name in used]
        return Functions([*([logic] if logic else [ModuleType("logic")]), *mixed])

    @cached_property
    def _code(self) -> SiteCode:
        return SiteCode(create_app(self.spec, self.kinds), self._functions, _files(self.folder))

    def _import(self, path: Path) -> ModuleType:
        """Import a file from the folder of a widget or a part."""
        package = self._modules["logic"].rpartition(".")[0]
        return (
            importlib.import_module(f"{package}.{'.'.join(path.with_suffix('').parts[-3:])}")
            if package
            else module_of(path)
        )

    def _module(self, part: str) -> ModuleType | None:
        """Return the module `logic` or `checks`; None if there is none."""
        # Import shipped sites by package name, so that their modules can import each other; a user's folder is not in
        # a package.
        if self._modules[part]:
            return importlib.import_module(self._modules[part])
        path = self.folder / f"{part}.py"
        return module_of(path) if path.is_file() else None


@cache
def shipped_site(name: str, *, checks: str = "") -> KitSite:
    """Return a shipped site; raise UserError for an unknown name.

    `checks` names the module of its checkpoints, which is in a package that sites must not import.
    """
    return KitSite(folder_of(name), logic=f"stressweb.sites.{name}.logic", checks=checks)


def load(name: str, seed: int) -> KitWorld:
    """Return a world of a shipped site; raise UserError for an unknown site or a malformed spec."""
    return shipped_site(name).world(seed)


def tasks(name: str) -> Sequence[Task]:
    """Return the tasks of a shipped site in order."""
    return shipped_site(name).tasks()


@cache
def _files(folder: Path) -> Mapping[str, str]:
    # Exclude checkpoints and tasks, which do not affect pages, and the spec, which is in the recipe.
    own = (path for path in folder.rglob("*.*") if path.name not in ("checks.py", "tasks.yaml", "site.yaml"))
    files = {f"{folder.name}/{path.relative_to(folder).as_posix()}": path for path in own}
    return dict(sorted((_texts(files) | _kit_files()).items()))


@cache
def _kit_files() -> dict[str, str]:
    kit = (path for part in _PARTS for path in (KIT / part).rglob("*.*"))
    return _texts({path.relative_to(KIT).as_posix(): path for path in kit if path.suffix != ".yaml"})


def _texts(files: Mapping[str, Path]) -> dict[str, str]:
    return {name: path.read_text(encoding="utf-8") for name, path in files.items() if path.suffix in _TEXTS}
