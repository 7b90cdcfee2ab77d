"""Answers of a model: exactly one JSON object that is an action."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.plugins.actions import Action
from stressweb.runner.agents.llm.answer import Unreadable, read
from stressweb.runner.agents.llm.endpoint_config import DEFAULT_URL, EndpointConfig

CLICK = '{"action_type": "CLICK", "parameters": {"selector": "a"}, "reasoning": "it"}'


@pytest.mark.parametrize(
    "text",
    [
        CLICK,
        f"\n  {CLICK}\n",
        f"```json\n{CLICK}\n```",
        f"```\n{CLICK}\n```\n",
        '{"action_type": "CLICK", "parameters": {"selector": "a", "x": null, "text": null}, "reasoning": "it"}',
    ],
)
def test_one_object_is_read_also_in_a_fence(text: str) -> None:
    assert read(text) == Action(kind="CLICK", selector="a", reasoning="it")


@pytest.mark.parametrize("text", ['{"action_type": "DONE"}', '{"action_type": "DONE", "parameters": {}}'])
def test_optional_fields_may_be_missing(text: str) -> None:
    assert read(text) == Action(kind="DONE")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("```json\n```", "empty"),
        ("I would click.", "not JSON"),
        (f"Here you are: {CLICK}", "not JSON"),
        (f"{CLICK} That was it.", "text after"),
        (f"{CLICK}{CLICK}", "text after"),
        (f"```json\n{CLICK}\n```\nThat was it.", "not JSON"),
        (f"```json\n{CLICK}\n``` ```json\n{CLICK}\n```", "text after"),
        (f"[{CLICK}]", "not a JSON object"),
        ('"CLICK"', "not a JSON object"),
        (CLICK[:-1], "not JSON"),
        ('{"action_type": "CLICK", "action_type": "DONE"}', "given twice"),
        ('{"action": "CLICK", "parameters": {}}', "action_type: Field required"),
        ('{"action_type": "DONE", "confidence": 1}', "confidence: Extra inputs"),
        ('{"action_type": "DONE", "parameters": []}', "parameters: "),
        ('{"action_type": "TAP"}', "action_type is 'TAP'; there are NAVIGATE, CLICK"),
        ('{"action_type": "CLICK"}', "CLICK needs a selector, or x and y"),
        ('{"action_type": "FILL", "parameters": {"selector": "a"}}', "FILL needs text"),
        ('{"action_type": "CLICK", "parameters": {"css": "a"}}', "unknown parameter css; there are selector"),
        ('{"action_type": "CLICK", "parameters": {"kind": "DONE"}}', "unknown parameter kind"),
        ('{"action_type": "CLICK", "parameters": {"selector": 3}}', "selector: Input should be a valid string"),
        ('{"action_type": "CLICK", "parameters": {"x": 1e999, "y": 1}}', "too large"),
        ('{"action_type": "CLICK", "parameters": {"x": NaN, "y": 1}}', "NaN is no number"),
        ('{"action_type": "CLICK", "parameters": {"selector": "a", "click_count": 9}}', "click_count: "),
        ('{"action_type": "DONE", "reasoning": "\\ud800"}', "surrogate"),
        ("[" * 100_000, "not JSON"),
        ('{"action_type": "CLICK", "parameters": {"x": ' + "9" * 5000 + ', "y": 1}}', "not JSON"),
    ],
)
def test_anything_else_is_refused_and_says_why(text: str, why: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read(text)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 800


KEY = "sk-test-0123456789abcdef"
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"action_type": "FILL", "parameters": {{"selector": "a", "text": "is {ESCAPED}"}}, "reasoning": "{ESCAPED}"}}',
        f'{{"action_type": "DONE", "parameters": {{"message": "{ESCAPED}"}}}}',
        f'{{"action_type": "{ESCAPED}"}}',
        f'{{"action_type": "CLICK", "parameters": {{"{"x" * 30}{ESCAPED}": 1}}}}',
        f'{{"action_type": "CLICK", "parameters": {{"click_count": "{ESCAPED}", "selector": "a"}}}}',
        f'{{"action_type": "CLICK", "{ESCAPED}": {{}}}}',
    ],
)
def test_a_key_written_in_escapes_is_hidden(text: str) -> None:
    assert KEY not in text
    try:
        output = read(text, EndpointConfig(DEFAULT_URL, KEY).hide).model_dump_json()
    except Unreadable as error:
        output = str(error)
    assert not any(KEY[:length] in output for length in range(8, len(KEY)))


@given(st.text())
def test_any_text_is_an_action_or_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text)


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers(), max_size=2)


@given(
    st.sampled_from(["CLICK", "FILL", "WAIT", "DONE", "DRAG", "SCROLL"]),
    st.dictionaries(st.sampled_from([*Action.model_fields, "other"]), VALUES),
    VALUES,
)
def test_a_parsed_action_survives_recording(kind: str, parameters: object, reasoning: object) -> None:
    text = json.dumps({"action_type": kind, "parameters": parameters, "reasoning": reasoning})
    try:
        action = read(text)
    except Unreadable:
        return
    recorded = action.model_dump_json(exclude_defaults=True)
    assert recorded.encode()
    assert Action.model_validate_json(recorded) == action
