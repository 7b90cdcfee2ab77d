"""What the dialogs of pop-ups say, drawn from one catalogue by the page and by the program alike.

The catalogue is `dialogs.json`, which the page gets as it is; `dialog_words.js` draws the same words from it. No label
is right by itself: which button of a dialog goes on is a draw, and the text says it.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

CATALOGUE = Path(__file__).with_name("dialogs.json")
RIGHT = frozenset(("go", "choice", "word"))
"""Rules of the buttons that go on once a dialog is filled in as its text asks."""

type ButtonRule = Literal["go", "stop", "mail", "choice", "word"]
"""What pressing a button means: go on, drop the action, or go on if the dialog is filled in as it asks."""
type Place = Literal["centre", "top", "bottom", "corner"]
"""Where in the window a dialog stands."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Side(_Data):
    """Which of a dialog's buttons go on, and how the text may say so."""

    rules: tuple[ButtonRule, ...]
    """What each label means, in the order of the labels."""
    asks: tuple[str, ...] = ()
    """Sentences about what is to be filled in; empty for those of the kind."""
    forms: str
    """Which of the catalogue's sentences say what to press."""


class DialogKind(_Data):
    """Dialogs about one thing."""

    kind: str
    headings: tuple[str, ...]
    openings: tuple[str, ...]
    labels: str
    """Which of the catalogue's sets of labels the buttons take."""
    sides: tuple[Side, ...]
    asks: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    """Labels of a text field; empty for none."""
    questions: tuple[tuple[str, ...], ...] = ()
    """Questions, each with its answers behind it; empty for none."""
    words: tuple[str, ...] = ()
    """Words to be typed; empty for none."""


class Catalogue(_Data):
    """All wordings. In a sentence `{right}` and `{wrong}` stand for labels, `{word}` for the word to be typed."""

    lanes: tuple[str, ...]
    """What is drawn, each by a lane of its own, from 1: lane 0 decides whether there is a dialog at all."""
    quotes: tuple[tuple[str, str], ...]
    """What stands before and behind a label in a text."""
    orders: dict[int, tuple[tuple[int, ...], ...]]
    """Orders of the buttons, by how many there are."""
    widths: tuple[int, ...]
    """Widths of a dialog, in CSS pixels."""
    places: tuple[Place, ...]
    labels: dict[str, tuple[tuple[str, ...], ...]]
    forms: dict[str, tuple[str, ...]]
    """Sentences that say what to press, by how many buttons go on."""
    cues: tuple[str, ...]
    """What is said after a wrong answer, when the action has been dropped."""
    stays: tuple[str, ...]
    """What is said after a wrong answer where there is no action to drop, so that the dialog stays open."""
    kinds: tuple[DialogKind, ...]


class Dialog(_Data):
    """One dialog, as the page builds it."""

    kind: str
    heading: str
    text: str
    field: str
    """Label of a text field; empty for none."""
    choices: tuple[str, ...]
    """Answers of which one is to be chosen."""
    word: str
    """What is to be typed; empty for nothing."""
    buttons: tuple[tuple[str, ButtonRule], ...]
    """What the buttons say and mean, in the order in which they stand."""
    cue: str
    """What is said after a wrong answer, when the action has been dropped."""
    stays: str
    """What is said instead in a dialog that stays open, because a load of the page opened it."""
    width: int
    """Width in CSS pixels, where the window is wide enough."""
    place: Place
    group: str
    """Name that the answers have in common."""

    @property
    def right(self) -> tuple[str, ...]:
        """Labels of the buttons that go on once the dialog is filled in as it asks."""
        return tuple(label for label, rule in self.buttons if rule in RIGHT)


@cache
def catalogue() -> Catalogue:
    """Return the wordings that ship."""
    return Catalogue.model_validate_json(CATALOGUE.read_text(encoding="utf-8"))


def dialog(draw: Callable[[int], float], words: Catalogue | None = None) -> Dialog:
    """Return the dialog that is drawn; `draw` gives a number of at least 0 and below 1 for a lane, always the same."""
    words = words or catalogue()

    def pick[T](options: Sequence[T], what: str) -> T:
        # A lane for each part, so that a wording that is added to one of them leaves all others as they are.
        return options[int(draw(1 + words.lanes.index(what)) * len(options))]

    def maybe(options: Sequence[str], what: str) -> str:
        return pick(options, what) if options else ""

    kind = pick(words.kinds, "kind")
    labels = pick(words.labels[kind.labels], "labels")
    side = pick(kind.sides, "side")
    before, behind = pick(words.quotes, "quotes")
    word = maybe(kind.words, "word")
    question, *choices = pick(kind.questions, "question") if kind.questions else ("",)
    slots = {"word": word, **_slots(labels, side.rules)}
    said = {name: f"{before}{value}{behind}" for name, value in slots.items()}
    parts = (
        pick(kind.openings, "opening"),
        question,
        _filled(maybe(side.asks or kind.asks, "ask"), said),
        _filled(pick(words.forms[side.forms], "form"), said),
    )
    return Dialog(
        kind=kind.kind,
        heading=pick(kind.headings, "heading"),
        text=" ".join(part for part in parts if part),
        field=maybe(kind.fields, "field"),
        choices=tuple(choices),
        word=word,
        buttons=tuple((labels[at], side.rules[at]) for at in pick(words.orders[len(labels)], "order")),
        cue=pick(words.cues, "cue"),
        stays=pick(words.stays, "cue"),
        width=pick(words.widths, "width"),
        place=pick(words.places, "place"),
        group=f"g{int(draw(1 + words.lanes.index('group')) * 10**7)}",
    )


def _slots(labels: Sequence[str], rules: Sequence[ButtonRule]) -> dict[str, str]:
    """Return what the labels are called in sentences: "right", "right2", "wrong", "wrong2"."""
    found: dict[str, str] = {}
    for label, rule in zip(labels, rules, strict=True):
        name = "right" if rule in RIGHT else "wrong"
        found[f"{name}2" if name in found else name] = label
    return found


def _filled(sentence: str, said: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda slot: said[slot[1]], sentence)
