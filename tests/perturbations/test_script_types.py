"""The types of the scripts, which the TypeScript compiler checks, match the settings that Python hands to them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page
from pydantic import BaseModel

from scripts.bundle import entries
from scripts.docs.jsdoc import Member, typedefs
from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.perturbations import MODES, mode
from stressweb.perturbations.page.bundles import bundle, script_expression
from stressweb.perturbations.page.fingerprint import FOLDER, modules
from stressweb.perturbations.page.parts import page_script
from stressweb.perturbations.page.runtime_settings import RuntimeSettings
from stressweb.perturbations.popup.dialogs import Catalogue, Dialog, DialogKind, Side
from stressweb.plugins.rule import Narrowing, Rule

TYPES = {name: members for path in modules() for name, members in typedefs(path.read_text("utf-8")).items()}
SEEDS = Seeds(0, 0, "toy/x")
RULES = list(dict.fromkeys(type(mode(name).at(3).rule(SEEDS)) for name in MODES))
MODELS: dict[str, type[BaseModel]] = {
    "RuntimeSettings": RuntimeSettings,
    "Narrowing": Narrowing,
    "DialogWords": Dialog,
    "Catalogue": Catalogue,
    "DialogKind": DialogKind,
    "Side": Side,
    **{kind.__name__: kind for kind in RULES},
}
TELLS = """(runtime, settings) => {
  const properties = Object.keys(runtime).map((name) => [name, typeof runtime[name]]);
  runtime.report(settings.mode, runtime.page, "moved", properties);
}"""

COMMENT = re.compile(r"/\*\*.*?\*/", re.DOTALL)
TAG = re.compile(r"@\w+ \{")
REASON = re.compile(r"\bany: \w+ \w+")


def type_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each type in the JSDoc comments of a script."""
    for comment in COMMENT.finditer(text):
        for tag in TAG.finditer(text, *comment.span()):
            end = tag.end()
            while end < comment.end() and text.count("{", tag.end(), end) >= text.count("}", tag.end(), end):
                end += 1
            yield tag.end(), end


def unexplained(text: str, spans: list[tuple[int, int]]) -> list[int]:
    """Return the lines with an `any` in one of these spans, without a reason there or on the line before."""
    lines = ["", *text.splitlines()]
    uses = [use for start, end in spans for use in re.compile(r"\bany\b").finditer(text, start, end)]
    numbers = dict.fromkeys(1 + text.count("\n", 0, use.start()) for use in uses)
    return [number for number in numbers if not REASON.search("\n".join(lines[number - 1 : number + 1]))]


def test_every_any_in_a_type_has_a_reason() -> None:
    texts = {path.name: path.read_text("utf-8") for path in modules() if path.suffix == ".js"}
    # In a file of types, all text counts.
    types = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.d.ts")}
    spans = {name: list(type_spans(text)) for name, text in texts.items()}
    spans |= {name: [(0, len(text))] for name, text in types.items()}
    assert sum(map(len, spans.values())) > 500
    lines = {name: unexplained(text, spans[name]) for name, text in (texts | types).items()}
    assert not {name: numbers for name, numbers in lines.items() if numbers}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/** @param {any} a */", [1]),
        ("/** @type {{a: {b: number}, c: any[]}} */", [1]),
        ("/**\n * @property {(a: string,\n *   b: any) => void} does - Does it.\n */", [3]),
        ("/** @param {Node} a @param {any} b */\n\n/** @type {any} */", [1, 3]),
        ("// any: too short\n\n/** @type {any} */", [3]),
        ("// any: short\n/** @type {any} */", [2]),
        ("// any: a page may send everything.\n/** @type {any} */", []),
        ("/** @param {any} a - any: a page may send everything */", []),
        ("/** @param {Node} any - Any node, for any page. */\nconst any = 1;", []),
    ],
)
def test_an_any_without_a_reason_is_found(text: str, lines: list[int]) -> None:
    assert unexplained(text, list(type_spans(text))) == lines


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
    assert not re.search(r"/\*|@param|@typedef|@property|@type|@returns", script_expression(bundle(name)))


def test_what_is_no_description_is_found() -> None:
    text = "/**\n * @typedef {object} A\n * @property {(a: {b: number}) => void} does - Does\n *   it.\n * @property {b} c\n */"
    assert typedefs(text) == {"A": {"does": Member("(a: {b: number}) => void", "Does it."), "c": Member("b", "")}}
    with pytest.raises(ValueError, match="is not a property"):
        typedefs("/**\n * @typedef {object} A\n * @property without a type\n */")
