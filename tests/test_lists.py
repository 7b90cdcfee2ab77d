"""Tests and scripts take lists of all sites or modes from the registry, so a new one changes none of them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from stressweb.perturbations import MODES
from stressweb.runner.registry import site_names

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("tests", "scripts")
CONDITION = re.compile(r"[a-z_]+(?:@\d)?(?:\([^)]*\))?(?:[+, ]+[a-z_]+(?:@\d)?(?:\([^)]*\))?)*")
"""A condition of one or more modes; sentences that name a mode have other characters."""


def handwritten_lists(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and kind of each list, tuple, set or text that names all sites, or all modes except at most one."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Constant):
            continue
        texts = [
            constant.value
            for constant in ast.walk(node)
            if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
        ]
        conditions = " ".join(text for text in texts if CONDITION.fullmatch(text))
        if len(set(MODES) & set(re.findall(r"[a-z_]+", conditions))) >= len(MODES) - 1:
            yield node.lineno, "modes"
        elements = getattr(node, "elts", ())
        if set(site_names()) <= {element.value for element in elements if isinstance(element, ast.Constant)}:
            yield node.lineno, "sites"


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_list_of_all_sites_or_modes_is_written_by_hand(folder: str) -> None:
    named = [
        f"{path.relative_to(ROOT)}:{line}: {kind}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, kind in handwritten_lists(path.read_text("utf-8"))
    ]
    assert named == []


@pytest.mark.parametrize(
    ("source", "kinds"),
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
def test_a_list_by_hand_is_found(source: str, kinds: list[str]) -> None:
    assert sorted(kind for _, kind in handwritten_lists(source)) == kinds
