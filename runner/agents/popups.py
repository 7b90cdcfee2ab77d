"""Reads and answers dialogs for the scripted agents."""

import re
from collections import Counter
from collections.abc import Iterator

from lxml.html import HtmlElement

from stressweb.perception.dom_view import DomView
from stressweb.plugins.steps import Step
from stressweb.runner.agents.dialog_text import button_advice, to_type
from stressweb.runner.agents.script import holds

MOST_STEPS_PER_DIALOG = 20
"""Unsuccessful actions in dialogs with the same controls after which the agent gives up."""
_WARNS = re.compile(
    r"\b(not|no|nothing|never|without|stops?|drops?|dropped|cancels?|cancelled|lost|discards?|undone)\b", re.IGNORECASE
)
_PRESSED = ("button", "link", "menuitem")
_TYPED = ("textbox", "searchbox", "spinbutton")
_NOTICES = ("status", "alert")


def notices(page: DomView) -> list[str]:
    """Return the texts of the page's status lines and alerts."""
    return [text for element in page.any_of(_NOTICES) if (text := page.visible_text(element))]


class Popups:
    """Answers dialogs according to their text, and remembers refused answers."""

    def __init__(self) -> None:
        """Start without a dialog."""
        self._refusals: Counter[tuple[str, str]] = Counter()
        self._steps: Counter[str] = Counter()
        self._last_answer: tuple[str, str] | None = None

    def next_step(self, page: DomView, dialog: HtmlElement) -> tuple[Step, HtmlElement] | None:
        """Return the next step in a dialog and its element; None if the dialog cannot be left."""
        controls = _enabled_elements(page, dialog, _PRESSED)
        # A dialog is identified by its controls, because each observation has new elements.
        controls_key = " ".join(page.accessible_name(control) for control in controls)
        # The same dialog is still open after an answer and warns: the answer was wrong.
        if (
            self._last_answer is not None
            and self._last_answer[0] == controls_key
            and any(map(is_warning, self._cues(page, dialog)))
        ):
            self._refuse()
        self._steps[controls_key] += 1
        # A dialog that cannot be closed must not use up all steps.
        if not controls or self._steps[controls_key] > MOST_STEPS_PER_DIALOG:
            return None
        names = [page.accessible_name(control) for control in controls]
        text = _text(page, dialog, controls)
        ranks = [
            (self._refusals[controls_key, name], advice)
            for name, advice in zip(names, button_advice(text, names), strict=True)
        ]
        index = ranks.index(min(ranks))
        for step, element in _entries(page, dialog, to_type(text, names)):
            if not holds(page, step, element):
                return step, element
        self._last_answer = (controls_key, names[index])
        return Step(verb="press", target=names[index]), controls[index]

    def answer_was_refused(self, page: DomView) -> bool:
        """Return whether a notice says that the last answer had no effect; call it once no dialog is open."""
        is_refused = self._last_answer is not None and any(map(is_warning, notices(page)))
        if is_refused:
            self._refuse()
        elif self._last_answer is not None:
            # The answer was right, so a later dialog with the same controls starts from zero.
            self._steps.pop(self._last_answer[0], None)
        self._last_answer = None
        return is_refused

    def _refuse(self) -> None:
        if self._last_answer is not None:
            self._refusals[self._last_answer] += 1
        self._last_answer = None

    @staticmethod
    def _cues(page: DomView, dialog: HtmlElement) -> list[str]:
        return [page.visible_text(element) for element in _enabled_elements(page, dialog, _NOTICES)]


def _entries(page: DomView, dialog: HtmlElement, word: str | None) -> Iterator[tuple[Step, HtmlElement]]:
    """Yield the entries to make before the answer: the requested word, and an option for each question."""
    for field in _enabled_elements(page, dialog, _TYPED):
        if word:
            yield Step(verb="enter", target=page.accessible_name(field), value=word), field
    radios = _enabled_elements(page, dialog, ("radio",))
    if radios and not any(map(page.checked, radios)):
        yield Step(verb="tick", target=page.accessible_name(radios[0])), radios[0]
    for select in _enabled_elements(page, dialog, ("combobox", "listbox")):
        options = page.options(select)
        # The first option is usually a prompt, so choose the last.
        if options and page.chosen(select) in ("", options[0]):
            yield Step(verb="choose", target=page.accessible_name(select), value=options[-1]), select


def _enabled_elements(page: DomView, dialog: HtmlElement, roles: tuple[str, ...]) -> list[HtmlElement]:
    return [element for element in page.any_of(roles) if page.inside(element, dialog) and not page.disabled(element)]


def _text(page: DomView, dialog: HtmlElement, controls: list[HtmlElement]) -> str:
    """Return the text of a dialog without the labels of its buttons."""
    text = page.visible_text(dialog)
    for control in reversed(controls):
        own = page.visible_text(control) or page.accessible_name(control)
        # Buttons are below the text about them, so their labels are the last occurrences.
        occurrences = list(re.finditer(rf"(?<!\w){re.escape(own)}(?!\w)", text)) if own else []
        if occurrences:
            text = text[: occurrences[-1].start()] + text[occurrences[-1].end() :]
    return text


def is_warning(text: str) -> bool:
    """Return whether a text warns of losing something."""
    return _WARNS.search(text) is not None
