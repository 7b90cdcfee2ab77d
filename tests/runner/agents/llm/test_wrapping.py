"""Reading the action from an answer, however the answer wraps it."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.plugins.actions import Action
from stressweb.runner.agents.llm.answer import Decision, Unreadable, decision
from stressweb.runner.agents.llm.completion import completion
from stressweb.runner.agents.llm.wrapping import Reply

CLICK = '{"action_type": "CLICK", "parameters": {"selector": "a"}, "reasoning": "it"}'
DONE = '{"action_type": "DONE", "parameters": {}}'
ACTION = Action(kind="CLICK", selector="a", reasoning="it")

WRAPPED: list[tuple[str, tuple[str, ...]]] = [
    (CLICK, ()),
    (f"```json\n{CLICK}\n```", ()),
    (f"<think>I could say {DONE}, but no.</think>\n\n{CLICK}", ("thoughts",)),
    (f"<think>\n</think>{CLICK}", ("thoughts",)),
    (f"It was lost.</think>{CLICK}", ("thoughts",)),
    (f"<thinking>hm</thinking>{CLICK}", ("thoughts",)),
    (f"<Think>hm</Think >\n{CLICK}", ("thoughts",)),
    (f"[THINK]hm[/THINK]{CLICK}", ("thoughts",)),
    (f"◁think▷hm◁/think▷{CLICK}", ("thoughts",)),
    (f"<|channel|>analysis<|message|>hm {DONE}<|end|><|start|>assistant<|channel|>final<|message|>{CLICK}", ("thoughts",)),
    (f"<think>a</think>```JSON\n{CLICK}\n```", ("thoughts", "code fence")),
    (f"```JSON\n{CLICK}\n```", ("code fence",)),
    (f"```json {CLICK}```", ("code fence",)),
    (f"```{CLICK}```", ("code fence",)),
    (f"~~~\n{CLICK}\n~~~", ("code fence",)),
    (f"```javascript\n{CLICK}\n```", ("code fence",)),
    (f"\ufeff{CLICK}", ("byte order mark",)),
    (f"\ufeff```json\n{CLICK}\n```", ("byte order mark", "code fence")),
    (f"Here is the next action:\n{CLICK}", ("text around it",)),
    (f"{CLICK}\nThis clicks the link.", ("text around it",)),
    (f"{CLICK}<|im_end|>", ("text around it",)),
    (f"First:\n```json\n{CLICK}\n```\nThat was it.", ("code fence", "text around it")),
    (f"I could answer {DONE}. No: {CLICK}", ("text around it",)),
    (f"{DONE}\n{CLICK}", ("text around it",)),
    (f'The page has {{"a": 1}} and {{broken. {CLICK} as {{"x": []}} says', ("text around it",)),
    ('{"thought": "hm", ' + CLICK[1:], ("extra keys",)),
    (CLICK[:-1] + ', "confidence": 0.9, "parameters_note": null}', ("extra keys",)),
    (CLICK.replace("CLICK", "click"), ("small letters",)),
    (CLICK.replace("CLICK", " Click "), ("small letters",)),
    (f'{{"thought": "hm", "action": {CLICK}}}', ()),
    (f"[{CLICK}]", ("text around it",)),
    ('{"action_type": "click", "selector": "a", "reasoning": "it"}', ("small letters", "extra keys")),
    ('{"action_type": "CLICK", "parameters": "{\\"selector\\": \\"a\\"}", "reasoning": "it"}', ()),
    ('<tool_call>\n{"name": "CLICK", "arguments": {"selector": "a", "reasoning": "it"}}\n</tool_call>', ()),
    (json.dumps({"name": "act", "arguments": json.loads(CLICK)}), ()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "ways"), WRAPPED)
def test_the_action_is_extracted_from_the_text_around_it(text: str, ways: tuple[str, ...]) -> None:
    parsed = decision(Reply(text))
    assert parsed.action == ACTION
    plain = text in (CLICK, f"```json\n{CLICK}\n```")
    assert parsed.ways == (ways if ways or plain else ("text around it",))
    assert parsed.action.model_fields_set == {"kind", "selector", "reasoning"}


@pytest.mark.parametrize("text", [text for text, _ in WRAPPED[2:]])
def test_strict_mode_refuses_wrapped_actions(text: str) -> None:
    with pytest.raises(Unreadable):
        decision(Reply(text), strict=True)


def test_a_plain_action_reads_the_same_in_strict_mode() -> None:
    assert decision(Reply(CLICK), strict=True) == decision(Reply(CLICK)) == Decision(ACTION)


CALL = {
    "id": "1",
    "type": "function",
    "function": {"name": "CLICK", "arguments": '{"selector": "a", "reasoning": "it"}'},
}
MESSAGES: list[dict[str, Any]] = [
    {"content": None, "tool_calls": [CALL]},
    {"content": "", "tool_calls": [CALL, {"function": {"name": "DONE", "arguments": "{}"}}]},
    {"content": "I click.", "tool_calls": [CALL]},
    {"content": None, "tool_calls": [{"function": {"name": "click", "arguments": {"selector": "a", "reasoning": "it"}}}]},
    {"content": None, "tool_calls": [{"function": {"name": "act", "arguments": CLICK}}]},
    {"content": None, "function_call": CALL["function"]},
    {"tool_calls": [{"function": {"name": "CLICK", "arguments": '{"parameters": {"selector": "a"}, "reasoning": "it"}'}}]},
    {"content": None, "reasoning_content": CLICK},
    {"content": "", "reasoning": CLICK},
    {"content": json.loads(CLICK)},
    {"content": [{"type": "text", "text": CLICK[:9]}, {"type": "text", "text": CLICK[9:]}]},
    {"content": [{"type": "output_text", "text": CLICK}]},
    {"content": CLICK, "reasoning_content": f"or {DONE}", "tool_calls": []},
    {"content": CLICK, "tool_calls": [{"function": {"name": "DONE", "arguments": "{}"}}]},
    {"content": CLICK, "tool_calls": 7, "function_call": "x", "reasoning": 3},
]  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES)
def test_an_answer_may_be_in_another_field_of_the_message(message: dict[str, Any]) -> None:
    body = json.dumps({"choices": [{"message": message}]}).encode()
    assert decision(completion(body).reply).action == ACTION


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(""), "empty"),
        (Reply("<think>hm</think>"), "not JSON"),
        (Reply(f"<think>{CLICK}</think>"), "not JSON"),
        (Reply("I would click."), "not JSON"),
        (Reply(f"[{CLICK}, {DONE}]"), "a list of several actions"),
        (Reply(f"```json\n[{CLICK}, {DONE}]\n```"), "a list of several actions"),
        (Reply('So {"action_type": "CLICK", "parameters": {}}'), "CLICK needs a selector"),
        # The last object counts, even if it is invalid: the model only considered the earlier one.
        (Reply(f'{DONE} {{"action_type": "CLICK", "parameters": {{}}}}'), "CLICK needs a selector"),
        (Reply('x {"action_type": "TAP"}'), "not JSON"),
        (Reply('{"action_type": "TAP"}'), "action_type is 'TAP'"),
        (Reply('x {"action_type": "CLICK", "parameters": {"css": "a"}}'), "unknown parameter css"),
        (Reply('x {"action_type": "CLICK", "action_type": "DONE"}'), "not JSON"),
        (Reply('x {"action_type": "DONE", "reasoning": "\\ud800"}'), "not JSON"),
        (Reply("", thoughts=f"Perhaps {CLICK}"), "empty"),
        (Reply(CLICK[:-9], cut=True), "cut off"),
        (Reply("", cut=True), "cut off"),
        (Reply(f"<think>I could say {DONE}, or", cut=True), "cut off"),
        (Reply('{"action_type": "PRESS", "parameters": {"key": "Foo"}}'), "key is 'Foo', which is no key; there are any"),
        (Reply('{"action_type": "HOTKEY", "parameters": {"keys": "a+b"}}'), "keys is 'a+b', which is no key"),
    ],
)  # fmt: skip
def test_other_answers_are_refused_with_a_reason(reply: Reply, why: str) -> None:
    with pytest.raises(Unreadable) as caught:
        decision(reply)
    assert why in str(caught.value)


def test_an_answer_that_is_whole_counts_although_the_server_says_that_it_is_cut() -> None:
    assert decision(Reply(CLICK, cut=True)).action == ACTION


@pytest.mark.parametrize(
    ("kind", "parameters", "name"),
    [("PRESS", {"key": "Esc"}, "Escape"), ("HOTKEY", {"keys": "ctrl+a"}, "Control+a"), ("PRESS", {"key": "a"}, "a")],
)
def test_keys_have_the_names_of_the_browser(kind: str, parameters: dict[str, str], name: str) -> None:
    text = json.dumps({"action_type": kind, "parameters": parameters})
    parsed = decision(Reply(text))
    assert (parsed.action.key or parsed.action.keys) == name
    assert parsed.ways == (), "another name of a key is no wrapping"
    assert parsed.action.model_fields_set == {"kind", *parameters}
    assert decision(Reply(text), strict=True).action == Action(kind=kind, **parameters)


@given(st.text(), st.text())
def test_any_text_around_an_action_leaves_it_the_action(before: str, after: str) -> None:
    # Such text could add another action, an unfinished string, or the end of a thought.
    if any(sign in before + after for sign in '{}[]"\\'):
        return
    assert decision(Reply(f"{before}{CLICK}{after}")).action == ACTION


@given(st.text() | st.text(alphabet='{}[]":, \\`<think>/actioypeCLK_'))
def test_any_text_is_an_action_or_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        decision(Reply(text))


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 40_000, '{"a" ' * 40_000, "<think>" * 30_000, "`" * 200_000])
def test_a_hostile_answer_takes_no_time(text: str) -> None:
    started = time.monotonic()
    with pytest.raises(Unreadable):
        decision(Reply(text))
    assert time.monotonic() - started < 5
