"""Draws numbers for a page's elements on a copy of its screenshot, so that a model can address elements by number."""

import io
import re
from collections.abc import Iterator

from lxml.html import HtmlElement
from PIL import Image, ImageDraw

from stressweb.html.accessible_name import role
from stressweb.perception.dom_view import DomView
from stressweb.perception.element_label import element_label
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Box, Observation
from stressweb.runner.agents.llm.answer import Unreadable

MOST = 300
"""Maximum number of marks; more would cover the page."""
_ROLES = frozenset((
    "button", "checkbox", "combobox", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio", "option",
    "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem",
))  # fmt: skip
_ATTRIBUTES = ("onclick", "tabindex", "draggable", "contenteditable")
_NUMBER = re.compile(r"\s*(?:mark\s*=\s*|\[|#)?(\d{1,4})\]?\s*")
_POINTED = frozenset(("CLICK", "HOVER", "DRAG", "SCROLL"))
_COLOURS = ("#c2185b", "#1565c0", "#2e7d32", "#6a1b9a", "#b23c00")
_LINE = 2
_PAD = 2


class Marks:
    """The numbers of one page."""

    def __init__(self, observation: Observation) -> None:
        """Number the usable elements in the screenshot from 1, in document order; needs boxes and a screenshot.

        Elements behind a dialog get no number.
        """
        self._page = DomView(observation)
        self._picture = observation.screenshots[0]
        width, height = _size(self._picture)
        self._dialogs = self._page.dialogs()
        self._boxes: dict[HtmlElement, Box] = {}
        for element in self._page.root.iter("*"):
            box = self._page.box(self._page.surface(element)) if _can_be_used(element) else None
            if (
                box
                and _is_inside(box, width, height)
                and not self._is_covered(element, box)
                and len(self._boxes) < MOST
            ):
                self._boxes[element] = box

    def __str__(self) -> str:
        """Return a line for each number: role, name and state of its element."""
        return "\n".join(
            f"{number}: {self._description(element)}" for number, element in enumerate(self._boxes, start=1)
        )

    def drawn(self) -> bytes:
        """Return a copy of the screenshot with the numbers on it, as PNG."""
        with Image.open(io.BytesIO(self._picture)) as picture:
            copy = picture.convert("RGB")
        draw = ImageDraw.Draw(copy)
        for number, (left, top, width, height) in enumerate(self._boxes.values(), start=1):
            colour = _COLOURS[number % len(_COLOURS)]
            draw.rectangle((left, top, left + width, top + height), outline=colour, width=_LINE)
            # Above its element if there is room, so that the number hides little of it.
            words = draw.textbbox((0, 0), str(number))
            label_width, label_height = words[2] + 2 * _PAD, words[3] + 2 * _PAD
            x = min(max(left, 0), copy.width - label_width)
            y = top - label_height if top >= label_height else max(top, 0)
            draw.rectangle((x, y, x + label_width, y + label_height), fill=colour)
            draw.text((x + _PAD, y + _PAD), str(number), fill="white")
        png = io.BytesIO()
        # One is sent with every decision: speed matters more than size.
        copy.save(png, "PNG", compress_level=1)
        return png.getvalue()

    def named(self, action: Action) -> Action:
        """Return an action with numbers replaced by selectors; raises Unreadable for an unknown number."""
        selectors = {
            name: self._selector(written, action)
            for name in ("selector", "to_selector")
            if (written := getattr(action, name)) is not None and _NUMBER.fullmatch(written)
        }
        return action.model_copy(update=selectors) if selectors else action

    def _is_covered(self, element: HtmlElement, box: Box) -> bool:
        middle_x, middle_y = box[0] + box[2] / 2, box[1] + box[3] / 2
        for dialog in self._dialogs:
            x, y, width, height = self._page.box(dialog) or (0, 0, 0, 0)
            is_behind = x <= middle_x < x + width and y <= middle_y < y + height
            if is_behind and not self._page.inside(element, dialog):
                return True
        return False

    def _selector(self, written: str, action: Action) -> str:
        match = _NUMBER.fullmatch(written)
        assert match
        number = int(match[1])
        if not 1 <= number <= len(self._boxes):
            raise Unreadable(f"there is no mark {number}; the marks are 1 to {len(self._boxes)}")
        element = [*self._boxes][number - 1]
        # A box whose label is drawn in its place is clicked through the label, but ticked directly.
        return self._page.selector(self._page.surface(element) if action.kind in _POINTED else element)

    def _description(self, element: HtmlElement) -> str:
        return " ".join((element_label(self._page, element), *self._states(element)))

    def _states(self, element: HtmlElement) -> Iterator[str]:
        if element.tag == "select":
            yield f'= "{self._page.chosen(element)}"'
        elif element.tag in ("input", "textarea") and role(element) in ("textbox", "searchbox", "spinbutton"):
            yield f'= "{self._page.value(element)}"'
        if self._page.checked(element):
            yield "(on)"
        if self._page.disabled(element):
            yield "(disabled)"


def _can_be_used(element: HtmlElement) -> bool:
    return role(element) in _ROLES or any(element.get(name) not in (None, "-1", "false") for name in _ATTRIBUTES)


def _is_inside(box: Box, width: int, height: int) -> bool:
    left, top, box_width, box_height = box
    is_visible = box_width > 1 and box_height > 1
    return is_visible and left < width and top < height and left + box_width > 0 and top + box_height > 0


def _size(png: bytes) -> tuple[int, int]:
    """Return the width and height of a PNG, from its first chunk."""
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])
