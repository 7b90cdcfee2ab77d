"""Tests share helpers, never each other: what two rooms use is in `tests/support`, and fixtures come by their names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLUGINS = {f"tests.{name}" for name in ("examples", "portable_ids", "quick", "resuming", "sampling", "sharding")}
"""The plug-ins of pytest, which `tests/conftest.py` loads."""


def imported_modules(source: str) -> Iterator[str]:
    """Yield the modules of the tests that a file imports, also those that programs in its texts import."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == "tests")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "tests":
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in names if (ROOT / name.replace(".", "/")).with_suffix(".py").exists()}
            yield from modules or {str(node.module)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"^(?:from|import) (tests\.[.\w]+)", node.value, re.MULTILINE)


def breaches(path: str, source: str) -> list[str]:
    """Return the modules that a file may not import: test files, a conftest, and helpers of another room."""
    folder = path.split("/")[:-1]
    return [module for module in imported_modules(source) if not may_import(folder, module)]


def may_import(folder: list[str], module: str) -> bool:
    *room, name = module.split(".")
    if name == "conftest" or name.startswith("test_"):
        return False
    if room == ["tests", "support"] or module in PLUGINS:
        return True
    # A helper serves its own folder, those below it and those above it.
    depth = min(len(room), len(folder))
    return depth > 1 and room[:depth] == folder[:depth]


def test_tests_import_helpers_of_their_room_and_of_support() -> None:
    sources = {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in (ROOT / "tests").rglob("*.py")}
    del sources["tests/laws/test_imports_of_tests.py"]
    assert len(sources) > 400
    assert {path: modules for path, source in sources.items() if (modules := breaches(path, source))} == {}


@pytest.mark.parametrize(
    ("path", "source", "allowed"),
    [
        ("tests/runner/view/test_app.py", "from tests.support.toy import Toy", True),
        ("tests/runner/view/test_app.py", "from tests.support import toy", True),
        ("tests/runner/view/test_app.py", "from tests.sampling import sample_seed", True),
        ("tests/runner/view/test_app.py", "from tests.runner.view.folder_state import state", True),
        ("tests/runner/view/test_app.py", "from tests.runner.small_site import SmallSite", True),
        ("tests/runner/view/test_app.py", "from tests.runner.view.test_runs import state", False),
        ("tests/runner/view/test_app.py", "from tests.runner.view import test_runs", False),
        ("tests/runner/view/test_app.py", "import tests.runner.view.test_runs", False),
        ("tests/runner/view/test_app.py", "def late():\n    from tests.runner.view.conftest import folder", False),
        ("tests/runner/view/test_app.py", "PROGRAM = 'from tests.runner.view.test_runs import state'", False),
        ("tests/runner/view/test_app.py", "from tests.laws.planted import PLANTS", False),
        ("tests/runner/view/test_app.py", "from tests.test_site import ROOT", False),
        ("tests/support/toy.py", "from tests.laws.planted import PLANTS", False),
        ("tests/conftest.py", "from tests.runner.small_site import SmallSite", False),
    ],
)
def test_an_import_from_another_test_is_seen(path: str, source: str, allowed: bool) -> None:
    assert (breaches(path, source) == []) is allowed
