"""The random agent: its actions are always possible, and the same for the same seed."""

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Brief, Dialog, Observation
from stressweb.runner.agents import make
from tests.support.next_action import next_action

URL = "http://shop.test/"
PAGE = """<main><h1>Blue lamps since 2026-08-25</h1><a id=l href=/x>Lamps</a><a id=h href=/y style=display:none>Hidden</a>
<input id=n aria-label=Name><input id=q type=number aria-label=Count><input id=d type=date aria-label=Day>
<input id=e type=email aria-label=Mail><input id=f type=file aria-label=File>
<select id=s aria-label=Size><option>Small<option>Large</select>
<input type=checkbox id=c aria-label=Gift checked><button id=b>Save</button><button id=o disabled>Off</button></main>"""
MODAL = "<dialog open><p>Wait</p><button id=y>Yes</button></dialog>"

WORDS = {"Blue", "lamps", "since", "Lamps", "Name", "Count", "Day", "Mail", "File", "Size", "Gift", "Save", "Off"}


def observation(html: str = PAGE, n: int = 0, url: str = URL, dialog: Dialog | None = None) -> Observation:
    parsed = lxml.html.document_fromstring(html)
    boxes = [None if element.get("id") == "h" else (0.0, 0.0, 50.0, 20.0) for element in parsed.iter("*")]
    history = ((Action(kind="WAIT"), Outcome(ok=True)),) * n
    return Observation(url=url, html=html, boxes=boxes, history=history, dialog=dialog)


def actions(seed: int, html: str = PAGE, goal: str = "Buy a lamp.", url: str = URL) -> list[Action]:
    agent = make("wander")
    agent.start(Brief(goal=goal, start_url=URL, seed=seed))
    return [next_action(agent, observation(html, n, url)) for n in range(20)]


@given(st.integers(0, 10**6))
def test_every_action_can_be_done(seed: int) -> None:
    for action in actions(seed):
        assert action.kind in ("CLICK", "FILL", "SELECT", "UNCHECK", "PRESS", "SCROLL")
        if action.selector is not None:
            assert action.selector in {f'[id="{name}"]' for name in "lnqdescb"}
        if action.kind == "SELECT":
            assert action.option in ("Small", "Large")
        if action.selector == '[id="q"]':
            assert 1 <= int(action.text or "") <= 9
        if action.selector == '[id="d"]':
            assert action.text == "2026-08-25"
        if action.selector == '[id="e"]':
            assert (action.text or "").count("@") == 1
        if action.selector == '[id="n"]':
            assert set((action.text or "").split()) <= WORDS | {"Small", "Large"}


def test_files_are_uploaded_where_there_are_some() -> None:
    def actions_with_files(*files: str) -> list[Action]:
        agent = make("wander")
        agent.start(Brief(goal="Buy a lamp.", start_url=URL, seed=3, files=files))
        return [next_action(agent, observation(PAGE, n)) for n in range(20)]

    uploads = [action for action in actions_with_files("a.txt", "b.txt") if action.kind == "UPLOAD"]
    assert uploads
    assert {action.selector for action in uploads} == {'[id="f"]'}
    assert {name for action in uploads for name in action.files or ()} <= {"a.txt", "b.txt"}
    assert actions_with_files() == actions(3)


def test_the_same_seed_does_the_same_and_another_one_something_else() -> None:
    assert actions(1) == actions(1)
    assert actions(1) != actions(2)
    assert actions(1) != actions(1, goal="Buy a chair.")


def test_every_control_is_used_sooner_or_later() -> None:
    done = [action for seed in range(40) for action in actions(seed, url=URL + "x")]
    assert {action.kind for action in done} == {"CLICK", "FILL", "SELECT", "UNCHECK", "PRESS", "SCROLL", "GO_BACK"}
    assert {action.selector for action in done if action.selector} == {f'[id="{name}"]' for name in "lnqdescb"}


def test_nothing_behind_a_dialog_is_pressed() -> None:
    selectors = {action.selector for seed in range(20) for action in actions(seed, PAGE + MODAL) if action.selector}
    assert selectors == {'[id="y"]'}


def test_a_dialog_of_the_browser_is_answered() -> None:
    agent = make("wander")
    agent.start(Brief(goal="", start_url=URL))
    answers = [next_action(agent, observation(n=n, dialog=Dialog("confirm", "Sure?"))) for n in range(20)]
    assert {action.kind for action in answers} == {"DIALOG"}
    assert {action.accept for action in answers} == {True, False}


@pytest.mark.parametrize(("spec", "last"), [("wander", 20), ("wander(steps=3)", 3)])
def test_it_says_done_after_so_many_actions(spec: str, last: int) -> None:
    agent = make(spec)
    agent.start(Brief(goal="", start_url=URL))
    assert [next_action(agent, observation(n=n)).kind == "DONE" for n in (last - 1, last)] == [False, True]


def test_an_empty_page_leaves_keys_and_scrolling() -> None:
    assert {action.kind for seed in range(10) for action in actions(seed, "<p>Nothing</p>")} == {"PRESS", "SCROLL"}
