"""The folder of a user's module: makes its files importable, and rejects name clashes."""

import ast
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stressweb.core.errors import UserError
from stressweb.core.import_path import PACKAGE, ROOT


class Import(NamedTuple):
    """A module that a file imports."""

    file: Path
    line: int
    module: str


def make_importable(folder: Path) -> None:
    """Make the files of a folder importable in this process, even if they are named like folders of a checkout."""
    entry, position = str(folder), _after_the_standard_library()
    before, after = sys.path[:position], sys.path[position:]
    # Move the root of a checkout, which has folders such as `runner`, to the end; PYTHONPATH may have it first.
    paths = [path for path in before if _resolve(path) != str(ROOT)]
    if len(paths) < len(before):
        after.append(str(ROOT))
    is_present = entry in map(_resolve, (*paths, *after))
    sys.path[:] = [*paths, *([] if is_present else [entry]), *after]


def check_imports(file: Path, folder: Path) -> None:
    """Raise UserError if a file, or a neighbour that it imports, would get another module than the one in its folder.

    `folder` is the root of its imports. Nothing is executed.
    """
    for statement in _imports(file, folder):
        name = statement.module.partition(".")[0]
        own = _neighbour(folder, name)
        # `stressweb` always means ours.
        if own is None or name == PACKAGE.name:
            continue
        if (loaded := _loaded_from(name)) and loaded.parent not in (folder, folder / name):
            raise UserError(
                f"{statement.file}:{statement.line}: import of {name!r} gives {loaded}, which was imported before,"
                f" not {own}; rename one of them"
            )


def check_reference(module: str, folder: Path) -> None:
    """Raise UserError if a user's module is in a folder or file that is named like our package."""
    own = _neighbour(folder, PACKAGE.name) if module.partition(".")[0] == PACKAGE.name else None
    if own and (module == PACKAGE.name or file_of(module, ROOT) is None):
        raise UserError(f"{own} has the name of stressweb's own package; rename {own.name}")


def file_of(module: str, folder: Path) -> Path | None:
    """Return the file of a module below a folder; None if it is elsewhere."""
    path = folder.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _imports(file: Path, folder: Path) -> Iterator[Import]:
    """Yield the imports of a file, and of the neighbours that it imports, in order."""
    pending, visited = [file], set[Path]()
    while pending:
        path = pending.pop()
        if path in visited:
            continue
        visited.add(path)
        for statement in _imports_in(path):
            yield statement
            neighbour = file_of(statement.module, folder)
            if neighbour and statement.module.partition(".")[0] != PACKAGE.name:
                pending.append(neighbour)


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


def _neighbour(folder: Path, name: str) -> Path | None:
    """Return the file or package that `import name` would find in a user's folder; None if there is none."""
    file, package = folder / f"{name}.py", folder / name
    if file.is_file():
        return file
    return package if package != PACKAGE and (package / "__init__.py").is_file() else None


def _loaded_from(name: str) -> Path | None:
    file = getattr(sys.modules.get(name), "__file__", None)
    return Path(file).resolve() if file else None


def _after_the_standard_library() -> int:
    """Return the position in `sys.path` after the standard library, so that neighbours never hide its modules."""
    standard = {_resolve(sysconfig.get_path(key)) for key in ("stdlib", "platstdlib")}
    standard |= {f"{place}/lib-dynload" for place in standard}
    places = [place for place, entry in enumerate(sys.path) if _resolve(entry) in standard]
    return max(places, default=-1) + 1


def _resolve(entry: str) -> str:
    return str(Path(entry).resolve())
