"""The folder of a user's module: makes its files importable, and rejects name clashes with packages."""

import ast
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stressweb.core.errors import UserError
from stressweb.core.package_names import PACKAGES, ROOT, cure, namesake


class Import(NamedTuple):
    """A module that a file imports."""

    file: Path
    line: int
    module: str


def make_importable(folder: Path) -> None:
    """Make the files of a folder importable in this process."""
    entry = str(folder)
    if entry in map(_resolved, sys.path):
        return
    # A file named like one of our packages must not hide it from code that is imported later.
    ours_there = any(namesake(folder, name) for name in PACKAGES)
    sys.path.insert(len(sys.path) if ours_there else _after_the_standard_library(), entry)


def check_imports(file: Path, folder: Path) -> None:
    """Raise UserError if a file, or a neighbour that it imports, would not import the module in its folder.

    `folder` is where its imports begin. Nothing is executed.
    """
    for statement in _imports(file, folder):
        name = statement.module.partition(".")[0]
        own = namesake(folder, name)
        # Every plug-in imports `stressweb`, and means ours.
        if own is None or name == "stressweb":
            continue
        where = f"{statement.file}:{statement.line}: import of {name!r}"
        if name in PACKAGES:
            # `sites.kit` means ours beside a file `sites.py`, which has no `kit`.
            if not _means_ours(statement.module, folder):
                raise UserError(f"{where} gives stressweb's own package, not {own}; rename {own.name}")
        elif (loaded := _loaded_from(name)) and loaded.parent not in (folder, folder / name):
            raise UserError(f"{where} gives {loaded}, which was imported before, not {own}; rename one of them")


def check_reference(module: str, folder: Path) -> None:
    """Raise UserError if a user names a module of a folder that is named like one of our packages."""
    name = module.partition(".")[0]
    own = namesake(folder, name) if name in PACKAGES else None
    if own and not _means_ours(module, folder):
        raise UserError(f"{own} has the name of stressweb's own package {name!r}; {cure(own)}")


def file_of(module: str, folder: Path) -> Path | None:
    """Return the file of a module below a folder; None if it is elsewhere."""
    path = folder.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _imports(file: Path, folder: Path) -> Iterator[Import]:
    """Yield the imports of a file, and those of the neighbours that it imports, in order."""
    left, seen = [file], set[Path]()
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        for statement in _imports_in(path):
            yield statement
            neighbour = file_of(statement.module, folder)
            if neighbour and statement.module.partition(".")[0] not in PACKAGES:
                left.append(neighbour)


def _imports_in(path: Path) -> Iterator[Import]:
    try:
        tree = ast.parse(path.read_bytes())
    # Errors are reported with their line when the file is imported.
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(path, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield Import(path, node.lineno, node.module)


def _means_ours(module: str, folder: Path) -> bool:
    """Whether a module below one of our packages exists, and none of that name in the user's folder."""
    return "." in module and file_of(module, ROOT) is not None and file_of(module, folder) is None


def _loaded_from(name: str) -> Path | None:
    file = getattr(sys.modules.get(name), "__file__", None)
    return Path(file).resolve() if file else None


def _after_the_standard_library() -> int:
    """Return the position in `sys.path` before installed packages, so that neighbours never hide standard modules."""
    standard = {_resolved(sysconfig.get_path(key)) for key in ("stdlib", "platstdlib")}
    standard |= {f"{place}/lib-dynload" for place in standard}
    places = [place for place, entry in enumerate(sys.path) if _resolved(entry) in standard]
    return max(places, default=-1) + 1


def _resolved(entry: str) -> str:
    return str(Path(entry).resolve())
