"""Reading from a dialog's text what it asks for: texts of the catalogue and others."""

from itertools import product

import pytest

from stressweb.core.page_draws import Pair, draw, key_words
from stressweb.perturbations.popup.dialogs import RIGHT, Dialog, catalogue, dialog
from stressweb.runner.agents.dialog_text import ButtonAdvice, button_advice, to_type
from stressweb.runner.agents.popups import is_warning

ON, NAMED, OUT, WARNED = ButtonAdvice.GOES_ON, ButtonAdvice.NAMED, ButtonAdvice.NOT_NAMED, ButtonAdvice.WARNED_OF


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ('To go on, press "Yes".', ["Yes", "No"], [ON, OUT]),
        ("To go on, press Yes.", ["Yes", "No"], [ON, OUT]),
        ("No drops what you were doing. Yes goes on.", ["Yes", "No"], [ON, WARNED]),
        ("No drops what you were doing; the other button goes on.", ["Yes", "No"], [ON, WARNED]),
        ("Any button but Yes lets you go on.", ["Yes", "No"], [WARNED, OUT]),
        ("Any button but Yes drops your step.", ["Yes", "No"], [ON, OUT]),
        ("Do not press Yes to go on.", ["Yes", "No"], [WARNED, OUT]),
        ("If you press Yes, nothing is done. If you press No, you go on.", ["Yes", "No"], [WARNED, ON]),
        ("If you do not want it, No lets you go on.", ["Yes", "No"], [OUT, ON]),
        ('Enter your address to join, or press "Skip" to go on without it.', ["Join", "Skip"], [OUT, ON]),
        ("Press A and you continue, press B and your step is undone.", ["A", "B"], [ON, WARNED]),
        ("Neither A nor B lets you go on. Take the other button.", ["A", "B", "C"], [WARNED, WARNED, NAMED]),
        ("Press A or B to continue, not C.", ["A", "B", "C"], [ON, ON, WARNED]),
        ("Your way on is A; the others give up what you began.", ["A", "B", "C"], [ON, WARNED, WARNED]),
        ("Yes does not let you go on. Take the other button.", ["Yes", "No"], [WARNED, NAMED]),
        # If the text quotes a button, words without quotes are not buttons.
        ('Close this window by "OK" to go on.', ["Close", "OK"], [OUT, ON]),
        ("Nothing is said here.", ["Close", "OK"], [OUT, OUT]),
        ("Without names.", ["", ""], [OUT, OUT]),
    ],
)
def test_advice_on_each_button(text: str, names: list[str], expected: list[ButtonAdvice]) -> None:
    assert button_advice(text, names) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Type the word "maple" into the field and press "OK".', "maple"),
        ("Type the word maple into the field and press OK.", "maple"),
        ("The word to type is orbit. Press OK to go on.", "orbit"),
        ("Write window into the box.", "window"),
        ("Type the word into the field. It is above.", None),
        ("Write it into the box.", None),
        ("Enter your e-mail address and press OK.", None),
        ('Enter an address and press "OK".', None),
    ],
)
def test_the_word_that_is_to_be_typed(text: str, expected: str | None) -> None:
    assert to_type(text, ["OK", "Cancel"]) == expected


def _drawn(**lanes: float) -> Dialog:
    """Return a dialog with some parts chosen by their relative position in their list."""
    known = catalogue().lanes
    return dialog(lambda lane: lanes.get(known[lane - 1], 0))


def _every_form() -> list[Dialog]:
    """Return every sentence that names a button, with every set of labels, on both sides, quoted and not."""
    dialogs, words = [], catalogue()
    for index, kind in enumerate(words.kinds):
        chosen = {"kind": (index + 0.5) / len(words.kinds)}
        for labels, side in product(range(len(words.labels[kind.labels])), range(len(kind.sides))):
            chosen |= {
                "labels": (labels + 0.5) / len(words.labels[kind.labels]),
                "side": (side + 0.5) / len(kind.sides),
            }
            forms = words.forms[kind.sides[side].forms]
            asks = kind.sides[side].asks or kind.asks or ("",)
            for form, quotes in product(range(len(forms)), (0.0, 0.99)):
                ask = (form + labels) % len(asks)
                parts = {"form": (form + 0.5) / len(forms), "ask": (ask + 0.5) / len(asks), "quotes": quotes}
                dialogs.append(_drawn(**chosen, **parts))
    return dialogs


def _reads(drawn: Dialog) -> None:
    names = [label for label, _ in drawn.buttons]
    verdicts = button_advice(f"{drawn.heading} {drawn.text} {' '.join(drawn.choices)} {drawn.stays}", names)
    best = {index for index, advice in enumerate(verdicts) if advice is min(verdicts)}
    assert best <= {index for index, (_, rule) in enumerate(drawn.buttons) if rule in RIGHT}, (drawn.text, verdicts)
    # The agent types only requested words, never an address.
    assert (to_type(drawn.text, names) or "") == drawn.word, drawn.text


def test_every_form_of_the_catalogue_is_read_rightly() -> None:
    """The reader does not know the catalogue, so this also tests that its sentences are clear."""
    every = _every_form()
    assert len(every) > 5000
    for each in every:
        _reads(each)


def test_dialogs_as_they_are_drawn_are_read_rightly() -> None:
    for n in range(2000):
        _reads(dialog(lambda lane, n=n: draw(Pair(n, 1), key_words("shop / link x /y #1"), 0, lane)))  # type: ignore[misc]


def test_every_cue_is_taken_for_a_refusal() -> None:
    """Otherwise the agent would repeat its answer, or take the cue for an effect of its action."""
    assert all(map(is_warning, (*catalogue().cues, *catalogue().stays)))
