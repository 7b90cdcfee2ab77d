"""Extensions: agents, perturbations, sites, observation sources and backends that do not ship with stressweb.

They come from entry points, `--load` and `module:Class`. What ships is looked up first, so that no extension can change
what a name of ours means.
"""

import importlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from stressweb.core.errors import UserError, first_line
from stressweb.core.words import NO_TEXT, PLAIN, is_text
from stressweb.plugins.agent import Agent
from stressweb.plugins.backend import BackendChoice
from stressweb.plugins.neighbours import check_imports, check_reference, file_of, make_importable
from stressweb.plugins.observation_source import ObservationSource
from stressweb.plugins.perturbation import Perturbation
from stressweb.plugins.site import Site

type Kind = Literal["agents", "perturbations", "sites", "observations", "backends"]

KINDS: Mapping[Kind, type] = {
    "agents": Agent,
    "perturbations": Perturbation,
    "sites": Site,
    "observations": ObservationSource,
    "backends": BackendChoice,
}
"""The kinds of extensions, each with its base class. The entry point group of a kind is `stressweb.<kind>`."""
SAID: Mapping[Kind, str] = {
    "agents": "agent",
    "perturbations": "mode",
    "sites": "site",
    "observations": "observation source",
    "backends": "backend",
}
"""What one of a kind is called in messages."""
_NAMED_BY: Mapping[Kind, str] = {
    "agents": "name",
    "perturbations": "mode",
    "sites": "name",
    "observations": "name",
    "backends": "name",
}
"""The attribute that names one of a kind."""
_CLASSES = "agent, a perturbation, an observation source or a backend"
"""The kinds of which a class is loaded, as messages say them."""
REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
"""How an object in a module is written: `my_package.my_module:MyAgent`."""


@dataclass(frozen=True)
class Broken:
    """An extension that cannot be used."""

    kind: Kind
    name: str
    reason: str
    """What is wrong: where it comes from, and file and line where there is one."""


@dataclass
class _Entry:
    """An extension: an entry point until it is imported, then its value, or what is wrong with it."""

    origin: str
    point: EntryPoint | None = None
    value: Any = None
    wrong: str = ""


@dataclass
class Extensions:
    """The extensions of one process, by kind and name. Entry points are imported when they are first asked for."""

    points: Callable[..., Sequence[EntryPoint]] = field(default=lambda group: tuple(entry_points(group=group)))
    """Returns the entry points of a group."""
    _found: dict[Kind, dict[str, _Entry]] = field(default_factory=dict)
    _loaded: dict[str, list[tuple[Kind, str]]] = field(default_factory=dict)

    def names(self, kind: Kind) -> list[str]:
        """Return the names of the extensions of a kind, without importing any."""
        return [*self._of(kind)]

    def get(self, kind: Kind, name: str) -> Any:
        """Return an extension: a site, or a class of any other kind.

        Raises KeyError if there is none of this name, and UserError that names file and line if it does not import.
        """
        entry = self._of(kind)[name]
        if entry.point is not None and entry.value is None and not entry.wrong:
            try:
                entry.value = _fitting(kind, name, entry.point.load())
            # Importing runs a stranger's code, which can raise anything. One broken plug-in must not end commands that
            # only list names or use another one, so the reason is kept until somebody asks for this one.
            except (Exception, SystemExit) as error:
                entry.wrong = f"{SAID[kind]} {name!r} ({entry.origin}) cannot be used: {_where(error)}"
        if entry.wrong:
            raise UserError(entry.wrong)
        return entry.value

    def origin(self, kind: Kind, name: str) -> str:
        """Return where an extension comes from: an entry point, or what a user loaded; KeyError if there is none."""
        return self._of(kind)[name].origin

    def works(self, kind: Kind, name: str) -> bool:
        """Return whether an extension can be used, for which it is imported."""
        try:
            self.get(kind, name)
        except UserError:
            return False
        return True

    def broken(self, shipped: Mapping[Kind, Sequence[str]]) -> list[Broken]:
        """Import every extension and return those that cannot be used; `shipped` are the names that ship, by kind."""
        found = []
        for kind in KINDS:
            for name, entry in self._of(kind).items():
                # An installed entry point of that name cannot be rejected like `--load`. It is never used, so it is
                # reported.
                if name in shipped[kind]:
                    reason = f"{SAID[kind]} {name!r} ({entry.origin}): stressweb ships one of this name"
                    found.append(Broken(kind, name, reason))
                elif not self.works(kind, name):
                    found.append(Broken(kind, name, entry.wrong))
        return found

    @property
    def sources(self) -> tuple[str, ...]:
        """What was loaded because a user named it, in order: what a worker process must load too."""
        return tuple(self._loaded)

    def load(
        self, source: str, shipped: Mapping[Kind, Sequence[str]], folder: Callable[[Path], Site]
    ) -> list[tuple[Kind, str]]:
        """Add what a user names: `module:Class`, a Python file, or the folder of a site; return kinds and names.

        Of a file, everything that it defines is added. `folder` makes a site of a folder. Raises UserError that names
        file and line if it does not import, holds nothing, or takes a name that ships.
        """
        if source in self._loaded:
            return self._loaded[source]
        if not is_text(source):
            raise UserError(f"--load {source!r} {NO_TEXT}")
        try:
            values = _values(source, folder)
        except UserError:
            raise
        # A script without `if __name__ == "__main__"` may leave while it is imported.
        except (Exception, SystemExit) as error:
            raise UserError(f"--load {source}: {_where(error)}") from error
        if not values:
            raise UserError(f"--load {source} holds no class of an {_CLASSES}, and no site")
        # All names are looked at before the first is added: a file that is refused leaves nothing behind.
        added = [(kind, name) for kind, name, _ in values]
        for kind, name in added:
            if name in shipped[kind]:
                raise UserError(f"--load {source}: {SAID[kind]} {name!r} ships with stressweb; choose another name")
        for kind, name, value in values:
            self._of(kind)[name] = _Entry(source, value=value)
        self._loaded[source] = added
        return added

    def _of(self, kind: Kind) -> dict[str, _Entry]:
        if kind not in self._found:
            group = f"stressweb.{kind}"
            # Once in a process: looking through all installed packages takes long, and they do not change meanwhile.
            self._found[kind] = {
                point.name: _Entry(f"entry point {point.name} = {point.value}", point)
                for point in self.points(group=group)
            }
        return self._found[kind]


EXTENSIONS = Extensions()
"""The extensions of this process. A worker process adds those that its run was started with."""


def _kind_of(value: Any) -> Kind | None:
    """Return what kind of extension a class or an object is; None if it is none."""
    for kind, base in KINDS.items():
        if isinstance(value, base) or (inspect.isclass(value) and issubclass(value, base)):
            return kind
    return None


def _name_of(kind: Kind, value: Any) -> str:
    return str(getattr(value, _NAMED_BY[kind], ""))


def _fitting(kind: Kind, name: str, value: Any) -> Any:
    """Return what an entry point holds, ready for use; raises TypeError or ValueError if it is something else."""
    base = KINDS[kind]
    # Sites are used as objects, since a site made of a folder needs to know which. A class without arguments will do.
    if kind == "sites" and inspect.isclass(value) and issubclass(value, base):
        value = value()
    fits = isinstance(value, base) if kind == "sites" else inspect.isclass(value) and issubclass(value, base)
    if not fits:
        raise TypeError(f"{value!r} is no {base.__name__}")
    # Names are listed without importing anything, so the entry point has to say the true one.
    if _name_of(kind, value) != name:
        raise ValueError(f"it calls itself {_name_of(kind, value)!r}; the entry point must have the same name")
    if kind == "observations" and not PLAIN.fullmatch(name):
        raise ValueError(f"its name {name!r} needs to be letters, digits, '.', '_' and '-', at most 100")
    return value


def _values(source: str, folder: Callable[[Path], Site]) -> list[tuple[Kind, str, Any]]:
    if REFERENCE.fullmatch(source):
        return [_known(source, _referred(source))]
    path = Path(source)
    if path.is_dir() and (path / "site.yaml").is_file():
        return [_known(source, folder(path.resolve()))]
    if not path.is_file() or path.suffix != ".py":
        what = "does not exist" if not path.exists() else "is a folder" if path.is_dir() else "is no Python file"
        raise UserError(
            f"--load {source} {what}; give a Python file, a folder with a site.yaml, or module:Class"
            " such as my_package.my_module:MyAgent"
        )
    module = module_of(path.resolve())
    own = ((value, _kind_of(value)) for value in vars(module).values() if _defined_in(module, value))
    return [_known(source, value) for value, kind in own if kind and _name_of(kind, value)]


def _referred(source: str) -> Any:
    """Import `module:Class`, as the interpreter would from the current folder."""
    folder = Path.cwd()
    module, _, name = source.partition(":")
    check_reference(module, folder)
    if file := file_of(module, folder):
        check_imports(file, folder)
    # A console script does not have the current folder on its path, and Python started with -P neither.
    make_importable(folder)
    value: Any = importlib.import_module(module)
    # The class may stand within another one.
    for part in name.split("."):
        value = getattr(value, part)
    return value


def module_of(path: Path) -> ModuleType:
    """Import a Python file by its path, once; its module is named after the path, so that no name can clash.

    The file can import its neighbours. Raises UserError for a neighbour that it would not get.
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
    # Before its code runs, as importlib does it: dataclasses look their module up while they are made.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        # Half a module would be taken for the whole one at the next try.
        del sys.modules[name]
        raise
    return module


def _defined_in(module: ModuleType, value: Any) -> bool:
    """Whether a value is defined in the file itself, and not an abstract base class."""
    if not inspect.isclass(value):
        return True
    return value.__module__ == module.__name__ and not inspect.isabstract(value)


def _known(source: str, value: Any) -> tuple[Kind, str, Any]:
    kind = _kind_of(value)
    if kind is None:
        raise UserError(f"--load {source} is {type(value).__name__}, not a class of an {_CLASSES}, or a site")
    name = _name_of(kind, value)
    if not name:
        raise UserError(f"--load {source} has no name; set `{_NAMED_BY[kind]}`")
    return kind, name, _fitting(kind, name, value)


def _where(error: BaseException) -> str:
    """Return an error in one line, with the file and line of the user's code that raised it."""
    said = f"{type(error).__name__}: {first_line(error)}"
    # A file that does not parse never ran, so no frame of the traceback is in it.
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: {said}"
    # The user's own line is the innermost one that is neither of Python's import nor of this file.
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    own = [frame for frame in frames if frame.filename != __file__]
    return f"{own[-1].filename}:{own[-1].lineno}: {said}" if own else said
