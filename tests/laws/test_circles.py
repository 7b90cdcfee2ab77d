"""Modules do not import each other in circles, not even for types."""

import ast
from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("stressweb", "sites", "perturbations", "checkpoints", "runner")


@pytest.fixture(scope="module")
def house() -> dict[str, set[str]]:
    """The imports of every module of ours."""
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    return imports({_name(file.relative_to(ROOT)): file.read_text("utf-8") for file in files})


def _name(file: Path) -> str:
    parts = file.with_suffix("").parts
    parts = parts if parts[0] == "stressweb" else ("stressweb", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(modules: Mapping[str, str]) -> dict[str, set[str]]:
    """Return each module's imports at import time, those for types included."""
    return {name: set(_imported(source, modules)) - {name} for name, source in modules.items()}


def _imported(source: str, modules: Collection[str]) -> Iterator[str]:
    for node in _at_import(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in modules or node.module in modules:
                    yield whole if whole in modules else node.module


def _at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run when a module is imported; test_late_imports.py covers the others."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _at_import(child)


def circle(graph: Mapping[str, Collection[str]]) -> list[str]:
    """Return the modules of a circle, each of which imports the next; empty if there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        modules: list[str] = error.args[1]
        return modules[::-1]
    return []


def test_no_module_imports_itself_by_way_of_others(house: dict[str, set[str]]) -> None:
    assert len(house) > 500
    assert circle(house) == []


@pytest.mark.parametrize(
    "source",
    [
        "from a.low import thing",
        "from a import low",
        "import a.low",
        "if TYPE_CHECKING:\n    from a.low import thing",
        "class Kind:\n    from a.low import thing",
    ],
)
def test_a_circle_would_be_seen(source: str) -> None:
    graph = imports({"a": "", "a.low": "from a.high import thing", "a.high": source})
    assert set(circle(graph)) == {"a.low", "a.high"}


def test_a_late_import_is_none() -> None:
    late_import = "def load():\n    from a.low import thing\n"
    assert circle(imports({"a": "", "a.low": "import a.high", "a.high": late_import})) == []
