"""The planner, end to end: a scripted model runs cases in the browser, and planted answers lead to their cell."""

import base64
import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser

from stressweb.core.verdict import Outcome, verdict_in
from stressweb.log.recording import EpisodeRecord
from stressweb.plugins.scripted_model import Body, ScriptedModel, act
from stressweb.runner.world.world import World
from tests.runner.agents.scripted_tester import Planted, Question, scripted
from tests.support.playing import Player

FASTEST, ADDRESS = "cases/food/third-fastest", "cases/food/new-address"

bodies: list[Body] = []
"""Requests of the last episode."""

type RunCase = Callable[..., EpisodeRecord]


@pytest.fixture(scope="module")
def player(browser: Browser, world: World) -> Player:
    return Player(browser, world)


@pytest.fixture
def run_case(player: Player, monkeypatch: pytest.MonkeyPatch) -> RunCase:
    """Run a case with a model that gives planted answers."""

    def _run_case(
        case: str, planted: Planted = lambda question: None, *, options: str = "-screenshots", condition: str = "clean"
    ) -> EpisodeRecord:
        with ScriptedModel(scripted(planted)) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            record = player(f"planner(model=scripted,{options})", case, condition)
            bodies[:] = server.bodies
            return record

    return _run_case


def answer_at(role: str, step: int, answer: str) -> Planted:
    """Plant an answer of a role at a step."""
    return lambda question: answer if (question.role, question.step) == (role, step) else None


def credulous(question: Question) -> str | None:
    return act("DONE", message="It will be so.") if question.role == "assertor" else None


def credulous_at_first(question: Question) -> str | None:
    if question.role != "assertor":
        return None
    return act("DONE", message="It will be so.") if question.step == 1 else act("FAIL", message="It is not so.")


UNABLE = act("FAIL", message="I cannot.")
CELLS: list[tuple[str, Planted, Outcome, int | None, str | None]] = [
    (FASTEST, lambda question: None, Outcome.TN, None, None),
    (FASTEST, answer_at("assertor", 2, act("FAIL", message="The box is empty.")), Outcome.FP, 2, "assertion"),
    (f"{FASTEST}#F3", credulous, Outcome.FN, None, None),
    (f"{FASTEST}#F1", answer_at("actor", 1, UNABLE), Outcome.AFB, 1, "action"),
    (f"{FASTEST}#F1", lambda question: None, Outcome.AFC, 2, "action"),
    (f"{ADDRESS}#F1", credulous_at_first, Outcome.AFA, 2, "assertion"),
    (FASTEST, answer_at("actor", 2, "I cannot help with that."), Outcome.PASSING_WITHOUT_VERDICT, 2, None),
    (f"{FASTEST}#F1", answer_at("assertor", 1, "I cannot help with that."), Outcome.FAILING_WITHOUT_VERDICT, 2, None),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("case", "planted", "cell", "step", "cause"), CELLS, ids=[cell.value for _, _, cell, _, _ in CELLS]
)
def test_answers_lead_to_their_cell(
    run_case: RunCase, case: str, planted: Planted, cell: Outcome, step: int | None, cause: str | None
) -> None:
    record = run_case(case, planted)
    assert record.grade is not None
    judgement = record.grade.judgement
    assert judgement is not None
    assert (judgement.outcome, judgement.step, judgement.cause) == (cell, step, cause)


def test_every_cell_has_a_run() -> None:
    assert {cell for _, _, cell, _, _ in CELLS} == set(Outcome)


def test_a_case_is_done_step_by_step_and_each_decision_costs(run_case: RunCase) -> None:
    record = run_case(FASTEST)
    assert [action.kind for action in record.actions] == ["CLICK", "SELECT", "CHECK", "CHECK", "CLICK", "CLICK", "DONE"]
    verdict = verdict_in(record.message)
    assert verdict is not None
    assert verdict.steps == ("pass",) * 4
    assert record.grade is not None
    assert record.grade.judgement is not None
    assert record.grade.judgement.grounded
    # For each step the actor and the assertor answer once more, and each answer costs tokens.
    assert record.usage.tries == 6 + 2 * 4
    assert record.usage.tokens_in == 100 * record.usage.tries


def letter_by_letter(question: Question) -> str | None:
    """Plant a click into each field and typing, in place of FILL."""
    fields = re.findall(r'enter "([^"]*)" into "([^"]*)"', question.action, re.IGNORECASE)
    if question.role != "actor" or question.done >= 2 * len(fields):
        return None
    text, name = fields[question.done // 2]
    return act("TYPE", text=text) if question.done % 2 else act("CLICK", selector=f'role=textbox[name="{name}"]')


@pytest.mark.sample(1)
def test_a_field_may_be_filled_letter_by_letter(run_case: RunCase) -> None:
    record = run_case("cases/mail/write-with-a-copy", letter_by_letter)
    kinds = [action.kind for action in record.actions]
    assert kinds == ["CLICK", *["CLICK", "TYPE"] * 4, "CLICK", "DONE"]
    assert record.grade is not None
    judgement = record.grade.judgement
    assert judgement is not None
    assert (judgement.outcome, judgement.grounded, judgement.ahead) == (Outcome.TN, True, ())


def test_marks_are_on_the_copy_for_the_model_and_nowhere_else(run_case: RunCase) -> None:
    """With and without marks, a cell has the same documents, ledger, screenshots and actions."""
    short = {"case": "cases/food/third-fastest#F2", "condition": "failure@3"}
    planted = answer_at("actor", 2, UNABLE)
    plain = run_case(planted=planted, options="-marks", **short)
    assert "mark=" not in json.dumps(bodies)
    marked = run_case(planted=planted, options="marks=on", **short)
    messages = [body["messages"] for body in bodies]
    assert [step.page.recorded for step in marked.steps] == [step.page.recorded for step in plain.steps]
    assert [step.page.screenshot for step in marked.steps] == [step.page.screenshot for step in plain.steps]
    assert (marked.ledger, marked.actions) == (plain.ledger, plain.actions)
    assert len(marked.actions) > 1
    screenshot = marked.steps[0].page.screenshot
    assert screenshot
    first = messages[0][1]["content"]
    assert re.search(r'^\d+: link "Restaurants"$', first[0]["text"], re.MULTILINE)
    sent = base64.b64decode(first[2]["image_url"]["url"].partition(",")[2])
    assert sent != screenshot
    assert "mark=7 is a selector" in messages[0][0]["content"]


def test_a_number_in_an_answer_becomes_a_selector(run_case: RunCase) -> None:
    def by_number(question: Question) -> str | None:
        if question.step > 1 or question.role != "actor":
            return UNABLE
        match = re.search(r'^(\d+): link "Restaurants"$', question.text, re.MULTILINE)
        return act("DONE") if question.done or not match else act("CLICK", selector=f"mark={match[1]}")

    record = run_case(f"{FASTEST}#F2", by_number, options="marks=on")
    first = record.actions[0]
    assert first.kind == "CLICK"
    assert "mark" not in (first.selector or "")
    assert record.steps[1].page.url.endswith("/restaurants")
