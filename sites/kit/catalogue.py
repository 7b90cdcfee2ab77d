"""Sites that are made of a folder: `site.yaml`, `tasks.yaml`, `logic.py`, and checkpoints."""

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType

from stressweb.core.errors import UserError
from stressweb.core.source import imports
from stressweb.core.yaml_models import load as load_yaml
from stressweb.plugins.checks import Checklist, checklist
from stressweb.plugins.extensions import module_of
from stressweb.plugins.site import Site
from stressweb.plugins.task import Task, load_tasks
from stressweb.sites import folder_of
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.loading.assembly import assembled
from stressweb.sites.kit.loading.columns import check_columns
from stressweb.sites.kit.loading.references import check, named
from stressweb.sites.kit.loading.scopes import check_templates
from stressweb.sites.kit.serving.app import create_app
from stressweb.sites.kit.serving.functions import Functions
from stressweb.sites.kit.serving.world import KitWorld, SiteCode
from stressweb.sites.kit.spec.kinds import Kinds, kinds_of
from stressweb.sites.kit.spec.site import SiteSpec

_PARTS = ("templates", "browser", "widgets", "parts", "fields", "mixins")
"""Folders of the kit that pages are made of."""
_TEXTS = (".py", ".html", ".css", ".js", ".yaml")


class KitSite(Site):
    """A site in a folder of its own.

    `site.yaml` is its spec and `tasks.yaml` its tasks; `logic.py` holds what a spec cannot say, and may be left out;
    `checks.py` holds the checkpoints. The site is called after the folder.
    """

    def __init__(self, folder: Path, *, logic: str = "", checks: str = "") -> None:
        """Take the folder; nothing is read before it is asked for. Raises UserError if there is no `site.yaml`.

        `logic` and `checks` name modules of installed packages, for a site whose code is not in its folder.
        """
        self.folder = folder
        self.name = folder.name
        self._modules = {"logic": logic, "checks": checks}
        if not (folder / "site.yaml").is_file():
            raise UserError(f"site {folder} has no site.yaml")

    def world(self, seed: int) -> KitWorld:
        """Return the site at a world seed; raises UserError for a malformed spec."""
        return KitWorld(self.name, self.spec, self._code, seed)

    def tasks(self) -> Sequence[Task]:
        """Return the tasks, in their order; raises UserError for one that is not called after the site."""
        site_tasks = load_tasks(self.folder / "tasks.yaml")
        for task in site_tasks:
            # A cell finds its site by this part of the task's id, so that a task of another name could never be opened.
            if task.site != self.name:
                raise UserError(f"{self.folder / 'tasks.yaml'}: task {task.id} must be called {self.name}/...")
        return site_tasks

    def checklist(self) -> Checklist:
        """Return the checkpoints; raises UserError if there is no `checks.py`."""
        module = self._module("checks")
        if module is None:
            raise UserError(f"site {self.folder} has no checks.py")
        return checklist([module])

    def sources(self) -> Mapping[str, str]:
        """Return the source of the checkpoints, and of what they import from their own package, by module."""
        checks = self._modules["checks"]
        if not checks:
            return {"checks": (self.folder / "checks.py").read_text(encoding="utf-8")}
        # Checkpoints share helpers. A helper that changed changes the grades, so its source has to be among the
        # sources.
        package, left, texts = checks.rpartition(".")[0], [checks], dict[str, str]()
        while left:
            name = left.pop()
            if name not in texts and (spec := importlib.util.find_spec(name)) and spec.origin:
                path = Path(spec.origin)
                texts[name] = path.read_text(encoding="utf-8")
                beside = {
                    f"{package}.{module_file.stem}"
                    for module_file in path.parent.glob("*.py")
                    if module_file.stem != "__init__"
                }
                left += [module for module in imports(texts[name]) if module in beside]
        return texts

    @cached_property
    def spec(self) -> SiteSpec:
        """The spec of the site; raises UserError with file and line for a malformed one."""
        assembly = assembled(self.folder / "site.yaml", self.kinds)
        references = list(named(assembly.spec))
        check(assembly, self._functions, references)
        check_templates(assembly, references)
        check_columns(assembly)
        return assembly.spec

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds of widgets, parts and fields that the site can use."""
        return kinds_of(self.folder, self._imported)

    @cached_property
    def _functions(self) -> Functions:
        # Read before the spec is: a mixin that does not exist is named with its line when the spec is read.
        used = [name for name in _used(self.folder / "site.yaml") if (KIT / "mixins" / name / "logic.py").is_file()]
        logic = self._module("logic")
        mixed = [importlib.import_module(f"stressweb.sites.kit.mixins.{name}.logic") for name in used]
        return Functions([*([logic] if logic else [ModuleType("logic")]), *mixed])

    @cached_property
    def _code(self) -> SiteCode:
        return SiteCode(create_app(self.spec, self.kinds), self._functions, _files(self.folder))

    def _imported(self, path: Path) -> ModuleType:
        """Import a file of a widget's or a part's folder."""
        package = self._modules["logic"].rpartition(".")[0]
        return (
            importlib.import_module(f"{package}.{'.'.join(path.with_suffix('').parts[-3:])}")
            if package
            else module_of(path)
        )

    def _module(self, part: str) -> ModuleType | None:
        """Return the module of a part, `logic` or `checks`; None if there is none."""
        # A site that ships is imported by its package's name, so that its modules can import each other; a user's
        # folder is in no package.
        if self._modules[part]:
            return importlib.import_module(self._modules[part])
        path = self.folder / f"{part}.py"
        return module_of(path) if path.is_file() else None


@cache
def shipped_site(name: str, *, checks: str = "") -> KitSite:
    """Return a site that ships; raises UserError for an unknown name.

    `checks` names the module of its checkpoints: they live in a package that sites must not import.
    """
    return KitSite(folder_of(name), logic=f"stressweb.sites.{name}.logic", checks=checks)


def load(name: str, seed: int) -> KitWorld:
    """Return a world of a site that ships; raises UserError for an unknown site or a malformed spec."""
    return shipped_site(name).world(seed)


def tasks(name: str) -> Sequence[Task]:
    """Return the tasks of a site that ships, in their order."""
    return shipped_site(name).tasks()


def _used(path: Path) -> Sequence[str]:
    data = load_yaml(path)
    used = data.get("use") if isinstance(data, dict) else None
    return [str(name) for name in used] if isinstance(used, list) else []


@cache
def _files(folder: Path) -> Mapping[str, str]:
    # Checkpoints read pages and make none, so a change of them leaves the site what it was. Nor do tasks; the spec is
    # in the recipe.
    own = (path for path in folder.rglob("*.*") if path.name not in ("checks.py", "tasks.yaml", "site.yaml"))
    kit = (path for part in _PARTS for path in (KIT / part).rglob("*.*"))
    files = {f"{folder.name}/{path.relative_to(folder).as_posix()}": path for path in own}
    files |= {path.relative_to(KIT).as_posix(): path for path in kit if path.suffix != ".yaml"}
    return {name: files[name].read_text(encoding="utf-8") for name in sorted(files) if files[name].suffix in _TEXTS}
