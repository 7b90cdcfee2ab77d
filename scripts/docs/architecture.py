"""The diagram of the architecture: the imports between rooms, read from the code."""

import ast
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

from scripts.docs.markers import ROOT
from scripts.rooms import BELOW, in_the_repository

HOUSES = (*BELOW, "stressweb")
"""The packages, in the order of the diagram."""
WINGS = ("sites", "perturbations", "checkpoints")
"""Packages that are drawn as one room."""
_OPEN = [f"stressweb.{wing}." for wing in WINGS]
"""Prefixes of module names in f-strings, where the module is not known."""

type Imports = Mapping[str, Set[str]]
"""For each room, such as `runner/world`, the rooms that it imports."""


def architecture(root: Path = ROOT) -> str:
    """Return a Mermaid diagram with a box for each room and an arrow for each import that others do not imply."""
    imports = reduced(imported(root))
    lines = ["flowchart TB"]
    for house in HOUSES:
        rooms = [_id(room) for room in imports if room.startswith(f"{house}/")]
        if rooms:
            lines += [f"  subgraph {house}", f"    {'; '.join(rooms)}", "  end"]
        elif house in imports:
            lines.append(f"  {house}")
    for room, others in imports.items():
        if others:
            lines.append(f"  {_id(room)} --> {' & '.join(sorted(map(_id, others)))}")
    return "\n".join(["```mermaid", *lines, "```"])


def imported(root: Path) -> Imports:
    """Return the imports of each room, at the top of a module or later, except those only for type hints."""
    rooms: dict[str, set[str]] = {}
    for house in HOUSES:
        for path in sorted((root / house).rglob("*.py")):
            if room := _room(path.relative_to(root).with_suffix("").parts):
                names = _imports(ast.parse(path.read_text(encoding="utf-8")))
                rooms.setdefault(room, set()).update(_room(tuple(in_the_repository(name).split("."))) for name in names)
    return {room: (others & rooms.keys()) - {room} for room, others in rooms.items()}


def reduced(imports: Imports) -> Imports:
    """Return the imports that do not follow from others; rooms that import each other keep their arrows."""
    reached = {room: _reached(imports, room) for room in imports}

    def implied(room: str, target: str) -> bool:
        # Rooms that import each other imply each other's arrows; without the last two conditions, all would be removed.
        others = imports[room] - {target}
        return any(
            target in reached[between_room]
            and between_room not in reached[target]
            and room not in reached[between_room]
            for between_room in others
        )

    return {room: {other for other in others if not implied(room, other)} for room, others in imports.items()}


def _reached(imports: Imports, start: str) -> Set[str]:
    reached: set[str] = set()
    pending = list(imports[start])
    while pending:
        room = pending.pop()
        if room not in reached:
            reached.add(room)
            pending += imports[room]
    return reached


def _room(parts: tuple[str, ...]) -> str:
    """Return the room of a module, which is its folder, or itself if it is directly in its package; otherwise empty."""
    if parts[0] in WINGS:
        return parts[0]
    known = parts[0] in HOUSES and len(parts) > 1 and not parts[1].startswith("__")
    return "/".join(parts[:2]) if known else ""


def _imports(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{alias.name}" for alias in names)
            # The registry builds names of checkpoint modules from site names: only the package is known.
            case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]) if start in _OPEN:
                yield start.rstrip(".")
        yield from _imports(child)


def _id(room: str) -> str:
    return room.rpartition("/")[2]
