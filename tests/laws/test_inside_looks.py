"""Tests look at outcomes: they seldom read private names of our code, and seldom replace its parts."""

import ast
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("stressweb", "runner", "sites", "perturbations", "checkpoints", "scripts")
MOST_READ, MOST_REPLACED = 1, 32
"""Private names that tests read, and parts that they replace: a clock, a full disk, a fault that nothing else causes."""


OF_NAMED_TUPLES = ("_asdict", "_fields", "_make", "_replace")
"""Documented attributes of every named tuple, which begin with an underscore because its fields may have any name."""


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in OF_NAMED_TUPLES


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


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module imports, other than from other tests."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "module", "").startswith("tests"):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)


def root(node: ast.AST) -> str:
    """Return the name before the first dot of `a.b.c`; "" if the expression begins otherwise."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def replaced(tree: ast.AST) -> Iterator[str]:
    """Yield where a test replaces an attribute, also in a program in a text, other than of an environment or a mapping."""
    names = {*imported(tree)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="setattr" | "delattr" | "__setattr__" | "__delattr__")):
                pass
            case ast.Call(func=ast.Attribute(attr="patch" | "object") as func) if ast.unparse(func).endswith(
                ("mock.patch", "patch.object")
            ):
                pass
            case ast.Call(func=ast.Name(id="setattr" | "delattr" | "vars"), args=[owner, *_]) if root(owner) in names:
                pass
            case ast.Attribute(ctx=ast.Store() | ast.Del()) if (
                root(node) in names and ast.unparse(node) != "os.environ"
            ):
                pass
            case ast.Attribute(attr="__dict__") if root(node) in names:
                pass
            case ast.Constant(value=str(text)) if "import " in text and " = " in text:
                with suppress(SyntaxError):
                    yield from (f"line {node.lineno}, {place}" for place in replaced(ast.parse(text)))
                continue
            case _:
                continue
        yield f"line {node.lineno}: {ast.unparse(node)[:60]}"


@pytest.fixture(scope="module")
def looks() -> dict[str, dict[str, list[str]]]:
    """Both kinds of looks into our code, by file of the tests."""
    ours = {
        name
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        for name in private_names(ast.parse(file.read_text("utf-8")))
        if private(name)
    }
    # Not this file, whose cases are looks.
    files = [file for file in (ROOT / "tests").rglob("*.py") if file != Path(__file__)]
    assert len(files) > 400
    counted: dict[str, dict[str, list[str]]] = {"read": {}, "replaced": {}}
    for file in files:
        tree = ast.parse(file.read_text("utf-8"))
        for kind, lines in (("read", [*read(tree, ours)]), ("replaced", [*replaced(tree)])):
            if lines:
                counted[kind][str(file.relative_to(ROOT))] = lines
    return counted


@pytest.mark.parametrize(("kind", "most"), [("read", MOST_READ), ("replaced", MOST_REPLACED)])
def test_tests_look_inside_seldom(looks: dict[str, dict[str, list[str]]], kind: str, most: int) -> None:
    assert sum(map(len, looks[kind].values())) <= most, looks[kind]


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
        ("patch.object(a, 'b')", True),
        ("object.__setattr__(a, 'b', 1)", True),
        ("from stressweb.log import store\n\nstore.seal = str", True),
        ("from stressweb.log import store\n\nstore.Store.seal = str", True),
        ("import stressweb\n\nsetattr(stressweb, 'run', str)", True),
        ("import stressweb\n\nstressweb.__dict__.update(run=str)", True),
        ("import stressweb\n\nvars(stressweb)['run'] = str", True),
        ("import os\n\nos.environ |= {}", False),
        ("program = 'import stressweb\\nstressweb.run = str'", True),
        ("program = 'import it is = not a program'", False),
        ("monkeypatch.setenv('HOME', '/')", False),
        ("setattr(record, name, 1)", False),
        ("record.name = 1", False),
    ],
)
def test_a_part_that_is_replaced_is_seen(source: str, seen: bool) -> None:
    assert bool([*replaced(ast.parse(source))]) is seen
