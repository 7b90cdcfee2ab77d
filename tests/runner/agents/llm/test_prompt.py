"""The prompt: the same words in every condition, generated from the list of actions."""

import base64
import json
import re
from typing import Any, get_args

import pytest

from stressweb.perturbations import MODES
from stressweb.plugins.actions import NEEDS, Action, Kind, Outcome
from stressweb.plugins.agent import Dialog, Observation
from stressweb.runner.agents.llm import prompt
from stressweb.runner.agents.llm.answer import read
from stressweb.sources import REGISTRY
from tests.support.lamp_page import PAGE


def text_of(message: dict[str, Any]) -> str:
    return str(message["content"][0]["text"])


@pytest.mark.parametrize("view", REGISTRY.names())
def test_instructions_name_every_action_and_parameter(view: str) -> None:
    text = prompt.instructions(view, pictures=True)
    for kind in get_args(Kind):
        assert kind in prompt.MEANING, "every kind needs a description, which the prompt repeats"
        assert f"- {kind}: {prompt.MEANING[kind]}" in text or f"- {kind} ({', '.join(NEEDS[kind])}): " in text
    for name, field in Action.model_fields.items():
        if name not in ("kind", "reasoning"):
            assert field.description, f"{name} needs a description, which the prompt repeats"
            assert re.search(rf"- {name} \(\w+.*\): .*{re.escape(' '.join(field.description.split()))}", text)


def test_the_examples_in_the_instructions_are_actions() -> None:
    text = prompt.instructions("tree", pictures=True)
    examples = re.findall(r'\{"action_type": .*?"\}(?=\.|$)', text, re.MULTILINE)
    assert [read(example).kind for example in examples] == ["CLICK", "CLICK"]


@pytest.mark.parametrize("pictures", [True, False])
@pytest.mark.parametrize("view", REGISTRY.names())
def test_the_prompt_does_not_reveal_the_test(view: str, pictures: bool) -> None:
    text = prompt.instructions(view, pictures=pictures).lower()
    words = {*MODES, "popup", "perturb", "stress", "severity", "seed", "mode", "benchmark", "robust", "test", "double"}
    assert [word for word in words if re.search(rf"\b{word}", text)] == []
    assert ("picture" in text) is (pictures or view == "screenshots")


def test_the_schema_allows_what_is_read_and_names_the_same() -> None:
    schema = prompt.schema()
    parameters = schema["properties"]["parameters"]["properties"]
    assert set(parameters) == set(Action.model_fields) - {"kind", "reasoning"}
    assert all(isinstance(parameter["type"], str) for parameter in parameters.values())
    assert schema["properties"]["action_type"]["enum"] == list(get_args(Kind))
    json.dumps(schema, allow_nan=False)


def test_a_step_holds_goal_address_history_and_page() -> None:
    done = Action(kind="CLICK", selector='a:has-text("x")', click_count=2, reasoning="why")
    history = (
        (done, Outcome(ok=True)),
        (Action(kind="WAIT"), Outcome(ok=False, reason="covered by", detail="a\nbox")),
    )
    message = prompt.observed(
        "Buy a lamp.", Observation("http://shop.test/a", PAGE, history=history), "dom", 10_000, pictures=True
    )
    text = text_of(message)
    assert text.startswith("Goal: Buy a lamp.\n\nAddress: http://shop.test/a\n\nActions so far:\n1. {")
    first, second = re.findall(r"^\d\. (.*) -> (.*)$", text, re.MULTILINE)
    assert read(first[0]) == done
    assert (first[1], second) == ("done", (prompt.written(Action(kind="WAIT")), "failed: covered by a box"))
    assert '<a href="/b" id="go">Go</a>' in text
    assert len(message["content"]) == 1


def test_files_are_listed_only_if_there_are_some() -> None:
    plain = Observation("http://shop.test/", PAGE)
    text = text_of(prompt.observed("x", plain, "dom", 999, pictures=False, files=("a.txt", "b c.csv")))
    assert text.startswith("Goal: x\n\nFiles that you can upload:\n- a.txt\n- b c.csv\n\nAddress:")
    assert "Files" not in text_of(prompt.observed("x", plain, "dom", 999, pictures=False))
    assert "- files (array of strings): Names of the files" in prompt.instructions("dom", pictures=False)
    files = prompt.schema()["properties"]["parameters"]["properties"]["files"]
    assert (files["type"], files["items"]) == ("array", {"type": "string"})


def test_tabs_and_dialogs_are_mentioned_only_if_present() -> None:
    plain = Observation("http://shop.test/", PAGE, tabs=("Lamps",))
    assert "Tabs" not in text_of(prompt.observed("x", plain, "dom", 999, pictures=False))
    assert "dialog" not in text_of(prompt.observed("x", plain, "dom", 999, pictures=False))
    busy = Observation(
        "http://shop.test/", PAGE, tabs=("Lamps", "Chairs"), tab=1, dialog=Dialog("prompt", "Name?", "Ada")
    )
    text = text_of(prompt.observed("x", busy, "dom", 999, pictures=False))
    assert "Tabs:\n0: Lamps\n1: Chairs (current)" in text
    assert 'prompt "Name?", which offers "Ada"' in text


def test_pictures_come_with_the_newest_first() -> None:
    seen = Observation("http://shop.test/", PAGE, screenshots=(b"new", b"old", b"older"))
    _, *parts = prompt.observed("x", seen, "dom", 999, pictures=True)["content"]
    pictures = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    assert [base64.b64decode(url.partition(",")[2]) for url in pictures] == [b"new", b"old", b"older"]
    assert len(prompt.observed("x", seen, "dom", 999, pictures=False)["content"]) == 1


def test_the_tree_stands_for_the_page() -> None:
    seen = Observation("http://shop.test/", PAGE, tree='- link "Go"')
    text = text_of(prompt.observed("x", seen, "tree", 999, pictures=False))
    assert text.endswith('its accessibility tree:\n- link "Go"')
    assert "<a" not in text


def test_a_long_page_is_cut_and_says_so() -> None:
    assert prompt.trimmed("abcdef", 6) == "abcdef"
    assert prompt.trimmed("abcdef", 4) == "abcd\n[2 more characters]"
    assert prompt.trimmed("abcdef", 0) == "\n[6 more characters]"
