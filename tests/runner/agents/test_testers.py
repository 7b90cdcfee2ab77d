"""Testers without a model: the verdict of each on a case is known exactly."""

import json
import math
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from itertools import pairwise

import pytest

from stressweb import sites
from stressweb.analysis.tester_measures import passing_rate, rates
from stressweb.cases.case_task import CaseTask
from stressweb.cases.rendering import case_step
from stressweb.core import draws
from stressweb.core.verdict import Truth, outcome, verdict_in
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Agent, Brief, Dialog, Observation
from stressweb.plugins.steps import Step
from stressweb.plugins.test_case import CaseStep, Check
from stressweb.runner.agents import build, parse
from stressweb.runner.agents.testers import LOOKS
from stressweb.runner.registry import Library
from tests.support.next_action import next_action

START, LAMPS, OSLO = (
    "<html><body><main><h1>Start</h1><a href='/lamps'>Lamps</a></main></body></html>",
    "<html><body><main><h1>Lamps</h1><a href='/oslo'>Oslo lamp</a></main></body></html>",
    "<html><body><main><h1>Oslo lamp</h1><button>Buy</button></main></body></html>",
)
NEXT = {START: LAMPS, LAMPS: OSLO}


def opening(name: str, heading: str) -> CaseStep:
    return case_step((Step(verb="open", target=name),), Check(kind="heading", says=heading))


PASSING = (opening("Lamps", "Lamps"), opening("Oslo lamp", "Oslo lamp"))
WRONG_PAGE = (PASSING[0], opening("Oslo lamp", "Bergen lamp"))
MISSING = (PASSING[0], opening("Bergen lamp", "Oslo lamp"))


def verdict(
    agent: str,
    steps: Sequence[CaseStep],
    pages: Mapping[str, str] = NEXT,
    lost: Container[int] = (),
    start: str = START,
) -> tuple[str, int | None, str | None]:
    """Return an agent's verdict on a case, on a site of three pages; `lost` are the numbers of clicks without effect."""
    tester: Agent = build(parse(agent))
    trajectory = tuple(action for step in steps for action in step.steps)
    tester.start(Brief(goal="", start_url="http://toy.local/", steps=trajectory, case_steps=tuple(steps)))
    html, clicks, history = start, 0, list[tuple[Action, Outcome]]()
    for _ in range(60):
        url = f"http://toy.local/{[start, *pages.values()].index(html)}"
        action = tester.act(Observation(url=url, html=html, history=tuple(history)))
        assert isinstance(action, Action)
        if action.final:
            message = json.loads(action.message or "")
            return message["verdict"], message.get("step"), message.get("cause")
        if action.kind in ("CLICK", "PRESS"):
            clicks += 1
            html = html if clicks in lost else pages.get(html, html)
        history.append((action, Outcome(ok=True)))
    raise AssertionError("no verdict after 60 actions")


@pytest.mark.parametrize("agent", ["oracle", "retry", "literal"])
def test_testers_that_look_are_right_without_disturbances(agent: str) -> None:
    assert verdict(agent, PASSING) == ("pass", None, None)
    assert verdict(agent, WRONG_PAGE) == ("fail", 2, "assertion")
    assert verdict(agent, MISSING) == ("fail", 2, "action")
    assert verdict(agent, (opening("Lamps", "No lamps"), PASSING[1])) == ("fail", 1, "assertion")


def test_a_tester_that_does_not_check_finds_only_impossible_actions() -> None:
    assert verdict("gullible", WRONG_PAGE) == ("pass", None, None)
    assert verdict("gullible", MISSING) == ("fail", 2, "action")


def test_testers_that_do_not_look_give_the_same_verdict_on_every_case() -> None:
    for steps in (PASSING, WRONG_PAGE, MISSING):
        assert verdict("always-pass", steps) == ("pass", None, None)
        assert verdict("always-fail", steps) == ("fail", 1, "assertion")


def measures_on_shipped_cases(agent: str) -> tuple[dict[str, Fraction | None], Counter[int | None]]:
    """Return the measures of a tester that looks at no page, and the number of cases by failing step."""
    library = Library()
    cases = [case for site in sites.names() for case in library.cases(site).values() if isinstance(case, CaseTask)]
    steps = [case.fault.step if case.fault else None for case in cases]
    action = build(parse(agent)).act(Observation(url="", html=""))
    assert isinstance(action, Action)
    answer = verdict_in(action.message or "")
    assert answer
    truths = [Truth(verdict="fail", step=step, cause="assertion") if step else Truth(verdict="pass") for step in steps]
    return rates(Counter(filter(None, (outcome(truth, answer) for truth in truths)))), Counter(steps)


def test_always_fail_catches_everything_and_almost_nothing_at_the_right_step() -> None:
    measured, by_step = measures_on_shipped_cases("always-fail")
    failing = by_step.total() - by_step[None]
    assert measured["Acc"] == Fraction(failing, by_step.total())
    assert (measured["Sens"], measured["Spec"]) == (Fraction(1), Fraction(0))
    at_right_step = Fraction(by_step[1], failing)
    assert (measured["TruSens"], measured["HER"]) == (at_right_step, Fraction(0))
    assert measured["AER"] == measured["SMER"] == 1 - at_right_step
    assert measured["TruAcc"] == Fraction(by_step[1], by_step.total())
    assert 0 < at_right_step < Fraction(1, 5)


def test_always_pass_is_right_on_the_passing_cases_only() -> None:
    measured, by_step = measures_on_shipped_cases("always-pass")
    assert (measured["Spec"], measured["BalAcc"]) == (Fraction(1), Fraction(1, 2))
    assert measured["Sens"] == measured["TruSens"] == 0
    assert measured["Acc"] == measured["TruAcc"] == Fraction(by_step[None], by_step.total())
    assert measured["SMER"] is None, "it raises no alarm"


@pytest.mark.parametrize("agent", ["oracle", "retry", "literal", "gullible"])
def test_without_pages_a_tester_fails_at_the_first_step(agent: str) -> None:
    blank = "<html><body></body></html>"
    assert verdict(agent, PASSING, start=blank) == ("fail", 1, "action")


def test_a_brief_has_no_place_for_the_truth() -> None:
    assert {field.name for field in fields(Brief)} == {"goal", "start_url", "steps", "case_steps", "files", "seed"}
    assert {*CaseStep.model_fields} == {"action", "expected", "steps", "check"}


@pytest.mark.parametrize(
    ("agent", "tries"), [("literal", 1), ("retry(tries=2)", 2), ("retry", 3), ("retry(tries=5)", 5)]
)
def test_an_action_is_tried_so_often_and_no_oftener(agent: str, tries: int) -> None:
    assert verdict(agent, PASSING, lost=range(1, tries)) == ("pass", None, None)
    assert verdict(agent, PASSING, lost=range(1, tries + 1)) == ("fail", 1, "action")


LOSS = 0.35
"""Share of clicks that are lost."""
CHAIN = tuple(
    f"<html><body><main><h1>Page {number}</h1><a href='/{number + 1}'>Page {number + 1}</a></main></body></html>"
    for number in range(7)
)


@pytest.mark.parametrize(("agent", "tries"), [("literal", 1), ("retry(tries=2)", 2), ("retry", 3)])
def test_a_case_of_six_clicks_passes_as_often_as_the_formula_says(agent: str, tries: int) -> None:
    steps = [opening(f"Page {number}", f"Page {number}") for number in range(1, 7)]
    pages, verdicts = dict(pairwise(CHAIN)), list[tuple[str, int | None, str | None]]()
    for case in range(200):
        lost = {click for click in range(1, 6 * tries + 1) if draws.unit("lost", case, tries, click) < LOSS}
        verdicts.append(verdict(agent, steps, pages, lost, start=CHAIN[0]))
    chance = passing_rate(LOSS, tries, len(steps))
    passes = verdicts.count(("pass", None, None))
    # Outside of these bounds once in a thousand times.
    assert abs(passes - 200 * chance) <= 3.3 * math.sqrt(200 * chance * (1 - chance)), (passes, 200 * chance)
    assert {cause for result, _, cause in verdicts if result == "fail"} == {"action"}


POPUP = START.replace("</main>", "</main><div role='dialog' aria-label='News'>News<button>Close</button></div>")


@pytest.mark.parametrize(("agent", "answers"), [("literal", False), ("retry", True), ("oracle", True)])
@pytest.mark.parametrize("page", [
    Observation(url="http://toy.local/", html=POPUP),
    Observation(url="http://toy.local/", html=START, dialog=Dialog(type="confirm", message="Stay?")),
])  # fmt: skip
def test_only_the_literal_tester_leaves_popups_alone(page: Observation, agent: str, answers: bool) -> None:
    tester = build(parse(agent))
    tester.start(Brief(goal="", start_url=page.url, steps=PASSING[0].steps, case_steps=PASSING[:1]))
    action = tester.act(page)
    assert isinstance(action, Action)
    expected = ("DIALOG" if page.dialog else "CLICK", "button") if answers else ("CLICK", "a")
    target = (action.selector or "button:").rpartition("> ")[2].partition(":")[0]
    assert (action.kind, target) == expected


def test_the_oracle_goes_on_where_a_click_is_lost() -> None:
    assert verdict("oracle", PASSING, lost=range(1, 12)) == ("pass", None, None)


def test_a_dead_control_is_a_failure_of_its_step() -> None:
    assert verdict("oracle", PASSING, pages={START: LAMPS}) == ("fail", 2, "action")


def test_a_result_that_comes_late_is_waited_for() -> None:
    tester = build(parse("literal"))
    steps = (opening("Lamps", "Oslo lamp"),)
    tester.start(Brief(goal="", start_url="http://toy.local/", steps=steps[0].steps, case_steps=steps))
    pages = [START, *[LAMPS] * (LOOKS - 1), OSLO]
    actions = []
    for number, html in enumerate(pages):
        action = next_action(tester, Observation(url=f"http://toy.local/{number}", html=html))
        actions.append(action.kind)
    assert actions == ["CLICK", *["WAIT"] * (LOOKS - 1), "DONE"]
    assert json.loads(action.message or "") == {"verdict": "pass"}
