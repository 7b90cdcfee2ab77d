"""Loads a user's plug-ins: a Python file, the folder of a site, `module:Class`, or a file of test cases."""

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from stressweb.core.errors import UserError
from stressweb.core.proxies import is_of_type
from stressweb.core.words import NO_TEXT, is_text
from stressweb.plugins.neighbours import check_imports, check_reference, file_of, make_importable
from stressweb.plugins.registry import Registry, where
from stressweb.plugins.site import Site

type AnyRegistry = Registry[Any]

_CLASSES = "agent, a perturbation, an observation source or a backend"
"""Loadable kinds of classes, for messages."""
REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
"""A reference to an object in a module: `my_package.my_module:MyAgent`."""


class Extensions:
    """The plug-ins that a user loads in one process."""

    def __init__(
        self,
        registries: Sequence[AnyRegistry],
        folder: Callable[[Path], Site],
        case_endings: Collection[str] = (),
        cases: Callable[[Path], list[str]] = lambda path: [],
    ) -> None:
        """Take the registries and two loaders: `folder` for sites, and `cases` for test cases, which returns ids.

        `case_endings` are the file name extensions of test cases.
        """
        self._registries = registries
        self._folder = folder
        self._case_endings, self._cases = case_endings, cases
        self._loaded: dict[str, list[str]] = {}

    @property
    def sources(self) -> tuple[str, ...]:
        """The loaded sources, in order; worker processes must load them, too."""
        return tuple(self._loaded)

    def holds_cases(self, source: str) -> bool:
        """Return whether a source is a file of test cases, by its name."""
        return Path(source).suffix.lower() in self._case_endings and not REFERENCE.fullmatch(source)

    def load(self, source: str) -> list[str]:
        """Load `module:Class`, a Python file, the folder of a site, or a file of test cases; return the added names.

        All plug-ins that a file defines are added. Raises UserError with file and line if it does not import, defines
        none, or uses a shipped name.
        """
        if source in self._loaded:
            return self._loaded[source]
        if not is_text(source):
            raise UserError(f"--load {source!r} {NO_TEXT}")
        if self.holds_cases(source) and Path(source).is_file():
            self._loaded[source] = self._cases(Path(source))
            return self._loaded[source]
        try:
            values = self._values(source)
        except UserError:
            raise
        # A script without `if __name__ == "__main__"` may exit during the import.
        except (Exception, SystemExit) as error:
            raise UserError(f"--load {source}: {where(error)}") from error
        if not values:
            raise UserError(f"--load {source} defines no class of an {_CLASSES}, and no site")
        # Check all names before adding the first, so that a rejected file adds nothing.
        for registry, name, _ in values:
            if name in registry.shipped():
                ours = f"{registry.kind.noun} {name!r} ships with stressweb"
                raise UserError(f"--load {source}: {ours}; choose another name")
        for registry, name, value in values:
            registry.add(name, value, source)
        self._loaded[source] = [name for _, name, _ in values]
        return self._loaded[source]

    def _values(self, source: str) -> list[tuple[AnyRegistry, str, Any]]:
        if REFERENCE.fullmatch(source):
            return [self._entry(source, _import_reference(source))]
        path = Path(source)
        if path.is_dir() and (path / "site.yaml").is_file():
            return [self._entry(source, self._folder(path.resolve()))]
        if not path.is_file() or path.suffix != ".py":
            problem = (
                "does not exist" if not path.exists() else "is a folder" if path.is_dir() else "is not a Python file"
            )
            raise UserError(
                f"--load {source} {problem}; give a Python file, a folder with a site.yaml, test cases (.csv, .yaml)"
                " or module:Class such as my_package.my_module:MyAgent"
            )
        module = module_of(path.resolve())
        own = [value for value in vars(module).values() if _defined_in(module, value)]
        candidates = [(value, self._registry_of(value)) for value in own]
        return [
            self._entry(source, value) for value, registry in candidates if registry and registry.kind.name_of(value)
        ]

    def _entry(self, source: str, value: Any) -> tuple[AnyRegistry, str, Any]:
        registry = self._registry_of(value)
        if registry is None:
            raise UserError(f"--load {source} is {type(value).__name__}, not a class of an {_CLASSES}, or a site")
        name = registry.kind.name_of(value)
        if not name:
            raise UserError(f"--load {source} has no name; set `{registry.kind.named_by}`")
        return registry, name, registry.checked(name, value)

    def _registry_of(self, value: Any) -> AnyRegistry | None:
        return next((registry for registry in self._registries if registry.kind.fits(value)), None)


def _import_reference(source: str) -> Any:
    """Import `module:Class` as the interpreter would from the current folder."""
    folder = Path.cwd()
    module, _, name = source.partition(":")
    check_reference(module, folder)
    if file := file_of(module, folder):
        check_imports(file, folder)
    # Console scripts, and Python with -P, do not have the current folder on the import path.
    make_importable(folder)
    value: Any = importlib.import_module(module)
    # The class may be nested in another one.
    for part in name.split("."):
        value = getattr(value, part)
    return value


def module_of(path: Path) -> ModuleType:
    """Import a Python file by its path, once, as a module named after the path, so that names cannot clash.

    The file can import its neighbours. Raises UserError for a neighbour that another module would hide.
    """
    name = "stressweb_loaded_" + re.sub(r"\W", "_", str(path.with_suffix("")))
    if name in sys.modules:
        return sys.modules[name]
    check_imports(path, path.parent)
    make_importable(path.parent)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Before its code runs, as importlib does, because dataclasses look up their module.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        # The next attempt must not find an incomplete module.
        del sys.modules[name]
        raise
    return module


def _defined_in(module: ModuleType, value: Any) -> bool:
    """Whether a value is defined in the file itself and is not an abstract class."""
    if not is_of_type(value, type):
        return True
    return value.__module__ == module.__name__ and not inspect.isabstract(value)
