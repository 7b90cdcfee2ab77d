"""Actions ahead of the script: exactly the planted ones are found."""

from collections.abc import Sequence

import pytest

from stressweb.analysis.conformity import actions_ahead
from stressweb.cases.grading import sight_of
from stressweb.cases.rendering import case_step
from stressweb.log.recording import Shown, StepRecord
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.query import State
from stressweb.plugins.steps import Step, Verb
from stressweb.plugins.test_case import CaseStep, Check

URL = "http://toy.local/"
# All controls are on every page, so only the script determines the order.
CONTROLS = """<a id="lamps" href="/lamps" sw1-key="toy / link Lamps /lamps #1">La<b>mps</b></a>
<label for="n" id="label">Quantity</label><input id="n" type="text" value="1" sw1-key="toy / textbox Quantity  #1">
<button id="go" sw1-key="toy / button Go  #1">Go</button><button id="add" sw1-key="toy / button Add  #1">Add</button>
<div sw1-kind="added"><button id="ours" sw1-key="toy / button Add  #2">Add</button></div><p id="text">Text</p>"""


def step(verb: Verb, target: str, heading: str | None, value: str | None = None) -> CaseStep:
    check = Check(kind="heading", says=heading) if heading else None
    return case_step((Step(verb=verb, target=target, value=value),), check)


STEPS = (
    step("open", "Lamps", "One"),
    step("enter", "Quantity", "Two", "2"),
    step("press", "Go", None),
    step("press", "Add", "Four"),
)


def page(heading: str) -> Shown:
    text = f"<!--sw1-notes--><html><body><main><h1>{heading}</h1>{CONTROLS}</main></body></html>"
    return Shown.of(URL, text)


def steps_ahead(
    *moves: tuple[str | Action, str], steps: Sequence[CaseStep] = STEPS, ok: bool = True
) -> tuple[int, ...] | None:
    """Return the actions ahead of an episode; a move is a click on a selector, and the heading after it."""
    records = [StepRecord(page("Start"))]
    for move, heading in moves:
        action = move if isinstance(move, Action) else Action(kind="CLICK", selector=move)
        records.append(StepRecord(page(heading), action, Outcome(ok=ok)))
    states = [State(record.page.url, record.page.recorded) for record in records]
    return actions_ahead(steps, records, [*map(sight_of, states)])


LAMPS, FIELD, GO, ADD = "#lamps", "#n", "#go", "#add"


def test_an_agent_that_keeps_to_the_script_is_never_ahead() -> None:
    assert steps_ahead((LAMPS, "One"), (FIELD, "One"), (FIELD, "Two"), (GO, "Two"), (ADD, "Four")) == ()
    # Repeated actions, and actions of no step, are not ahead either.
    assert steps_ahead((LAMPS, "Start"), ("#text", "Start"), (LAMPS, "One"), (LAMPS, "One"), (FIELD, "Two")) == ()


@pytest.mark.parametrize(
    ("moves", "numbers"),
    [
        ([(FIELD, "Start"), (LAMPS, "One"), (FIELD, "Two")], (1,)),
        ([(LAMPS, "One"), (ADD, "One"), (FIELD, "Two")], (2,)),
        ([(LAMPS, "One"), (GO, "One"), (ADD, "One"), (FIELD, "Two"), (GO, "Two"), (ADD, "Four")], (2, 3)),
        ([(ADD, "Start"), (ADD, "Start"), (LAMPS, "One")], (1, 2)),
        # Once shown, the expected result may disappear.
        ([(LAMPS, "One"), (FIELD, "Start"), (FIELD, "Two")], ()),
        # An agent that goes on without the expected result is ahead from there on.
        ([(LAMPS, "Other"), (FIELD, "Other"), (GO, "Other")], (2, 3)),
    ],
)
def test_each_action_for_a_later_step_is_found(moves: list[tuple[str, str]], numbers: tuple[int, ...]) -> None:
    assert steps_ahead(*moves) == numbers


def test_in_a_step_that_expects_nothing_no_action_is_ahead() -> None:
    done = [(LAMPS, "One"), (FIELD, "Two")]
    assert steps_ahead(*done, (ADD, "Two"), (GO, "Two"), (ADD, "Four")) == ()


@pytest.mark.parametrize("selector", ["#lamps b", "#label", 'text="Add"', 'role=button[name="Go"]', "#go"])
def test_a_target_is_found_by_a_descendant_its_label_or_its_text(selector: str) -> None:
    steps = (step("press", "Elsewhere", "One"), *STEPS)
    assert steps_ahead((selector, "Start"), steps=steps) == (1,)


@pytest.mark.parametrize(
    "action",
    [
        Action(kind="HOVER", selector=ADD),
        Action(kind="SCROLL", selector=ADD),
        Action(kind="WAIT"),
        Action(kind="NAVIGATE", url="/add"),
        Action(kind="CLICK", selector="#ours"),
        Action(kind="CLICK", selector="#gone"),
        Action(kind="CLICK", x=5, y=5),
        Action(kind="TYPE", text="2"),
    ],
)
def test_passive_actions_and_unknown_or_added_targets_are_not_counted(action: Action) -> None:
    assert steps_ahead((action, "Start"), (LAMPS, "One")) == ()


def test_an_action_that_failed_is_not_counted() -> None:
    assert steps_ahead((ADD, "Start"), ok=False) == ()
    assert steps_ahead((ADD, "Start")) == (1,)


def test_a_target_that_an_earlier_step_has_too_is_not_ahead() -> None:
    steps = (step("press", "Go", "One"), step("press", "Add", "Two"), step("press", "Go", "Three"))
    assert steps_ahead((GO, "Start"), (GO, "One"), steps=steps) == ()


def test_by_coordinates_it_is_found_where_elements_were_measured() -> None:
    shown_page = page("Start")
    boxes = tuple(
        (0.0, 0.0, 9.0, 9.0) if 'id="add"' in tag else None for tag in shown_page.html.split("<")[1:] if tag[0] != "/"
    )
    measured = Shown(URL, shown_page.html, boxes=boxes, copy=shown_page.copy)
    records = [
        StepRecord(measured),
        StepRecord(measured, Action(kind="CLICK", x=5, y=5), Outcome(ok=True)),
        StepRecord(measured, Action(kind="CLICK", x=50, y=5), Outcome(ok=True)),
    ]
    sights = [sight_of(State(URL, shown_page.recorded))] * 3
    assert actions_ahead(STEPS, records, sights) == (1,)


def test_a_case_in_plain_words_has_no_figure() -> None:
    words = (CaseStep(action="Open the lamps", expected="They are listed"), CaseStep(action="Press it"))
    assert steps_ahead((ADD, "Start"), steps=words) is None
