"""The wordings of pop-up dialogs.

The catalogue is `dialogs.json`, which the page gets unchanged; `dialog_words.js` makes the same draws from it. No label
is always right: a draw decides which button of a dialog continues, and the dialog's text states it.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

CATALOGUE = Path(__file__).with_name("dialogs.json")
RIGHT = frozenset(("go", "choice", "word"))
"""Rules of the buttons that continue if the dialog is filled in as its text asks."""

type ButtonRule = Literal["go", "stop", "mail", "choice", "word"]
"""Effect of a button: continue, cancel the action, or continue if the dialog is filled in as its text asks."""
type Place = Literal["centre", "top", "bottom", "corner"]
"""Where in the window a dialog stands."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Side(_Frozen):
    """Which of a dialog's buttons continue, and how the text may say so."""

    rules: tuple[ButtonRule, ...]
    """Meaning of each label, in the order of the labels."""
    asks: tuple[str, ...] = ()
    """Sentences that ask to fill in the dialog; empty to use those of the kind."""
    forms: str
    """Name of the catalogue's sentences that say which button to press."""


class DialogKind(_Frozen):
    """Dialogs on one subject."""

    kind: str
    headings: tuple[str, ...]
    openings: tuple[str, ...]
    labels: str
    """Name of the catalogue's sets of button labels."""
    sides: tuple[Side, ...]
    asks: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    """Labels of a text field; empty for none."""
    questions: tuple[tuple[str, ...], ...] = ()
    """Questions, each followed by its answers; empty for none."""
    words: tuple[str, ...] = ()
    """Words to type; empty for none."""


class Catalogue(_Frozen):
    """All wordings. In a sentence `{right}` and `{wrong}` stand for labels, `{word}` for the word to type."""

    lanes: tuple[str, ...]
    """The drawn parts; each has its own lane, counted from 1. Lane 0 decides whether a dialog opens."""
    quotes: tuple[tuple[str, str], ...]
    """Opening and closing quotes of a label in a text."""
    orders: dict[int, tuple[tuple[int, ...], ...]]
    """Orders of the buttons, by how many there are."""
    widths: tuple[int, ...]
    """Widths of a dialog, in CSS pixels."""
    places: tuple[Place, ...]
    labels: dict[str, tuple[tuple[str, ...], ...]]
    forms: dict[str, tuple[str, ...]]
    """Sentences that say which button to press, by how many buttons continue."""
    cues: tuple[str, ...]
    """Sentences after a wrong answer that cancelled the action."""
    stays: tuple[str, ...]
    """Sentences after a wrong answer if there is no action to cancel, so that the dialog stays open."""
    kinds: tuple[DialogKind, ...]


class Dialog(_Frozen):
    """One dialog, as the page builds it."""

    kind: str
    heading: str
    text: str
    field: str
    """Label of a text field; empty for none."""
    choices: tuple[str, ...]
    """Answers to choose from."""
    word: str
    """Word to type; empty for none."""
    buttons: tuple[tuple[str, ButtonRule], ...]
    """Labels and rules of the buttons, in visual order."""
    cue: str
    """Sentence after a wrong answer that cancelled the action."""
    stays: str
    """The same for a dialog that stays open, because a load of the page opened it."""
    width: int
    """Width in CSS pixels; less in a narrow window."""
    place: Place
    group: str
    """The `name` that the radio buttons of the answers share."""

    @property
    def right(self) -> tuple[str, ...]:
        """Labels of the buttons that continue once the dialog is filled in as it asks."""
        return tuple(label for label, rule in self.buttons if rule in RIGHT)


@cache
def catalogue() -> Catalogue:
    """Return the built-in wordings."""
    return Catalogue.model_validate_json(CATALOGUE.read_text(encoding="utf-8"))


def dialog(draw: Callable[[int], float], words: Catalogue | None = None) -> Dialog:
    """Draw a dialog; `draw` returns a fixed number for each lane, at least 0 and below 1."""
    words = words or catalogue()

    def pick[T](options: Sequence[T], part: str) -> T:
        # Each part has its own lane, so that a new wording of one part changes no other part.
        return options[int(draw(1 + words.lanes.index(part)) * len(options))]

    def maybe(options: Sequence[str], part: str) -> str:
        return pick(options, part) if options else ""

    kind = pick(words.kinds, "kind")
    labels = pick(words.labels[kind.labels], "labels")
    side = pick(kind.sides, "side")
    before, behind = pick(words.quotes, "quotes")
    word = maybe(kind.words, "word")
    question, *choices = pick(kind.questions, "question") if kind.questions else ("",)
    slots = {"word": word, **_slots(labels, side.rules)}
    quoted = {name: f"{before}{label}{behind}" for name, label in slots.items()}
    parts = (
        pick(kind.openings, "opening"),
        question,
        _filled(maybe(side.asks or kind.asks, "ask"), quoted),
        _filled(pick(words.forms[side.forms], "form"), quoted),
    )
    return Dialog(
        kind=kind.kind,
        heading=pick(kind.headings, "heading"),
        text=" ".join(part for part in parts if part),
        field=maybe(kind.fields, "field"),
        choices=tuple(choices),
        word=word,
        buttons=tuple((labels[index], side.rules[index]) for index in pick(words.orders[len(labels)], "order")),
        cue=pick(words.cues, "cue"),
        stays=pick(words.stays, "cue"),
        width=pick(words.widths, "width"),
        place=pick(words.places, "place"),
        group=f"g{int(draw(1 + words.lanes.index('group')) * 10**7)}",
    )


def _slots(labels: Sequence[str], rules: Sequence[ButtonRule]) -> dict[str, str]:
    """Return the labels by their slots in sentences: "right", "right2", "wrong", "wrong2"."""
    slots: dict[str, str] = {}
    for label, rule in zip(labels, rules, strict=True):
        name = "right" if rule in RIGHT else "wrong"
        slots[f"{name}2" if name in slots else name] = label
    return slots


def _filled(sentence: str, quoted: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda slot: quoted[slot[1]], sentence)
