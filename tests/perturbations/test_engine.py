"""The engine's revision: what every mode does to a page is pinned, so that nobody changes it without noticing."""

import hashlib
import json
from pathlib import Path
from typing import Any

import perturbations.page
from perturbations import MODES, mode
from stressweb.core.draws import Seeds
from stressweb.core.javascript import source
from stressweb.core.suite import REVISIONS
from stressweb.plugins.rule import Control

SEEDS = [Seeds(0, stress, "toy/x") for stress in range(4)]
PLACE = "toy /p/*"
CONTROLS = [
    Control(f"{PLACE} {role} {name} /do #{ordinal}", role, name)
    for role, name in (("link", "Alpha page"), ("button", "Save it"), ("checkbox", "Agree"), ("textbox", "Größe 𝒳"))
    for ordinal in (1, 2)
]
# By revision of the engine, and digest of what is below. Where a digest no longer fits: if an agent could meet anything
# else than before, raise REVISIONS["engine"] in stressweb/core/suite.py and note it in ERRATA.md; if the code is only
# written differently, put the new digest in the place of the old.
PINNED: dict[int, dict[str, str]] = {
    5: {
        "remap": "487cc89baff6",
        "remap_explicit": "eef4ed7de160",
        "failure": "4fa00e2c7a8e",
        "popup": "746dde004353",
        "chaos": "7457241d8804",
        "noise": "6a752e0ff95c",
        "scripts": "ab32b2ec7da9",
    }
}


def digest(value: Any) -> str:
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=6).hexdigest()


def done_by(name: str) -> list[Any]:
    """Return what the page is told of a mode at each severity, and what it will do by it."""
    found: list[Any] = []
    for severity in range(6):
        for seeds in SEEDS:
            rule = mode(name).at(severity).rule(seeds)
            about = [(one, n) for one in (*CONTROLS, None) for n in range(3)]
            draws = [rule.decides(one, PLACE, n) for one, n in about]
            found.append([rule.model_dump(mode="json"), draws, [rule.meets(one, PLACE, n) for one, n in about]])
    return found


def scripts() -> dict[str, str]:
    """Return all that a page may get, whatever it is written in: scripts, and what they read."""
    files = sorted(Path(perturbations.page.__file__).parent.glob("*.js*"))
    return {path.name: source(path) for path in files}


def test_what_the_modes_do_is_pinned_to_the_engines_revision() -> None:
    now = {name: digest(done_by(name)) for name in MODES} | {"scripts": digest(scripts())}
    assert now == PINNED[REVISIONS["engine"]]


def test_the_pin_sees_every_rule_and_every_script() -> None:
    """What is drawn differs by mode, seeds and severity, and no script of a mode is left out."""
    for name in MODES:
        rule = mode(name).at(3).rule(SEEDS[0])
        assert {path.name for path in (rule.script, *rule.parts)} <= set(scripts())
        assert len({json.dumps(one) for one in done_by(name)}) == len(SEEDS) * 6
