"""The type descriptions of the scripts match the runtime and the settings that they get."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable
from playwright.sync_api import Page
from pydantic import BaseModel

from scripts.docs.jsdoc import Member, typedefs
from stressweb.core.draws import Seeds
from stressweb.core.javascript import source
from stressweb.core.page_draws import rule_words
from stressweb.perturbations import MODES, mode
from stressweb.perturbations.page.dialogs import Dialog
from stressweb.perturbations.page.parts import DRAWS, KEYS, NAMES, NATIVES, REPORTS, RUNTIME, SITE_VIEW, page_script
from stressweb.perturbations.page.rules import RuntimeSettings
from stressweb.plugins.rule import Narrowing, Rule

FOLDER = RUNTIME.parent
SCRIPTS = sorted(FOLDER.glob("*.js"))
TYPES = {name: members for path in SCRIPTS for name, members in typedefs(path.read_text("utf-8")).items()}
SEEDS = Seeds(0, 0, "toy/x")
RULES = list(dict.fromkeys(type(mode(name).at(3).rule(SEEDS)) for name in MODES))
MODELS: dict[str, type[BaseModel]] = {
    "RuntimeSettings": RuntimeSettings,
    "Narrowing": Narrowing,
    "DialogWords": Dialog,
    **{kind.__name__: kind for kind in RULES},
}
HANDED = {RUNTIME: "RuntimeSettings", REPORTS: "RuntimeSettings", **{kind.script: kind.__name__ for kind in RULES}}
USED = re.compile(r"(?<![.\w])(runtime|press|settings)\.(\w+)")
TAKEN = re.compile(r"const \{([^}]*)\} = (runtime|settings);")
# The parts of the DOM that site_view.js uses while it is set up.
DOM = """
const [get, value] = [() => {}, () => {}];
const type = (methods, getters) => {
  const cls = class {};
  for (const name of methods) Object.defineProperty(cls.prototype, name, { value });
  for (const name of getters) Object.defineProperty(cls.prototype, name, { get });
  return cls;
};
const Element = type(["getAttribute", "querySelectorAll"], ["localName"]);
const Node = type([], ["nodeType", "firstChild", "nextSibling", "parentNode", "isConnected"]);
const CharacterData = type([], ["data"]);
const Document = type(["getElementById"], ["body"]);
const DocumentFragment = type(["getElementById", "querySelectorAll"], []);
"""
TELLS = """(runtime, settings) => {
  const properties = Object.keys(runtime).map((name) => [name, typeof runtime[name]]);
  runtime.report(settings.mode, runtime.page, "moved", properties);
}"""


def used(text: str) -> set[tuple[str, str]]:
    """Return the properties that a script uses of `runtime`, `press` and `settings`, the names in all scripts."""
    uses = set(USED.findall(text))
    for names, owner in TAKEN.findall(text):
        uses |= {(owner, name.partition(":")[0].strip()) for name in names.split(",") if name.strip()}
    return uses


def run(script: str) -> str:
    node, _ = compute_driver_executable()
    process = subprocess.run([node, "-"], input=script, capture_output=True, text=True, timeout=60, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout


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


@pytest.mark.parametrize(
    ("path", "arguments", "name"),
    [
        (DRAWS, "", "Draws"),
        (SITE_VIEW, "() => undefined", "SiteView"),
        (NAMES, f"{{}}, ({source(NATIVES)})()", "Names"),
        (KEYS, f"{{}}, () => ({{}}), {{ site: '', hosts: [] }}, ({source(NATIVES)})()", "Keys"),
        (NATIVES, "", "Natives"),
    ],
)
def test_a_part_of_the_page_gives_what_it_is_described_to_give(path: Path, arguments: str, name: str) -> None:
    output = run(f"{DOM}console.log(JSON.stringify(Object.keys(({source(path)})({arguments}))))")
    assert sorted(json.loads(output)) == sorted(TYPES[name])
    assert all(member.about for member in TYPES[name].values())


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_uses_only_what_is_described(path: Path) -> None:
    described = {"runtime": set(TYPES["Runtime"]), "press": set(TYPES["Press"])}
    if path in HANDED:
        described["settings"] = set(TYPES[HANDED[path]])
        assert f"@param {{{HANDED[path]}}} settings" in path.read_text("utf-8"), "it does not describe its settings"
    for owner, name in used(source(path)):
        assert owner not in described or name in described[owner], f"{owner}.{name} is not described"


def test_what_a_script_uses_is_seen() -> None:
    assert used("const { a, b: c } = runtime; runtime.d(); other.runtime.e; settings.f") == {
        ("runtime", "a"), ("runtime", "b"), ("runtime", "d"), ("settings", "f"),
    }  # fmt: skip
    assert ("press", "key") in used(source(FOLDER / "failure.js"))


@pytest.mark.parametrize(("name", "model"), MODELS.items())
def test_settings_are_described_as_their_model_has_them(name: str, model: type[BaseModel]) -> None:
    # Sorted, because the fields that all rules share come first in a model.
    assert sorted(TYPES[name]) == sorted(model.model_fields)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_no_page_gets_the_descriptions(path: Path) -> None:
    assert "/**" in path.read_text("utf-8")
    assert not re.search(r"/\*\*|@param|@typedef|@property|@type|@returns", source(path))


def test_what_is_no_description_is_found() -> None:
    text = "/**\n * @typedef {object} A\n * @property {(a: {b: number}) => void} does - Does\n *   it.\n * @property {b} c\n */"
    assert typedefs(text) == {"A": {"does": Member("(a: {b: number}) => void", "Does it."), "c": Member("b", "")}}
    with pytest.raises(ValueError, match="is no property"):
        typedefs("/**\n * @typedef {object} A\n * @property without a type\n */")
