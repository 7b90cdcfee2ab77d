"""The loop of the resilient agent on pages that exist only as text: the effect of each action is scripted."""

from collections.abc import Callable, Sequence

import lxml.html
import pytest

from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Agent, Brief, Dialog, Observation
from stressweb.plugins.steps import Step
from stressweb.runner.agents import make
from tests.support.next_action import next_action

DONE = Outcome(ok=True)
SAVE = Step(verb="press", target="Save")
NAME = Step(verb="enter", target="Name", value="Ann")

type World = Callable[[list[Action]], str]
"""Maps the actions so far to the page after them."""


def play(agent: Agent, steps: Sequence[Step], world: World, most: int = 100) -> list[Action]:
    agent.start(Brief(goal="", start_url="http://shop.test/", steps=tuple(steps)))
    actions: list[Action] = []
    while len(actions) < most and not (actions and actions[-1].final):
        html = world(actions)
        boxes = [(10.0, 50.0, 50.0, 20.0) for _ in lxml.html.document_fromstring(html).iter("*")]
        history = tuple((action, DONE) for action in actions)
        actions.append(next_action(agent, Observation("http://shop.test/", html, boxes, history=history)))
    return actions


def brief(action: Action) -> str:
    return action.kind + (f"*{action.click_count}" if action.click_count > 1 else "")


def kinds(actions: Sequence[Action]) -> list[str]:
    return [brief(action) for action in actions]


def form(name: str = "", marked: bool = False) -> str:
    return f"<input aria-label=Name value='{name}'><button class='{'k' if marked else ''}'>Save</button>"


def remapped(actions: list[Action]) -> str:
    """Show Saved after a double click; a click only marks the button."""
    clicks = [action.click_count for action in actions if action.kind == "CLICK"]
    return "<p>Saved</p>" if 2 in clicks else form(marked=bool(clicks))


def unmarked(actions: list[Action]) -> str:
    """Show Saved after a double click, or two presses in a row; a click leaves no mark in the document."""
    done = [brief(action) for action in actions]
    return "<p>Saved</p>" if "CLICK*2" in done or done[-2:] == ["PRESS", "PRESS"] else form()


def losing(lost: int) -> World:
    """Lose the first actions without a trace."""
    return lambda actions: "<p>Saved</p>" if len(actions) > lost else form()


def redressed(actions: list[Action]) -> str:
    """Show the same page with new classes everywhere after each press, and Saved after the third."""
    rows = "".join(f"<p class='{len(actions)}x{row}'>Row</p>" for row in range(9))
    return "<p>Saved</p>" if len(actions) == 3 else f"{rows}<button class=c{len(actions)}>Save</button>"


DIALOG = "<dialog open><p>To go on, press {}.</p><button>No</button><button>Yes</button></dialog>"
CUE = "<div role=status>Nothing was done.</div>"


def interrupted(actions: list[Action]) -> str:
    """Ask after the first press; show Saved after the right answer, which is not the one that the text names."""
    pressed = [action.selector or "" for action in actions]
    if not pressed:
        return form()
    if pressed[-1].startswith("html > body:nth-of-type(1) > button"):
        return form() + DIALOG.format('"No"')
    return "<p>Saved</p>" if pressed[-1].endswith("button:nth-of-type(2)") else form() + CUE


def greeted(actions: list[Action]) -> str:
    """Show a dialog from the start, until the answer is right."""
    if not actions:
        return form() + DIALOG.format('"Yes"')
    return form() if len(actions) == 1 else "<p>Saved</p>"


@pytest.mark.parametrize(
    ("spec", "world", "expected"),
    [
        ("resilient", interrupted, ["CLICK"] * 4 + ["DONE"]),
        ("resilient", greeted, ["CLICK", "CLICK", "DONE"]),
        ("resilient", losing(0), ["CLICK", "DONE"]),
        ("resilient", remapped, ["CLICK", "CLICK*2", "DONE"]),
        ("resilient", unmarked, ["CLICK", "PRESS", "PRESS", "DONE"]),
        ("resilient", losing(2), ["CLICK", "PRESS", "PRESS", "DONE"]),
        ("resilient", losing(4), ["CLICK", "PRESS", "PRESS", "PRESS", "CLICK", "DONE"]),
        ("resilient", redressed, ["CLICK", "PRESS", "PRESS", "DONE"]),
        ("resilient(-retry)", losing(0), ["CLICK", "DONE"]),
        ("resilient(-retry)", losing(1), ["CLICK", "FAIL"]),
        ("resilient(-retry)", remapped, ["CLICK", "CLICK*2", "DONE"]),
        ("resilient(-gesture)", losing(4), ["CLICK"] * 5 + ["DONE"]),
        ("resilient(-gesture)", remapped, ["CLICK"] * 20 + ["FAIL"]),
        ("resilient(-gesture)", unmarked, ["CLICK"] * 20 + ["FAIL"]),
        ("resilient(-verify)", losing(1), ["CLICK", "DONE"]),
        ("resilient(-verify)", remapped, ["CLICK", "DONE"]),
        ("resilient(pointer=coordinates)", remapped, ["CLICK", "CLICK*2", "DONE"]),
        ("resilient(pointer=coordinates)", unmarked, ["CLICK", "PRESS", "PRESS", "DONE"]),
        ("resilient(pointer=coordinates)", losing(4), ["CLICK", "PRESS", "PRESS", "PRESS", "CLICK", "DONE"]),
    ],
)
def test_actions_until_a_press_succeeds(spec: str, world: World, expected: list[str]) -> None:
    assert kinds(play(make(spec), [SAVE], world)) == expected


def test_a_dialog_of_the_browser_is_accepted_unless_dialogs_are_left_alone() -> None:
    prompt = Observation("http://shop.test/", form(), dialog=Dialog("prompt", "Name?", "Ann"))
    alert = Observation("http://shop.test/", form(), dialog=Dialog("alert", "Hello"))
    agent = make("resilient")
    agent.start(Brief(goal="", start_url="http://shop.test/", steps=(SAVE,)))
    assert agent.act(prompt) == Action(kind="DIALOG", accept=True, text="Ann")
    assert agent.act(alert) == Action(kind="DIALOG", accept=True)
    without = make("resilient(-popups)")
    without.start(Brief(goal="", start_url="http://shop.test/", steps=(SAVE,)))
    assert next_action(without, alert).kind == "CLICK"


def test_a_dialog_that_nothing_helps_against_ends_in_an_honest_failure() -> None:
    actions = play(make("resilient"), [SAVE], lambda done: form() + DIALOG.format('"Yes"') + CUE)
    assert actions[-1].kind == "FAIL"
    assert "To go on, press" in (actions[-1].message or "")


def test_a_dialog_with_a_field_of_the_trajectory_is_no_interruption() -> None:
    # The page ignores the first attempt to send the form, and shows a dialog in between.
    def world(actions: list[Action]) -> str:
        done = kinds(actions)
        filled, presses = done.count("FILL"), done.count("CLICK") + done.count("PRESS")
        sheet = f"<dialog open>{form('Ann' * bool(filled))}<button>Close</button></dialog>"
        if not presses:
            return "<button>Open</button>"
        dialog = DIALOG.format('"Yes"') if presses == 1 and filled else ""
        return "<p>Saved</p>" if presses == 4 else sheet + dialog

    actions = play(make("resilient"), [Step(verb="press", target="Open"), NAME, SAVE], world)
    opened, filled, answered, *sent = actions
    assert kinds([opened, filled, answered]) == ["CLICK", "FILL", "CLICK"]
    assert "dialog:nth-of-type(2)" in (answered.selector or "")
    assert kinds(sent)[-1] == "DONE"
    assert len(sent) == 3
    assert all("button:nth-of-type(1)" in (action.selector or "") for action in sent[:-1])


def test_a_control_that_never_answers_ends_in_an_honest_failure() -> None:
    actions = play(make("resilient"), [SAVE], losing(1000))
    assert actions[-1].kind == "FAIL"
    assert "Save" in (actions[-1].message or "")
    assert len(actions) < 30


def test_an_entry_is_repeated_until_the_field_holds_it() -> None:
    actions = play(make("resilient"), [NAME], lambda done: form("Ann" if len(done) > 2 else ""))
    assert kinds(actions) == ["FILL", "FILL", "FILL", "DONE"]


def test_a_field_that_holds_the_value_already_is_left_alone() -> None:
    assert kinds(play(make("resilient"), [NAME], lambda done: form("Ann"))) == ["DONE"]


def test_entries_are_checked_again_before_a_press_and_restored() -> None:
    size = Step(verb="choose", target="Size", value="L")

    def world(actions: list[Action]) -> str:
        # Choosing a size empties the name, as pages that draw a form anew do.
        done = kinds(actions)
        if "CLICK" in done:
            return "<p>Saved</p>"
        name = "Ann" if done[-1:] == ["FILL"] else ""
        chosen = "selected" if "SELECT" in done else ""
        return form(name) + f"<select aria-label=Size><option>S<option {chosen}>L</select>"

    assert kinds(play(make("resilient"), [NAME, size, SAVE], world)) == ["FILL", "SELECT", "FILL", "CLICK", "DONE"]
    unverified = play(make("resilient(-verify)"), [NAME, size, SAVE], world)
    assert kinds(unverified) == ["FILL", "SELECT", "CLICK", "DONE"]


def test_values_changed_by_a_press_are_not_put_back() -> None:
    def world(actions: list[Action]) -> str:
        presses = kinds(actions).count("CLICK")
        if not presses:
            return form("Ann" if actions else "")
        return form("") + f"<p>Saved {presses} times</p>"

    assert kinds(play(make("resilient"), [NAME, SAVE, SAVE], world)) == ["FILL", "CLICK", "CLICK", "DONE"]


def test_a_missing_target_is_searched_for() -> None:
    def world(actions: list[Action]) -> str:
        if kinds(actions)[-1:] == ["CLICK"]:
            return "<h1>Lamps</h1>"
        link = "<a href=/lamps>Lamps</a>" if "PRESS" in kinds(actions) else ""
        typed = next((action.text for action in actions if action.kind == "FILL"), "")
        return f"<input type=search aria-label=Search value='{typed}'>{link}"

    actions = play(make("resilient"), [Step(verb="open", target="Lamps")], world)
    assert kinds(actions) == ["SCROLL", "WAIT", "RELOAD", "FILL", "PRESS", "CLICK", "DONE"]
    assert actions[3].text == "Lamps"


def test_without_search_a_missing_target_is_the_end() -> None:
    actions = play(make("resilient(-search)"), [Step(verb="open", target="Lamps")], lambda done: "<p>Nothing</p>")
    assert kinds(actions) == ["FAIL"]


def test_searching_ends() -> None:
    actions = play(make("resilient"), [Step(verb="open", target="Lamps")], lambda done: "<p>Nothing</p>")
    assert kinds(actions) == ["SCROLL", "WAIT", "RELOAD", "GO_BACK", "FAIL"]


def test_a_link_to_the_page_on_which_it_stands_is_followed_once() -> None:
    actions = play(make("resilient"), [Step(verb="open", target="Home")], lambda done: "<a href=/>Home</a>")
    assert kinds(actions) == ["CLICK", "DONE"]


def test_selectors_are_made_afresh_when_ids_change() -> None:
    def world(actions: list[Action]) -> str:
        return "<p>Saved</p>" if len(actions) == 2 else f"<button id=r{len(actions)}>Save</button>"

    actions = play(make("resilient"), [SAVE], world)
    assert [action.selector for action in actions[:2]] == ['[id="r0"]', '[id="r1"]']
