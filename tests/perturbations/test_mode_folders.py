"""A mode is one folder with its Python code and its scripts; `page` has the scripts that all modes share."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.bundle import entries
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES, mode
from stressweb.perturbations.page.fingerprint import FOLDER, modules

# Imports of code and, in JSDoc comments, of types.
IMPORT = re.compile(r'\bfrom "(\.[^"]+)"')
SHARED = FOLDER.resolve()


def imported(path: Path) -> set[Path]:
    """Return the files that a script imports, for their code or for their types."""
    return {(path.parent / name).resolve() for name in IMPORT.findall(path.read_text("utf-8"))}


def reached(path: Path) -> Iterator[Path]:
    """Yield a script and all that it imports, directly or through others."""
    waiting, seen = [path.resolve()], set()
    while waiting:
        script = waiting.pop()
        if script not in seen:
            seen.add(script)
            yield script
            waiting += imported(script)


def scripts_in(folder: Path) -> set[Path]:
    return {path.resolve() for path in modules() if path.parent.resolve() == folder}


@pytest.mark.parametrize("name", MODES)
def test_the_code_and_the_scripts_of_a_mode_are_in_its_folder(name: str) -> None:
    kind = mode(name)
    rule = kind.at(3).rule(Seeds(0, 0, "toy/x"))
    folder = Path(inspect.getfile(kind)).resolve().parent
    assert Path(inspect.getfile(type(rule))).resolve().parent == folder != SHARED
    script = entries()[rule.script.stem]
    assert script.parent.resolve() == folder
    assert scripts_in(folder) == {path for path in reached(script) if path.parent != SHARED}


def test_what_is_in_page_is_not_of_one_mode_alone() -> None:
    shared_entries = [path for path in entries().values() if path.parent.resolve() == SHARED]
    assert scripts_in(SHARED) == {path for entry in shared_entries for path in reached(entry)}
