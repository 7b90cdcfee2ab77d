"""Tests look at outcomes: they seldom read private names of our code, and seldom replace its parts."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("stressweb", "runner", "sites", "perturbations", "checkpoints", "scripts")
MOST_READ, MOST_REPLACED = 7, 90
"""Private names that tests read, and parts that they replace: a clock, a full disk, a fault that nothing else causes."""


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_names(tree: ast.AST) -> Iterator[str]:
    """Yield the private names that a module defines: functions, classes, and attributes of its own objects."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name


def read(tree: ast.AST, ours: set[str]) -> Iterator[str]:
    """Yield the private names of our code that a test reads or writes; those of its own classes are its own."""
    own = {name for name in private_names(tree) if private(name)}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name) if name in ours - own:
                yield f"line {node.lineno}: {name}"
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in PACKAGES:
                yield from (f"line {node.lineno}: {alias.name}" for alias in node.names if private(alias.name))


def replaced(tree: ast.AST) -> Iterator[str]:
    """Yield the calls by which a test replaces an attribute, other than of an environment or a mapping."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            call = ast.unparse(node.func)
            owner, _, name = call.rpartition(".")
            if (name in ("setattr", "delattr") and owner) or call.endswith(("mock.patch", "patch.object")):
                yield f"line {node.lineno}: {ast.unparse(node)[:60]}"


def looks(kind: str) -> dict[str, list[str]]:
    """Return the looks into our code, by file of the tests."""
    ours = {
        name
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        for name in private_names(ast.parse(file.read_text("utf-8")))
        if private(name)
    }
    trees = {str(file.relative_to(ROOT)): ast.parse(file.read_text("utf-8")) for file in (ROOT / "tests").rglob("*.py")}
    assert len(trees) > 400
    counted = {path: [*(read(tree, ours) if kind == "read" else replaced(tree))] for path, tree in trees.items()}
    return {path: lines for path, lines in counted.items() if lines}


@pytest.mark.parametrize(("kind", "most"), [("read", MOST_READ), ("replaced", MOST_REPLACED)])
def test_tests_look_inside_seldom(kind: str, most: int) -> None:
    lines = looks(kind)
    assert sum(map(len, lines.values())) <= most, lines


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("store._seal(key)", True),
        ("worker._seal = 1", True),
        ("from stressweb.log.store import _seal", True),
        ("from pathlib import _seal", False),
        ("self._seal()", False),
        ("class Own:\n    def _seal(self): ...\n\nOwn()._seal()", False),
        ("store.__class__", False),
        ("path._name", False),
    ],
)
def test_a_private_name_that_is_read_is_seen(source: str, seen: bool) -> None:
    assert bool([*read(ast.parse(source), {"_seal"})]) is seen


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("monkeypatch.setattr(os, 'geteuid', root)", True),
        ("patch.delattr(yaml, 'CLoader')", True),
        ("mock.patch('a.b')", True),
        ("monkeypatch.setenv('HOME', '/')", False),
        ("setattr(record, name, 1)", False),
    ],
)
def test_a_part_that_is_replaced_is_seen(source: str, seen: bool) -> None:
    assert bool([*replaced(ast.parse(source))]) is seen
