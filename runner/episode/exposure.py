"""What the draws of a cell would hit on the reference trajectory, known from a clean episode alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast
from urllib.parse import urldefrag, urlsplit

from lxml.cssselect import CSSSelector
from lxml.html import HtmlElement

from runner.registry import perturbations
from stressweb.core.conditions import Condition
from stressweb.core.draws import Seeds
from stressweb.html.marks import Marks
from stressweb.html.page import Control, Page
from stressweb.log.recording import EpisodeRecord, StepRecord
from stressweb.plugins.perturbation import Perturbation

_LOADING = ("NAVIGATE", "RELOAD", "GO_BACK", "GO_FORWARD")
# A clean page has no marks, so there is nothing that a key could read.
_UNREAD = Marks(b"\0" * 16)


class Encounter(NamedTuple):
    """Something on the way that a mode may hit: an action on a control, or the load of a page."""

    page: Page
    control: Control | None
    """What was acted on; None for the load of the page."""
    attempt: int = 0
    """How often the control was acted on before."""

    def met(self, mode: Perturbation, seeds: Seeds) -> bool:
        """Return whether a mode would hit it."""
        if self.control is None:
            return mode.would_greet(self.page, seeds)
        return mode.would_hit(self.page, self.control, self.attempt, seeds)


def foreseen(reference: EpisodeRecord, conditions: Sequence[Condition], seeds: Seeds) -> dict[str, bool]:
    """Return for each condition, by label, whether every mode of it would hit an action or a load of the trajectory.

    `reference` is a clean episode of an agent that acts by selectors; `seeds` are those of the stressed cells. The
    same cell is exposed for an agent that goes this way, whatever it does after the first hit.
    """
    found = {}
    for condition in conditions:
        modes = perturbations(condition)
        # On pages of their own for each mode: one that rewrites documents changes the page that it is asked about.
        met = [any(moment.met(mode, seeds) for moment in _moments(reference)) for mode in modes]
        # As in the table of a run: an episode is exposed only if every mode of its condition delivered something.
        found[condition.label] = bool(met) and all(met)
    return found


def _moments(reference: EpisodeRecord) -> Iterator[Encounter]:
    """Yield what each action was on, and every load of a page, in order."""
    attempts, loads = Counter[str](), Counter[str]()
    site = reference.cell.site
    page: Page | None = None
    for before, step in zip([None, *reference.steps], reference.steps, strict=False):
        control = None
        if page is not None and step.action is not None and step.action.selector is not None:
            control = _control(page, step.action.selector)
        if page is not None and control is not None:
            yield Encounter(page, control, attempts[control.key])
            # A draw depends on how often a control was acted on before, over reloads and tabs.
            attempts[control.key] += 1
        page = _page(step, site)
        if page is not None and _loaded(before, step, control):
            # Whether a pop-up greets a load is drawn for each load of pages of one kind.
            page.loads = loads[page.template]
            loads[page.template] += 1
            yield Encounter(page, None)


def _page(step: StepRecord, site: str) -> Page | None:
    parts = urlsplit(step.page.url)
    return Page(step.page.html, site, parts.path, _UNREAD, hosts=(parts.netloc,)) if step.page.html else None


def _loaded(before: StepRecord | None, step: StepRecord, control: Control | None) -> bool:
    """Return whether a step loaded a page: by its address, or because what was pressed leads to one."""
    if before is None or urldefrag(before.page.url).url != urldefrag(step.page.url).url:
        return True
    # An address that stays the same proves nothing: a form may lead back to itself, and a link to its own page.
    if control is None or not control.pressed:
        return step.action is not None and step.action.kind in _LOADING
    if control.role == "link":
        return not (control.element.get("href") or "#").startswith("#")
    sends = control.element.get("type", "submit") in ("submit", "image")
    return sends and next(control.element.iterancestors("form"), None) is not None


def _control(page: Page, selector: str) -> Control | None:
    """Return the control that a gesture on the first match of a selector is about: a label stands for its field."""
    controls = {control.element: control for control in page.controls}
    target: HtmlElement | None = next(iter(_select(page, selector)), None)
    # A selector may name what is inside of a control, such as the picture in a link.
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
