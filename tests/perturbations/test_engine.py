"""The engine's revision pins what every mode does to a page, so that no change goes unnoticed."""

import hashlib
import json
from typing import Any

from scripts.bundle import entries
from stressweb.core.draws import Seeds
from stressweb.core.suite import REVISIONS
from stressweb.perturbations import MODES, mode
from stressweb.perturbations.page.bundles import bundle, script_expression
from stressweb.plugins.rule import Control

SEEDS = [Seeds(0, stress, "toy/x") for stress in range(4)]
PLACE = "toy /p/*"
CONTROLS = [
    Control(f"{PLACE} {role} {name} /do #{ordinal}", role, name)
    for role, name in (("link", "Alpha page"), ("button", "Save it"), ("checkbox", "Agree"), ("textbox", "Größe 𝒳"))
    for ordinal in (1, 2)
]
# Digests by revision of the engine. If one no longer matches: where an agent could meet anything different, raise
# REVISIONS["engine"] in stressweb/core/suite.py and note it in ERRATA.md; where the code is only written differently,
# replace the digest.
PINNED: dict[int, dict[str, str]] = {
    6: {
        "remap": "487cc89baff6",
        "remap_explicit": "eef4ed7de160",
        "failure": "4fa00e2c7a8e",
        "popup": "746dde004353",
        "chaos": "7457241d8804",
        "noise": "6a752e0ff95c",
        "scripts": "36d9b45c6dd2",
    }
}


def digest(value: Any) -> str:
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=6).hexdigest()


def effects_of(name: str) -> list[Any]:
    """Return the settings of a mode at each severity and seed, with their draws and decisions."""
    done: list[Any] = []
    for severity in range(6):
        for seeds in SEEDS:
            rule = mode(name).at(severity).rule(seeds)
            subjects = [(control, attempt) for control in (*CONTROLS, None) for attempt in range(3)]
            draws = [rule.decides(control, PLACE, attempt) for control, attempt in subjects]
            done.append(
                [
                    rule.model_dump(mode="json"),
                    draws,
                    [rule.meets(control, PLACE, attempt) for control, attempt in subjects],
                ]
            )
    return done


def scripts() -> dict[str, str]:
    """Return the bundled scripts that a page may get."""
    return {name: script_expression(bundle(name)) for name in entries()}


def test_what_the_modes_do_is_pinned_to_the_engines_revision() -> None:
    now = {name: digest(effects_of(name)) for name in MODES} | {"scripts": digest(scripts())}
    assert now == PINNED[REVISIONS["engine"]]


def test_the_pin_sees_every_rule_and_every_script() -> None:
    """Draws differ by mode, seeds and severity, and every script of a mode is included."""
    for name in MODES:
        rule = mode(name).at(3).rule(SEEDS[0])
        assert {path.stem for path in (rule.script, *rule.parts)} <= set(scripts())
        assert len({json.dumps(rule_data) for rule_data in effects_of(name)}) == len(SEEDS) * 6
