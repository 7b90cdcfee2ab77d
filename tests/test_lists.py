"""Adding a site or a mode touches no test and no script: what means all of them asks the registry."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from perturbations import MODES
from runner.registry import site_names

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("tests", "scripts")
CONDITION = re.compile(r"[a-z_]+(?:@\d)?(?:\([^)]*\))?(?:[+, ]+[a-z_]+(?:@\d)?(?:\([^)]*\))?)*")
"""A mode, or several, as conditions are written; a sentence that names one has other characters."""


def by_hand(source: str) -> Iterator[tuple[int, str]]:
    """Yield where a list, tuple, set or text names all sites, or all modes but at most one, and which of the two."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Constant):
            continue
        texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        conditions = " ".join(text for text in texts if CONDITION.fullmatch(text))
        if len(set(MODES) & set(re.findall(r"[a-z_]+", conditions))) >= len(MODES) - 1:
            yield node.lineno, "modes"
        elements = getattr(node, "elts", ())
        if set(site_names()) <= {one.value for one in elements if isinstance(one, ast.Constant)}:
            yield node.lineno, "sites"


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_list_of_all_sites_or_modes_is_written_by_hand(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {what}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, what in by_hand(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "what"),
    [
        (f"SITES = {site_names()}", ["sites"]),
        (f"for one in {(*site_names(), 'toy')}: pass", ["sites"]),
        (f"@pytest.mark.parametrize('mode', {[f'{mode}@3' for mode in MODES]})\ndef test_it(): pass", ["modes"]),
        (f"x = {[*MODES][1:]}", ["modes"]),
        (f"x = '{','.join(MODES)}'", ["modes"]),
        (f"x = {['clean', '+'.join(f'{mode}@5' for mode in MODES)]}", ["modes", "modes"]),
        (f"x = {[*MODES][2:]}", []),
        (f"x = {site_names()[1:]}", []),
        (f"x = 'A sentence about {', '.join(MODES)}; it is no list.'", []),
        (f"TABLE = {dict.fromkeys(site_names(), 1)}", []),
    ],
)
def test_a_list_by_hand_is_found(source: str, what: list[str]) -> None:
    assert sorted(kind for _, kind in by_hand(source)) == what
