"""Reduced source code: equality up to formatting, and a marked function with its dependencies."""

import ast
import json
from pathlib import Path

import pytest

from stressweb.core.source import imports, marked_code_with_dependencies, reduced

ROOT = Path(__file__).parents[3]
PLAIN = """
from stressweb.checkpoints.rows import kept

def first(run, goal):
    if run.changed():
        return kept(run, "a b", 1.50)
"""
CHECKS = {
    "stressweb.checkpoints.shop": """
import stressweb.checkpoints.days as days
from stressweb.checkpoints import views
from stressweb.checkpoints.rows import kept as same
from stressweb.plugins.query import has_item

LIMIT = 3
LIMIT += 1
OTHER = 4

def helper(value):
    return inner(value) < LIMIT

def inner(value):
    return same(value)

def unused(value):
    return OTHER

@checks("shop/a")
def a(run, goal):
    yield "x", helper(run.ever(has_item("Product")))

@verdict(task="shop/a")
def a_reached(run, goal):
    return days.late(run)

@checks("shop/b")
def b(run, goal):
    yield "y", views.seen(goal)
""",
    "stressweb.checkpoints.rows": "def kept(row):\n    return row\n\ndef touched(row):\n    return 1\n",
    "stressweb.checkpoints.days": "def late(run):\n    return 2\n",
    "stressweb.checkpoints.views": "def seen(goal):\n    return 3\n",
}


def changed(module: str, before: str, after: str) -> dict[str, str]:
    assert CHECKS[module].count(before) == 1
    return {**CHECKS, module: CHECKS[module].replace(before, after)}


def of(task: str, sources: dict[str, str] = CHECKS) -> object:
    return marked_code_with_dependencies("stressweb.checkpoints.shop", task, sources)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def first(run, goal):\n", 'def first(run, goal):\n    """Say what it is for."""\n'),
        ("        return", "        # Why so.\n        return"),
        ('(run, "a b", 1.50)', "(\n            run,\n            'a b',\n            1.5,\n        )"),
        ("    if run", "    pass\n    if run"),
        ("\nfrom", '"""A module."""\n\n\n\nfrom'),
        ("    if run.changed():", "    if (run.changed()):"),
    ],
)
def test_equal_code_reduces_to_the_same(before: str, after: str) -> None:
    assert PLAIN.count(before) == 1
    assert reduced(PLAIN.replace(before, after)) == reduced(PLAIN)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1.50", "1.51"),
        ("1.50", '"1.5"'),
        ('"a b"', '"a  b"'),
        ('"a b"', 'b"a b"'),
        ("run.changed()", "not run.changed()"),
        ("run.changed()", "run.changed"),
        ("(run, goal)", "(run, goal=None)"),
        ("import kept", "import touched as kept"),
        ("rows", "lines"),
        ("        return", "        yield"),
        ("def", "async def"),
    ],
)
def test_different_code_reduces_differently(before: str, after: str) -> None:
    assert PLAIN.count(before) == 1
    assert reduced(PLAIN.replace(before, after)) != reduced(PLAIN)


def test_empty_strings_are_ignored_in_f_strings_only() -> None:
    """Python 3.12 parses `f"{x:{y}}"` with an empty string that later versions do not have."""
    hole = ast.parse('f"{x}"', mode="eval").body
    assert isinstance(hole, ast.JoinedStr)
    padded = ast.JoinedStr(values=[ast.Constant(""), *hole.values, ast.Constant("")])
    assert reduced("f'{x}'") == reduced(ast.unparse(ast.Expr(padded)))
    from stressweb.core import source

    assert source.reduced_node(padded) == source.reduced_node(hole)
    assert reduced("['', 'a']") != reduced("['a']")
    assert reduced("f('')") != reduced("f()")


def test_reduced_sources_are_json_without_line_numbers() -> None:
    files = [*ROOT.glob("checkpoints/*.py"), *ROOT.glob("sites/*/*.py")]
    assert len(files) > 10
    for file in files:
        text = json.dumps(reduced(file.read_text("utf-8")))
        assert "lineno" not in text
        assert "\n\n\n# moved\n" not in text
        assert reduced("\n\n\n# moved\n" + file.read_text("utf-8")) == json.loads(text)


def test_a_tasks_checks_are_its_functions_and_what_they_use() -> None:
    text = json.dumps(of("shop/a"))
    for name in ("a", "a_reached", "helper", "inner", "LIMIT", "has_item"):
        assert f'["stressweb.checkpoints.shop", "{name}"' in text
    assert '["stressweb.checkpoints.rows", "kept"' in text
    assert '["stressweb.checkpoints.days", ""' in text
    for name in ("b", "unused", "OTHER", "views", "touched"):
        assert f'"{name}"' not in text


@pytest.mark.parametrize(
    ("module", "before", "after", "of_a", "of_b"),
    [
        ("stressweb.checkpoints.shop", 'yield "x"', 'yield "z"', True, False),
        ("stressweb.checkpoints.shop", 'yield "y"', 'yield "z"', False, True),
        ("stressweb.checkpoints.shop", "return same(value)", "return not same(value)", True, False),
        ("stressweb.checkpoints.shop", "LIMIT += 1", "LIMIT += 2", True, False),
        ("stressweb.checkpoints.shop", "OTHER = 4", "OTHER = 5", False, False),
        ("stressweb.checkpoints.shop", "import has_item", "import has_text as has_item", True, False),
        ("stressweb.checkpoints.shop", "import kept as same", "import touched as same", True, False),
        ("stressweb.checkpoints.rows", "return row", "return not row", True, False),
        ("stressweb.checkpoints.rows", "return 1", "return 2", False, False),
        ("stressweb.checkpoints.days", "return 2", "return 3", True, False),
        ("stressweb.checkpoints.views", "return 3", "return 4", False, True),
        ("stressweb.checkpoints.shop", "LIMIT = 3", "LIMIT = 3  # at most", False, False),
    ],
)
def test_a_change_affects_the_tasks_that_use_it(module: str, before: str, after: str, of_a: bool, of_b: bool) -> None:
    sources = changed(module, before, after)
    assert (of("shop/a", sources) != of("shop/a"), of("shop/b", sources) != of("shop/b")) == (of_a, of_b)


def test_recursion_ends() -> None:
    source = {"m": '@checks("t")\ndef f(run):\n    return g(run)\n\ndef g(run):\n    return f(run)\n'}
    assert [entry[1] for entry in marked_code_with_dependencies("m", "t", source)] == ["f", "g"]


def test_imports() -> None:
    assert imports(PLAIN) == {"stressweb.checkpoints.rows", "stressweb.checkpoints.rows.kept"}
    assert imports("import a.b as c\nfrom d import e") == {"a.b", "d", "d.e"}
