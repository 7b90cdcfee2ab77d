"""The runner has few floors, few arrows between its rooms, and short functions."""

import ast
from functools import cache
from pathlib import Path

import pytest

from scripts.rooms import arrows, floors, imported, sources

ROOT = Path(__file__).parents[2]
PACKAGES = ("stressweb", "runner", "sites", "perturbations", "checkpoints")
MOST_FLOORS, MOST_ARROWS, FEWEST_ROOMS = 8, 40, 15
"""Merging rooms would remove arrows without decoupling anything."""
MOST_LINES = 50
"""Lines of a function: its docstring counts, decorators do not."""
MOST_DYNAMIC = 10
"""Mentions of functions that import a module by its name as a string, which `arrows` cannot follow."""


def test_the_rooms_of_the_runner_are_few_floors_high_and_tied_by_few_arrows() -> None:
    drawn = arrows(sources())
    assert len(drawn) >= FEWEST_ROOMS
    assert max(floors(drawn).values()) <= MOST_FLOORS, floors(drawn)
    count = sum(map(len, drawn.values()))
    assert count <= MOST_ARROWS, f"{count} arrows; `python -P -m scripts.rooms` prints them"


HOUSE = {
    "runner/__init__.py": "from stressweb.runner.top import door",
    "runner/top/door.py": "import stressweb.runner.middle.one\nfrom stressweb.runner import low",
    "runner/middle/one.py": "from stressweb.runner.low import a, b\nfrom stressweb.runner.middle.two import c\nfrom stressweb.core import d",
    "runner/middle/two.py": "def late():\n    from stressweb.runner.low import a",
    "runner/low.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from stressweb.runner.ground.stone import Stone",
    "runner/ground/stone.py": "",
}


def test_rooms_are_drawn_from_the_imports() -> None:
    drawn = arrows(HOUSE)
    assert drawn == {"top": {"middle", "low"}, "middle": {"low"}, "low": {"ground"}, "ground": set()}
    assert floors(drawn) == {"top": 4, "middle": 3, "low": 2, "ground": 1}


def test_rooms_that_import_each_other_have_no_floor() -> None:
    drawn = arrows({**HOUSE, "runner/ground/pit.py": "from stressweb.runner.middle import one"})
    with pytest.raises(ValueError, match="rooms import each other: low -> ground -> middle -> low"):
        floors(drawn)


def test_a_string_that_looks_like_an_import_is_ignored() -> None:
    assert list(imported('"""from stressweb.runner.low import a"""\nimport runners.low\nfrom . import runner')) == []


@cache
def trees() -> dict[str, ast.Module]:
    """The syntax trees of all product code, by path."""
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return {str(file.relative_to(ROOT)): ast.parse(file.read_text("utf-8")) for file in files}


def long_functions(tree: ast.Module) -> dict[str, int]:
    """The lines of each function that has more than `MOST_LINES`, by name."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lines = {node.name: (node.end_lineno or node.lineno) - node.lineno + 1 for node in functions}
    return {name: count for name, count in lines.items() if count > MOST_LINES}


def test_no_function_is_long() -> None:
    assert {path: functions for path, tree in trees().items() if (functions := long_functions(tree))} == {}


@pytest.mark.parametrize(("lines", "long"), [(49, False), (50, True)])
def test_a_long_function_is_seen(lines: int, long: bool) -> None:
    assert bool(long_functions(ast.parse("async def work():\n" + "    pass\n" * lines))) == long


def dynamic(tree: ast.Module) -> list[int]:
    """The lines of a module that import by a name as a string."""
    names = [(node.lineno, node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
    names += [(node.lineno, node.attr) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return [line for line, name in names if name in ("import_module", "__import__")]


def test_no_further_module_is_imported_by_a_text() -> None:
    mentions = {path: lines for path, tree in trees().items() if (lines := dynamic(tree))}
    assert sum(map(len, mentions.values())) <= MOST_DYNAMIC, mentions


@pytest.mark.parametrize("source", ["importlib.import_module('a')", "load = import_module", "__import__('a')"])
def test_an_import_by_a_text_is_seen(source: str) -> None:
    assert dynamic(ast.parse(source)) == [1]
