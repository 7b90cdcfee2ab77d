"""Dialogs that interrupt: the agent reads and follows their request, and learns from a refused answer."""

import lxml.html
import pytest

from stressweb.perception.dom_view import DomView
from stressweb.plugins.agent import Observation
from stressweb.runner.agents.popups import MOST_STEPS_PER_DIALOG, Popups, notices


def reading(body: str) -> DomView:
    boxes = [(0.0, 0.0, 50.0, 20.0) for _ in lxml.html.document_fromstring(body).iter("*")]
    return DomView(Observation(url="http://shop.test/", html=body, boxes=boxes))


def dialog(text: str, *buttons: str, fields: str = "") -> str:
    pressed = "".join(f"<button>{name}</button>" for name in buttons)
    return f"<main><button>Behind</button></main><dialog open><h2>Hello</h2><p>{text}</p>{fields}{pressed}</dialog>"


def due(popups: Popups, html: str) -> tuple[str, str, str | None]:
    page = reading(html)
    step = popups.next_step(page, page.dialogs()[-1])
    assert step is not None
    assert page.inside(step[1], page.dialogs()[-1])
    return step[0].verb, step[0].target, step[0].value


COOKIES = 'We use cookies. To continue, press "Accept all" or "Only necessary".'
OFFER = 'Leave what you were doing? To go on with it, press "No thanks".'
WARNED = 'To stop here and lose nothing, press "Cancel". To continue, press "Go on".'


@pytest.mark.parametrize(
    ("text", "buttons", "expected"),
    [
        (COOKIES, ("Ask me later", "Only necessary", "Accept all"), "Only necessary"),
        (OFFER, ("Show me", "No thanks"), "No thanks"),
        (WARNED, ("Cancel", "Go on"), "Go on"),
        ("It is late. Press \u201cGo on\u201d.", ("Stop", "Go on"), "Go on"),
        ("Something happened.", ("OK",), "OK"),
        ("To go on, press Yes.", ("No", "Yes"), "Yes"),
        # Words of the dialog that are also labels, without quotes.
        ("Please choose Yes.", ("No", "Yes"), "Yes"),
        ("No stops here. Yes goes on.", ("No", "Yes"), "Yes"),
        ("Any button but Yes lets you go on.", ("Yes", "No"), "No"),
        ("Yes drops what you were doing; the other button goes on.", ("Yes", "No"), "No"),
    ],
)
def test_the_control_that_the_text_names_is_pressed(text: str, buttons: tuple[str, ...], expected: str) -> None:
    assert due(Popups(), dialog(text, *buttons)) == ("press", expected, None)


@pytest.mark.parametrize(
    "text",
    [
        'To go on, type the word "maple" into the field and press "Confirm".',
        "Type the word maple into the field. Confirm takes you on, Cancel drops what you were doing.",
    ],
)
def test_the_word_that_is_asked_for_is_typed_first(text: str) -> None:
    field = "<label for=f>Word</label><input id=f value='{}'>"
    popups = Popups()
    assert due(popups, dialog(text, "Cancel", "Confirm", fields=field.format(""))) == ("enter", "Word", "maple")
    assert due(popups, dialog(text, "Cancel", "Confirm", fields=field.format("maple"))) == ("press", "Confirm", None)


def test_a_field_that_need_not_be_filled_in_is_left_empty() -> None:
    text = 'Enter your address to join, or press "No thanks" to go on without it.'
    field = "<label for=f>E-mail</label><input id=f>"
    assert due(Popups(), dialog(text, "Subscribe", "No thanks", fields=field)) == ("press", "No thanks", None)


def test_one_answer_of_a_survey_is_chosen_first() -> None:
    text = 'How was it? Choose one answer and press "Send" to continue.'
    answers = "<label><input type=radio name=a>Good</label><label><input type=radio name=a {}>Bad</label>"
    assert due(Popups(), dialog(text, "Later", "Send", fields=answers.format(""))) == ("tick", "Good", None)
    assert due(Popups(), dialog(text, "Later", "Send", fields=answers.format("checked")))[:2] == ("press", "Send")


def test_an_option_of_a_list_is_chosen_first() -> None:
    text = 'How was it? Choose one answer and press "Send" to continue.'
    answers = "<select aria-label=Answer><option>Choose<option>Good<option {}>Bad</select>"
    assert due(Popups(), dialog(text, "Send", fields=answers.format(""))) == ("choose", "Answer", "Bad")
    assert due(Popups(), dialog(text, "Send", fields=answers.format("selected")))[0] == "press"


def test_an_answer_that_was_refused_is_not_given_again() -> None:
    popups = Popups()
    page = dialog("Please decide.", "One", "Two")
    assert due(popups, page) == ("press", "One", None)
    assert popups.answer_was_refused(reading("<div role=status>Nothing was done.</div>"))
    assert due(popups, page) == ("press", "Two", None)
    assert not popups.answer_was_refused(reading("<div role=status>Saved.</div>"))
    assert due(popups, page) == ("press", "Two", None)


def test_a_dialog_that_stays_and_says_no_gets_another_answer() -> None:
    popups = Popups()
    assert due(popups, dialog("Please decide.", "One", "Two"))[1] == "One"
    still = dialog("Please decide.", "One", "Two", fields="<p role=status>That did not work.</p>")
    assert due(popups, still)[1] == "Two"


def test_a_page_without_an_answer_before_it_refuses_nothing() -> None:
    assert not Popups().answer_was_refused(reading("<div role=alert>Not enough in stock.</div>"))


def test_a_dialog_that_nothing_helps_against_is_given_up() -> None:
    popups, page = Popups(), reading(dialog("Please decide.", "One"))
    steps = [popups.next_step(page, page.dialogs()[-1]) for _ in range(MOST_STEPS_PER_DIALOG + 1)]
    assert all(steps[:MOST_STEPS_PER_DIALOG])
    assert steps[MOST_STEPS_PER_DIALOG] is None


def test_a_dialog_without_controls_cannot_be_answered() -> None:
    page = reading(dialog("Wait."))
    assert Popups().next_step(page, page.dialogs()[-1]) is None


def test_notices_are_texts_of_status_and_alert() -> None:
    assert notices(reading("<p role=status>Saved.</p><p role=alert> No  way </p><p>Text</p>")) == ["Saved.", "No way"]
