"""What the draws of a cell would hit on the reference trajectory, known from a clean episode alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import cast
from urllib.parse import urlsplit

from lxml.cssselect import CSSSelector
from lxml.html import HtmlElement

from perturbations import perturbations
from stressweb.conditions import Condition
from stressweb.keyed import Seeds
from stressweb.marks import Marks
from stressweb.page import Control, Page
from stressweb.recording import EpisodeRecord

_UNREAD = Marks(b"\0" * 16)


def foreseen(reference: EpisodeRecord, conditions: Sequence[Condition], seeds: Seeds) -> dict[str, bool]:
    """Return for each condition, by label, whether it would hit an action of the reference trajectory.

    `reference` is a clean episode of an agent that acts by selectors; `seeds` are those of the stressed cells. The
    same cell is exposed for an agent that goes this way, whatever it does after the first hit.
    """
    acted = [*_acted(reference)]
    found = {}
    for condition in conditions:
        modes = perturbations(condition)
        hits = (mode.would_hit(page, control, attempt, seeds) for page, control, attempt in acted for mode in modes)
        found[condition.label] = any(hits)
    return found


def _acted(reference: EpisodeRecord) -> Iterator[tuple[Page, Control, int]]:
    """Yield what each action was on: the page before it, the control, how often it was acted on before."""
    attempts: Counter[str] = Counter()
    for before, step in zip(reference.steps, reference.steps[1:], strict=False):
        if step.action is None or step.action.selector is None or not before.page.html:
            continue
        parts = urlsplit(before.page.url)
        page = Page(before.page.html, parts.netloc, parts.path, _UNREAD)
        control = _control(page, step.action.selector)
        if control is not None:
            yield page, control, attempts[control.key]
            attempts[control.key] += 1


def _control(page: Page, selector: str) -> Control | None:
    """Return the control that a gesture on the first match of a selector is about: a label stands for its field."""
    controls = {control.element: control for control in page.controls}
    target: HtmlElement | None = next(iter(_select(page, selector)), None)
    while target is not None:
        if target in controls:
            return controls[target]
        if target.tag == "label" and (field := _labelled(page, target)) in controls:
            return controls[field]
        target = target.getparent()
    return None


def _select(page: Page, selector: str) -> list[HtmlElement]:
    return cast("list[HtmlElement]", CSSSelector(selector)(page.root))


def _labelled(page: Page, label: HtmlElement) -> HtmlElement | None:
    wanted = label.get("for")
    if wanted is None:
        return next((field for field in label.iter("input", "select", "textarea")), None)
    return next((one for one in page.root.iter("input", "select", "textarea") if one.get("id") == wanted), None)
