"""The scripts are described as they are: what the runtime gives them, and what the modes hand them."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable
from pydantic import BaseModel

from perturbations import MODES, mode
from perturbations.chaos import ChaosSettings
from perturbations.failure import FailureSettings
from perturbations.page.dialogs import Dialog
from perturbations.page.parts import DRAWS, KEYS, NAMES, NATIVES, REPORTS, RUNTIME, SITE_VIEW
from perturbations.page.popup_rule import PopupRule
from perturbations.page.rules import FailureRule, Narrowing, RemapRule, RuntimeSettings
from perturbations.popup import LoadDialog, PopupSettings
from perturbations.remap import RemapSettings
from perturbations.runtime import ADOPTION, CORE, AdoptionSettings, source
from scripts.docs.jsdoc import Member, typedefs

FOLDER = CORE.parent
SCRIPTS = sorted(path for path in FOLDER.rglob("*.js") if path != CORE)
TYPES = {name: members for path in (CORE, *SCRIPTS) for name, members in typedefs(path.read_text("utf-8")).items()}
MODELS: dict[str, type[BaseModel]] = {
    "RemapSettings": RemapSettings,
    "FailureSettings": FailureSettings,
    "ChaosSettings": ChaosSettings,
    "PopupSettings": PopupSettings,
    "PopupDialog": LoadDialog,
    "AdoptionSettings": AdoptionSettings,
}
# Of the engine that decides in the page alone, which nothing uses yet.
PAGE_MODELS: dict[str, type[BaseModel]] = {
    "RuntimeSettings": RuntimeSettings,
    "Narrowing": Narrowing,
    "RemapRule": RemapRule,
    "FailureRule": FailureRule,
    "PopupRule": PopupRule,
    "DialogWords": Dialog,
}
PAGE_SCRIPTS = {
    RUNTIME: "RuntimeSettings",
    REPORTS: "RuntimeSettings",
    RemapRule.script: "RemapRule",
    FailureRule.script: "FailureRule",
    PopupRule.script: "PopupRule",
}
# What the runtime touches of a page before it starts the scripts.
PAGE = """
const window = { addEventListener() {} };
const document = { currentScript: { remove() {} }, adoptedStyleSheets: [] };
const navigator = { sendBeacon() {} };
class XMLHttpRequest {}
class CSSStyleSheet { replaceSync() {} }
"""
# What site_view.js takes of a document before any page is there.
DOM = """
const [get, value] = [() => {}, () => {}];
const type = (methods, getters) => {
  const made = class {};
  for (const name of methods) Object.defineProperty(made.prototype, name, { value });
  for (const name of getters) Object.defineProperty(made.prototype, name, { get });
  return made;
};
const Element = type(["getAttribute", "querySelectorAll"], ["localName"]);
const Node = type([], ["nodeType", "firstChild", "nextSibling", "parentNode"]);
const CharacterData = type([], ["data"]);
const Document = type(["getElementById"], ["body"]);
const DocumentFragment = type(["getElementById", "querySelectorAll"], []);
"""


def run(script: str) -> str:
    node, _ = compute_driver_executable()
    done = subprocess.run([node, "-"], input=PAGE + script, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_runtime_gives_what_it_is_described_to_give() -> None:
    config = json.dumps({"controls": [], "attempts": {}, "page": "p", "report": "/r", "look": "l", "css": ""})
    told = "(api) => console.log(JSON.stringify(Object.entries(api).map(([name, one]) => [name, typeof one])))"
    found = dict(json.loads(run(f'({source(CORE)})({config}, [[{told}, {{mode: ""}}]])')))
    described = {name: "function" if "=>" in one.type else one.type for name, one in TYPES["Api"].items()}
    assert found == described
    assert all(one.about for one in TYPES["Api"].values())


@pytest.mark.parametrize(
    ("path", "given", "name"),
    [
        (DRAWS, "", "Draws"),
        (SITE_VIEW, "() => undefined", "SiteView"),
        (NAMES, "{}", "Names"),
        (KEYS, "{}, () => ({}), { site: '', hosts: [] }", "Keys"),
        (NATIVES, "", "Natives"),
    ],
)
def test_a_part_of_the_page_gives_what_it_is_described_to_give(path: Path, given: str, name: str) -> None:
    found = run(f"{DOM}console.log(JSON.stringify(Object.keys(({source(path)})({given}))))")
    assert sorted(json.loads(found)) == sorted(TYPES[name])
    assert all(one.about for one in TYPES[name].values())


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_uses_only_what_is_described(path: Path) -> None:
    text = source(path)
    assert set(re.findall(r"\bapi\.(\w+)", text)) <= set(TYPES["Api"])
    assert set(re.findall(r"\bgesture\.(\w+)", text)) <= set(TYPES["Gesture"])
    if text.startswith("(api, settings"):
        known = next(name for name in typedefs(path.read_text("utf-8")) if name.endswith("Settings"))
        described = rf" \* @param {{Api}} api\n \* @param {{{known}( & Narrowed)?}} settings"
        narrowed = re.search(described, path.read_text("utf-8"))
        assert narrowed, "it does not say what it is handed"
        used = set(re.findall(r"\bsettings\.(\w+)", text))
        assert used <= set(TYPES[known]) | (set(TYPES["Narrowed"]) if narrowed[1] else set())
        assert bool(narrowed[1]) == bool(used & set(TYPES["Narrowed"]))


@pytest.mark.parametrize(("path", "name"), PAGE_SCRIPTS.items(), ids=lambda one: getattr(one, "stem", one))
def test_a_script_of_the_page_uses_only_what_is_described(path: Path, name: str) -> None:
    text = source(path)
    assert set(re.findall(r"(?<![.\w])runtime\.(\w+)", text)) <= set(TYPES["Runtime"])
    assert set(re.findall(r"\bpress\.(\w+)", text)) <= set(TYPES["Press"])
    assert set(re.findall(r"\bsettings\.(\w+)", text)) <= set(TYPES[name])
    assert f"@param {{{name}}} settings" in path.read_text("utf-8")


def test_every_script_with_settings_has_a_model_for_them() -> None:
    started = {mode(name).script for name in MODES} - {None} | {ADOPTION}
    assert {path.stem for path in started if path} == {
        name.removesuffix("Settings").lower() for name in MODELS if name.endswith("Settings")
    }


@pytest.mark.parametrize(("name", "model"), [*MODELS.items(), *PAGE_MODELS.items()])
def test_settings_are_described_as_their_model_has_them(name: str, model: type[BaseModel]) -> None:
    assert list(TYPES[name]) == list(model.model_fields)


@pytest.mark.parametrize("path", [CORE, *SCRIPTS], ids=lambda path: path.stem)
def test_no_page_gets_the_descriptions(path: Path) -> None:
    assert "/**" in path.read_text("utf-8") or path.stem == "reach"
    assert not re.search(r"/\*\*|\*/|@param|@typedef|@property|@type", source(path))


def test_what_is_no_description_is_found() -> None:
    text = "/**\n * @typedef {object} A\n * @property {(a: {b: number}) => void} does - Does\n *   it.\n * @property {b} c\n */"
    assert typedefs(text) == {"A": {"does": Member("(a: {b: number}) => void", "Does it."), "c": Member("b", "")}}
    with pytest.raises(ValueError, match="is no property"):
        typedefs("/**\n * @typedef {object} A\n * @property without a type\n */")
