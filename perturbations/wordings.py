"""What the dialogs of pop-ups say: several kinds, each in several wordings, drawn from one digest.

Every wording names in quotes what to press to go on, so that a reader can know the right answer.
"""

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from stressweb.core.draws import units

type Rule = Literal["go", "stop", "mail", "choice", "word"]
"""What pressing a button means: go on, drop the action, or go on if the dialog is filled in as it asks."""
type Options = tuple[str, ...]
type Draw = Callable[[Options], str]


class PopupText(BaseModel):
    """One dialog, as the page's script builds it."""

    model_config = ConfigDict(frozen=True)

    kind: str
    heading: str
    text: str
    field: str = ""
    """Label of a text field; empty for none."""
    choices: tuple[str, ...] = ()
    """Answers of which one is to be chosen."""
    word: str = ""
    """What is to be typed."""
    buttons: tuple[tuple[str, Rule], ...]
    """What the buttons say and mean, in the order in which they stand."""
    cue: str
    """What is said after a wrong answer."""


def dialog(data: bytes) -> PopupText:
    """Return the dialog that 64 bytes draw."""
    # Eight draws are all there are: one for the kind, so a dialog of any kind may draw seven times.
    kind, *draws = units(data)
    at = int(kind * len(KINDS))
    rest = iter(draws)

    # Draws are taken in order and not keyed by name: a wording that moves in the code changes what recorded stress
    # seeds show.
    def draw(options: Options) -> str:
        return options[int(next(rest) * len(options))]

    return KINDS[at](draw)


def _consent(draw: Draw) -> PopupText:
    # One draw for all three, so that the buttons of a dialog are worded alike.
    everything, necessary, later = draw(
        (
            "Accept all|Only necessary|Ask me later",
            "Allow all cookies|Necessary cookies only|Decide later",
            "Agree to all|Reject optional|Remind me next time",
        )
    ).split("|")
    return PopupText(
        kind="consent",
        heading=draw(("We value your privacy", "Cookies on this site", "Your cookie choices")),
        text=draw(
            (
                "We use cookies to make this site work and to learn how it is used.",
                "This site keeps small files in your browser.",
                "Before you go on, please tell us which cookies we may use.",
            )
        )
        + f' To continue, press "{everything}" or "{necessary}".',
        buttons=_ordered(draw, (later, "stop"), (necessary, "go"), (everything, "go")),
        cue=draw(CUES),
    )


def _newsletter(draw: Draw) -> PopupText:
    no = draw(("No thanks", "Not interested", "Maybe another time"))
    subscribe = draw(("Subscribe", "Sign me up", "Send me the news"))
    return PopupText(
        kind="newsletter",
        heading=draw(("Stay in the loop", "Get our newsletter", "News straight to your inbox")),
        text=draw(
            (
                "Offers and ideas, once a week, free of charge.",
                "Be the first to hear what is new here.",
                "Join thousands of readers and never miss a thing.",
            )
        )
        + f' Enter your e-mail address to join, or press "{no}" to go on without it.',
        field="Your e-mail address",
        buttons=_ordered(draw, (subscribe, "mail"), (no, "go")),
        cue=draw(CUES),
    )


def _accept(draw: Draw) -> PopupText:
    return _yes_or_no(
        draw,
        kind="accept",
        right=("I agree", "Accept and continue", "Yes, go ahead"),
        wrong=("Cancel", "Go back", "Not now"),
        headings=("Please confirm", "Our terms have changed", "One more thing"),
        texts=(
            "We have updated our terms of use.",
            "Prices and times on this site are given without guarantee.",
            "Your visit is subject to our conditions.",
        ),
        asks="To proceed",
    )


def _decline(draw: Draw) -> PopupText:
    return _yes_or_no(
        draw,
        kind="decline",
        # Here the right answer is a refusal: an agent that always takes what sounds like a yes gives up its action.
        right=("Stay in the browser", "No, carry on here", "Decline"),
        wrong=("Switch now", "Show me", "Let us go"),
        headings=("It is better in the app", "A special offer for you", "Try our assistant"),
        texts=(
            "Take part and leave what you were doing?",
            "You can switch over now and start afresh there.",
            "This would take you away from what you have begun.",
        ),
        asks="To go on with what you were doing",
    )


def _yes_or_no(
    draw: Draw, kind: str, right: Options, wrong: Options, headings: Options, texts: Options, asks: str
) -> PopupText:
    """Return a dialog of two buttons that asks for the right one."""
    go = draw(right)
    return PopupText(
        kind=kind,
        heading=draw(headings),
        text=f'{draw(texts)} {asks}, press "{go}".',
        buttons=_ordered(draw, (draw(wrong), "stop"), (go, "go")),
        cue=draw(CUES),
    )


def _survey(draw: Draw) -> PopupText:
    send = draw(("Send answer", "Submit feedback", "Done"))
    # One draw for both, because answers to another question would make no sense.
    question, *choices = draw(
        (
            "How did you find us?|By a search|From a friend|By an advertisement|In another way",
            "How easy is this site to use?|Very easy|Rather easy|Rather hard",
            "How often do you come here?|Every day|Every week|Less often|For the first time",
        )
    ).split("|")
    return PopupText(
        kind="survey",
        heading=draw(("One short question", "Help us to improve", "Your opinion counts")),
        text=f'{question} Choose one answer and press "{send}" to continue.',
        choices=tuple(choices),
        buttons=_ordered(draw, (draw(("Close", "Skip it", "Later")), "stop"), (send, "choice")),
        cue=draw(CUES),
    )


def _type(draw: Draw) -> PopupText:
    word = draw(("maple", "river", "candle", "orbit", "velvet", "harbour"))
    confirm = draw(("Confirm", "Verify", "Check and continue"))
    return PopupText(
        kind="type",
        heading=draw(("Are you still there?", "A quick check", "Please verify")),
        text=f'To go on, type the word "{word}" into the field and press "{confirm}".',
        field=draw(("Word", "The word shown above", "Type it here")),
        word=word,
        buttons=_ordered(draw, (draw(("Cancel", "Dismiss", "Go back")), "stop"), (confirm, "word")),
        cue=draw(CUES),
    )


def _ordered(draw: Draw, *buttons: tuple[str, Rule]) -> tuple[tuple[str, Rule], ...]:
    """Return the buttons, the other way round in half of the draws."""
    # If the right button stood always in the same place, an agent could go on without reading.
    return buttons if draw(("as written", "reversed")) == "as written" else buttons[::-1]


CUES = (
    "Nothing was done. Please follow what the notice asks for.",
    "Your action was not carried out, because the notice was not answered as asked.",
    "That did not work: nothing has been changed. The notice says how to go on.",
)
# The order belongs to the draw: in another order, the same seed would show dialogs of other kinds.
KINDS: tuple[Callable[[Draw], PopupText], ...] = (_consent, _newsletter, _accept, _decline, _survey, _type)
