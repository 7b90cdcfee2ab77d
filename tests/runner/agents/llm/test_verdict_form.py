"""Verdicts on a test case outside the message of DONE: accepted if clear, else refused with an example."""

import json

import pytest

from stressweb.core.verdict import Verdict, verdict_in
from stressweb.runner.agents.llm.answer import Unreadable, decision, read
from stressweb.runner.agents.llm.verdict_form import EXAMPLE
from stressweb.runner.agents.llm.wrapping import Reply

FAILS = {"verdict": "fail", "step": 3, "cause": "assertion"}
VERDICT = Verdict(verdict="fail", step=3, cause="assertion")
CLICK = '{"action_type": "CLICK", "parameters": {"selector": "a"}}'


def done_answer(**parameters: object) -> str:
    return json.dumps({"action_type": "DONE", "parameters": parameters, "reasoning": "it"})


CLEAR = [
    (json.dumps(FAILS), "verdict alone"),
    (json.dumps(FAILS | {"reasoning": "it"}), "verdict alone"),
    (f"```json\n{json.dumps(FAILS)}\n```", "verdict alone"),
    (f"<think>Or {CLICK}?</think>\n{json.dumps(FAILS)}", "verdict alone"),
    (done_answer(message=FAILS), "verdict as an object"),
    (done_answer(**FAILS), "verdict as an object"),
    (done_answer(message="It fails.", **FAILS), "verdict as an object"),
    (json.dumps({"action_type": "DONE", "thought": "hm"} | FAILS), "verdict as an object"),
    (json.dumps({"action_type": "FAIL", "message": FAILS}), "verdict as an object"),
]


@pytest.mark.parametrize(("text", "way"), CLEAR)
def test_a_verdict_in_another_form_is_taken_and_counted(text: str, way: str) -> None:
    action, ways = decision(Reply(text), judges=True)
    assert (action.final, verdict_in(action.message or ""), ways) == (True, VERDICT, (way,))


@pytest.mark.parametrize("text", [text for text, _ in CLEAR[:6]])
@pytest.mark.parametrize(("judges", "strict"), [(False, False), (True, True)])
def test_other_forms_are_refused_on_tasks_and_in_strict_mode(text: str, judges: bool, strict: bool) -> None:
    with pytest.raises(Unreadable) as caught:
        decision(Reply(text), judges=judges, strict=strict)
    assert ("given like this" in str(caught.value)) is judges


@pytest.mark.parametrize(
    "text",
    [
        f"I will end with {json.dumps(FAILS)}.",
        f"{json.dumps(FAILS)} {json.dumps({'verdict': 'pass'})}",
        json.dumps({"verdict": "maybe"}),
        json.dumps({"verdict": "fail"}),
        json.dumps(FAILS | {"confidence": 0.9}),
        done_answer(message={"verdict": "perhaps"}),
    ],
)
def test_an_unclear_verdict_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        decision(Reply(text), judges=True)
    assert str(caught.value).endswith(EXAMPLE)


def test_an_action_goes_before_a_verdict_that_is_only_quoted() -> None:
    action, _ = decision(Reply(f"I may say {json.dumps(FAILS)}, but first {CLICK}"), judges=True)
    assert action.kind == "CLICK"


def test_the_example_is_an_answer() -> None:
    assert verdict_in(read(EXAMPLE).message or "") == VERDICT
