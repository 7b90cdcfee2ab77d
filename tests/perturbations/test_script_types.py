"""The types of the scripts, which the TypeScript compiler checks, match the settings that Python hands to them."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page
from pydantic import BaseModel

from scripts.bundle import entries
from scripts.docs.jsdoc import Member, typedefs
from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.perturbations import MODES, mode
from stressweb.perturbations.page.bundles import bundle, expression
from stressweb.perturbations.page.dialogs import Dialog
from stressweb.perturbations.page.fingerprint import modules
from stressweb.perturbations.page.parts import page_script
from stressweb.perturbations.page.rules import RuntimeSettings
from stressweb.plugins.rule import Narrowing, Rule

TYPES = {name: members for path in modules() for name, members in typedefs(path.read_text("utf-8")).items()}
SEEDS = Seeds(0, 0, "toy/x")
RULES = list(dict.fromkeys(type(mode(name).at(3).rule(SEEDS)) for name in MODES))
MODELS: dict[str, type[BaseModel]] = {
    "RuntimeSettings": RuntimeSettings,
    "Narrowing": Narrowing,
    "DialogWords": Dialog,
    **{kind.__name__: kind for kind in RULES},
}
TELLS = """(runtime, settings) => {
  const properties = Object.keys(runtime).map((name) => [name, typeof runtime[name]]);
  runtime.report(settings.mode, runtime.page, "moved", properties);
}"""


def test_the_runtime_gives_what_it_is_described_to_give(browser_page: Page, tmp_path: Path) -> None:
    class Telling(Rule):
        """A rule whose script reports the properties of its runtime."""

        script = tmp_path / "tells.js"

    Telling.script.write_text(TELLS)
    settings = RuntimeSettings(path="/", page="page /", site="toy", read="read", binding="taker", report="/r")
    script = page_script(settings, [Telling(mode="telling", rule=rule_words(SEEDS, "telling"))])
    messages = browser_page.evaluate(
        f"() => {{ const messages = []; window.taker = (message) => messages.push(message); {script}; return messages; }}"
    )
    ((_, _, _, event, properties, _),) = [json.loads(message.partition(" ")[2]) for message in messages]
    assert event == "moved"
    kinds = {name: name for name in ("string", "number", "boolean")}
    described = {
        name: "function" if "=>" in member.type else kinds.get(member.type, "object")
        for name, member in TYPES["Runtime"].items()
    }
    assert dict(properties) == described
    assert all(member.about for member in TYPES["Runtime"].values())


@pytest.mark.parametrize(("name", "model"), MODELS.items())
def test_settings_are_described_as_their_model_has_them(name: str, model: type[BaseModel]) -> None:
    # Sorted, because the fields that all rules share come first in a model.
    assert sorted(TYPES[name]) == sorted(model.model_fields)


@pytest.mark.parametrize("name", entries())
def test_no_page_gets_the_descriptions(name: str) -> None:
    assert not re.search(r"/\*|@param|@typedef|@property|@type|@returns", expression(bundle(name)))


def test_what_is_no_description_is_found() -> None:
    text = "/**\n * @typedef {object} A\n * @property {(a: {b: number}) => void} does - Does\n *   it.\n * @property {b} c\n */"
    assert typedefs(text) == {"A": {"does": Member("(a: {b: number}) => void", "Does it."), "c": Member("b", "")}}
    with pytest.raises(ValueError, match="is not a property"):
        typedefs("/**\n * @typedef {object} A\n * @property without a type\n */")
