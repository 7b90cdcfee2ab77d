"""How the scripted agents read a dialog and answer it."""

import re
from collections import Counter
from collections.abc import Iterator

from lxml.html import HtmlElement

from runner.agents.dialog_text import standings, to_type
from runner.agents.script import holds
from stressweb.perception.dom_view import DomView
from stressweb.plugins.steps import Step

MOST_STEPS_PER_DIALOG = 20
"""Actions in dialogs of the same controls, none of which helped, after which one gives up."""
_WARNS = re.compile(
    r"\b(not|no|nothing|never|without|stops?|drops?|dropped|cancels?|cancelled|lost|discards?|undone)\b", re.IGNORECASE
)
_PRESSED = ("button", "link", "menuitem")
_TYPED = ("textbox", "searchbox", "spinbutton")
_NOTICES = ("status", "alert")


def notices(page: DomView) -> list[str]:
    """Return what the page says in passing: the texts of its status lines and alerts."""
    return [said for one in page.any_of(_NOTICES) if (said := page.visible_text(one))]


class Popups:
    """Answers dialogs by what they say, and remembers which answers were refused."""

    def __init__(self) -> None:
        """Know of no dialog yet."""
        self._refused: Counter[tuple[str, str]] = Counter()
        self._steps: Counter[str] = Counter()
        self._given: tuple[str, str] | None = None

    def due(self, page: DomView, dialog: HtmlElement) -> tuple[Step, HtmlElement] | None:
        """Return the next step in a dialog and its element; None if nothing that was tried lets one go on."""
        controls = _in(page, dialog, _PRESSED)
        # A dialog is known by its controls: every observation is parsed anew, so no element outlives one.
        about = " ".join(page.accessible_name(control) for control in controls)
        # The same dialog is still there after an answer and says no: that answer was the wrong one.
        if self._given is not None and self._given[0] == about and any(map(_warns, self._cues(page, dialog))):
            self._refuse()
        self._steps[about] += 1
        # A dialog that cannot be closed must not use up the whole budget of steps: giving up says honestly what
        # happened.
        if not controls or self._steps[about] > MOST_STEPS_PER_DIALOG:
            return None
        names = [page.accessible_name(control) for control in controls]
        text = _text(page, dialog, controls)
        ranks = [(self._refused[about, name], said) for name, said in zip(names, standings(text, names), strict=True)]
        at = ranks.index(min(ranks))
        for step, element in _entries(page, dialog, to_type(text, names)):
            if not holds(page, step, element):
                return step, element
        self._given = (about, names[at])
        return Step(verb="press", target=names[at]), controls[at]

    def refused(self, page: DomView) -> bool:
        """Whether the last answer was followed by a notice that nothing was done; called once no dialog is open."""
        refused = self._given is not None and any(map(_warns, notices(page)))
        if refused:
            self._refuse()
        elif self._given is not None:
            # The answer was right, and a later dialog of the same controls starts anew.
            self._steps.pop(self._given[0], None)
        self._given = None
        return refused

    def _refuse(self) -> None:
        if self._given is not None:
            self._refused[self._given] += 1
        self._given = None

    @staticmethod
    def _cues(page: DomView, dialog: HtmlElement) -> list[str]:
        return [page.visible_text(one) for one in _in(page, dialog, _NOTICES)]


def _entries(page: DomView, dialog: HtmlElement, word: str | None) -> Iterator[tuple[Step, HtmlElement]]:
    """Yield what is to be entered before an answer: the word that is asked for, one option of each question."""
    for field in _in(page, dialog, _TYPED):
        if word:
            yield Step(verb="enter", target=page.accessible_name(field), value=word), field
    radios = _in(page, dialog, ("radio",))
    if radios and not any(map(page.checked, radios)):
        yield Step(verb="tick", target=page.accessible_name(radios[0])), radios[0]
    for select in _in(page, dialog, ("combobox", "listbox")):
        options = page.options(select)
        # The first option usually only asks for a choice, so the last one is taken.
        if options and page.chosen(select) in ("", options[0]):
            yield Step(verb="choose", target=page.accessible_name(select), value=options[-1]), select


def _in(page: DomView, dialog: HtmlElement, roles: tuple[str, ...]) -> list[HtmlElement]:
    return [one for one in page.any_of(roles) if page.inside(one, dialog) and not page.disabled(one)]


def _text(page: DomView, dialog: HtmlElement, controls: list[HtmlElement]) -> str:
    """Return what a dialog says, without what is written on its own buttons."""
    text = page.visible_text(dialog)
    for control in reversed(controls):
        own = page.visible_text(control) or page.accessible_name(control)
        # Buttons stand below what is said of them, so that their own words are the last ones.
        found = list(re.finditer(rf"(?<!\w){re.escape(own)}(?!\w)", text)) if own else []
        if found:
            text = text[: found[-1].start()] + text[found[-1].end() :]
    return text


def _warns(text: str) -> bool:
    return _WARNS.search(text) is not None
