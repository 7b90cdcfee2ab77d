"""The engine's revision: what every mode does to a page is pinned, so that nobody changes it without noticing."""

import hashlib
import json
from pathlib import Path
from typing import Any

import lxml.html

import perturbations
from perturbations import MODES, mode
from perturbations.page.source import source
from stressweb.core.draws import Seeds
from stressweb.core.suite import REVISIONS
from stressweb.html.marks import Marks
from stressweb.html.page import Page
from tests.toy import PAGE

SEEDS = [Seeds(0, stress, "toy/x") for stress in range(4)]
# By revision of the engine, and digest of what is below. Where a digest no longer fits: if an agent could meet anything
# else than before, raise REVISIONS["engine"] in stressweb/core/suite.py and note it in ERRATA.md; if the code is only
# written differently, put the new digest in the place of the old.
PINNED: dict[int, dict[str, str]] = {
    1: {
        "remap": "f1b28609b971",
        "remap_explicit": "a62f315fa8de",
        "failure": "579ef5edddc3",
        "popup": "316d530ee7f0",
        "chaos": "0c0bb0c29454",
        "noise": "1182f7adf09f",
        "scripts": "34f90a178f56",
    }
}


def digest(value: Any) -> str:
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=6).hexdigest()


def done_by(name: str) -> list[Any]:
    """Return what a mode does to the toy page at each severity, elements named by their places."""
    found: list[Any] = []
    for severity in range(6):
        for seeds in SEEDS:
            page = Page(PAGE, "toy", "/", Marks(b"k" * 16))
            at = {node.token: number for number, node in enumerate(page.nodes)}
            made = mode(name).at(severity)
            changes = made.rewrite(page, seeds)
            instruction = made.instruct(page, seeds)
            answers = [made.answer(page, control, n, seeds) for control in page.controls for n in range(3)]
            said = [{**one.model_dump(), "tokens": len(one.tokens)} for one in answers if one]
            told = instruction and placed(instruction.settings.model_dump(mode="json"), at)
            found.append([changes, written(page, at), told, said])
    return found


def placed(value: Any, at: dict[str, int]) -> Any:
    if isinstance(value, dict):
        return {str(at.get(key, key)): placed(one, at) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [placed(one, at) for one in value]
    return at.get(value, value) if isinstance(value, str) else value


def written(page: Page, at: dict[str, int]) -> list[Any]:
    body = lxml.html.document_fromstring(page.serve()).find("body")
    return [[one.tag, one.text, at.get((one.get("class") or "").rpartition(" ")[2])] for one in body.iter()]


def scripts() -> list[str]:
    return [source(path) for path in sorted(Path(perturbations.__file__).parent.glob("*.js"))]


def test_what_the_modes_do_is_pinned_to_the_engines_revision() -> None:
    now = {name: digest(done_by(name)) for name in MODES} | {"scripts": digest(scripts())}
    assert now == PINNED[REVISIONS["engine"]]
