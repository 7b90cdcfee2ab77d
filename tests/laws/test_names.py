"""Names say what a thing is: words that say nothing name next to no variable, parameter or attribute."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

EMPTY = {"one", "found", "at", "said", "told", "asked", "given", "shown", "made", "put", "kept"}
"""What stays are keys of files, and what templates and YAML read."""
VAGUE = {"item", "value", "data", "thing", "result", "the_rest", "this", "what", "other", "begun"}
"""Words that must not take the place of the empty ones."""
MOST_EMPTY, MOST_VAGUE = 0.005, 0.013


def bindings(tree: ast.AST) -> Iterator[str]:
    """Yield all names that a module binds: assigned names and attributes, parameters, and those of patterns."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name


def share(counts: Counter[str], words: set[str]) -> float:
    return sum(counts[word] for word in words) / counts.total()


def test_words_that_say_nothing_are_rare() -> None:
    folders = ("checkpoints", "integrations", "perturbations", "runner", "scripts", "sites", "stressweb", "tests")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    counts = Counter(name for path in paths for name in bindings(ast.parse(path.read_text("utf-8"))))
    assert counts.total() > 10_000
    assert share(counts, EMPTY) < MOST_EMPTY
    assert share(counts, VAGUE) < MOST_VAGUE


@pytest.mark.parametrize(
    "code",
    [
        "found = 1",
        "for found in (): pass",
        "[0 for found in ()]",
        "def f(found): pass",
        "lambda *found: 0",
        "self.found = 1",
        "with f() as found: pass",
        "try: pass\nexcept OSError as found: pass",
        "match 1:\n case found: pass",
        "match 1:\n case [*found]: pass",
        "(found := 1)",
        "found: int",
    ],
)
def test_every_binding_counts(code: str) -> None:
    assert [*bindings(ast.parse(code))].count("found") == 1
    assert "found" not in [*bindings(ast.parse("print(found.found, f(found=1))"))]
