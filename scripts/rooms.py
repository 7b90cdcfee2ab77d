"""The rooms of a package: which room imports which, and on which floor each is.

`python -P -m scripts.rooms` prints them, the top floor first. A room is a folder or a module directly in the package.
An arrow leads from a room to each other room that any of its files imports: at the top, later, or only for type hints.
A room is one floor above the highest room that it imports.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "runner"
BELOW = ("runner", "sites", "perturbations", "checkpoints")
"""Packages that are imported as parts of `stressweb`, but are beside it in the repository."""

type Arrows = Mapping[str, Set[str]]
"""For each room, the other rooms that it imports."""


def arrows(files: Mapping[str, str], package: str = PACKAGE) -> Arrows:
    """Return the arrows between the rooms of a package; `files` are its sources by path from the root."""
    rooms: dict[str, set[str]] = {}
    for path, source in files.items():
        room = _room(path.removesuffix(".py").split("/"))
        if room:
            rooms.setdefault(room, set()).update(_room(name.split(".")) for name in imported(source, package))
    return {room: (others & rooms.keys()) - {room} for room, others in rooms.items()}


def in_the_repository(module: str) -> str:
    """Return the name of a module by its path in the repository: `runner.plan` for `stressweb.runner.plan`."""
    path = module.removeprefix("stressweb.")
    return path if path.partition(".")[0] in BELOW else module


def imported(source: str, package: str = PACKAGE) -> Iterator[str]:
    """Yield the modules of a package that a source imports anywhere, by their path in the repository."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # A name imported from the package itself is one of its rooms.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in map(in_the_repository, names) if name.startswith(f"{package}."))


def floors(drawn: Arrows) -> dict[str, int]:
    """Return the floor of each room, from 1; raises ValueError for rooms that import each other."""
    known: dict[str, int] = {}

    def floor(room: str, above: tuple[str, ...]) -> int:
        if room in above:
            raise ValueError(f"rooms import each other: {' -> '.join((*above[above.index(room) :], room))}")
        if room not in known:
            known[room] = 1 + max((floor(other, (*above, room)) for other in sorted(drawn[room])), default=0)
        return known[room]

    return {room: floor(room, ()) for room in drawn}


def sources(root: Path = ROOT, package: str = PACKAGE) -> dict[str, str]:
    """Return the sources of a package by path from the root."""
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in (root / package).rglob("*.py")}


def _room(parts: Iterable[str]) -> str:
    """Return the room of a module; empty for the package itself and for its `__main__`, which nothing imports."""
    _, name, *_ = (*parts, "", "")
    return "" if name.startswith("__") else name


def main() -> int:
    """Print the rooms and their arrows."""
    drawn = arrows(sources())
    known = floors(drawn)
    count = sum(map(len, drawn.values()))
    print(f"{len(drawn)} rooms on {max(known.values())} floors, {count} arrows")
    for room in sorted(drawn, key=lambda room: (-known[room], room)):
        print(f"{known[room]}  {room:<10}  {' '.join(sorted(drawn[room]))}".rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
