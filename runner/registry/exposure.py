"""Predicts from a clean episode which actions and loads of the reference trajectory a mode would hit."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast
from urllib.parse import urldefrag, urlsplit

from lxml.cssselect import CSSSelector
from lxml.html import HtmlElement

from stressweb.core.conditions import Condition
from stressweb.core.draws import Seeds
from stressweb.core.path_template import path_template
from stressweb.html.annotated import Annotated
from stressweb.log.recording import EpisodeRecord, StepRecord
from stressweb.perturbations import modes_of
from stressweb.plugins.rule import Control, Rule

ALONE: Mapping[str, str] = {}
"""Sites by host for a task that is not a chain: it has only its own site."""
_LOADING = ("NAVIGATE", "RELOAD", "GO_BACK", "GO_FORWARD")


class Encounter(NamedTuple):
    """An event on the trajectory that a mode may hit: an action on a control, or a page load."""

    place: str
    """Site and path template of the page."""
    control: Control | None
    """The control that was acted on; None for a page load."""
    attempt: int = 0
    """Number of earlier actions on this control, or of earlier loads of such a page."""

    def met(self, rule: Rule) -> bool:
        """Return whether a mode would hit this event."""
        return rule.meets(self.control, self.place, self.attempt)


class _Page:
    """A page of the reference episode, with the recorded keys of its controls."""

    def __init__(self, step: StepRecord, site: str, sites: Mapping[str, str]) -> None:
        copy = Annotated(step.page.copy)
        self.root = copy.root
        url = urlsplit(step.page.url)
        self.place = f"{sites.get(url.netloc, site)} {path_template(url.path)}"
        self.controls = {element: Control.of(key) for element, key in copy.keys.items()}


def predicted_exposure(
    reference: EpisodeRecord, conditions: Sequence[Condition], seeds: Seeds, sites: Mapping[str, str] = ALONE
) -> dict[str, bool]:
    """Return, by the condition's label, whether each mode of the condition would hit the trajectory at least once.

    `reference` is a clean episode of an agent that acts by selectors, with the keys of its controls; `seeds` are the
    seeds of the stressed cells, `sites` the sites of a chain by host. The prediction holds for an agent that follows
    this trajectory up to the first hit.
    """
    # As in results: an episode is exposed only if every mode of its condition delivered something.
    return {label: bool(hits) and all(hits) for label, hits in hit_counts(reference, conditions, seeds, sites).items()}


def hit_counts(
    reference: EpisodeRecord, conditions: Sequence[Condition], seeds: Seeds, sites: Mapping[str, str] = ALONE
) -> dict[str, list[int]]:
    """Return, by the condition's label, how many actions and loads of the trajectory each of its modes would hit.

    Arguments as for `predicted_exposure`. The counts are for an agent that does every action once.
    """
    moments = list(encounters(reference, sites))
    hits = {}
    for condition in conditions:
        rules = [mode.rule(seeds) for mode in modes_of(condition)]
        hits[condition.label] = [sum(encounter.met(rule) for encounter in moments) for rule in rules]
    return hits


def encounters(reference: EpisodeRecord, sites: Mapping[str, str]) -> Iterator[Encounter]:
    """Yield the action on each control, and each load of a page, in order."""
    attempts, loads = Counter[str](), Counter[str]()
    site = reference.cell.site
    page: _Page | None = None
    for before, step in zip([None, *reference.steps], reference.steps, strict=False):
        acted = None
        if page is not None and step.action is not None and step.action.selector is not None:
            acted = _acted_on(page, step.action.selector)
        if page is not None and acted is not None:
            control = page.controls[acted]
            yield Encounter(page.place, control, attempts[control.key])
            # A draw depends on the number of earlier actions on the control, across reloads and tabs.
            attempts[control.key] += 1
        pressed = acted if page is not None and acted is not None and page.controls[acted].pressed else None
        page = _Page(step, site, sites) if step.page.copy else None
        if page is not None and _has_loaded_page(before, step, pressed):
            # Pop-ups are drawn per load of a page template.
            yield Encounter(page.place, None, loads[page.place])
            loads[page.place] += 1


def _has_loaded_page(before: StepRecord | None, step: StepRecord, pressed: HtmlElement | None) -> bool:
    """Return whether a step loaded a page: its URL changed, or the pressed control leads to a page."""
    if before is None or urldefrag(before.page.url).url != urldefrag(step.page.url).url:
        return True
    # The page may load with the same URL: a form or a link may lead to its own page.
    if pressed is None:
        return step.action is not None and step.action.kind in _LOADING
    if pressed.tag in ("a", "area"):
        return not (pressed.get("href") or "#").startswith("#")
    sends = pressed.get("type", "submit") in ("submit", "image")
    return sends and next(pressed.iterancestors("form"), None) is not None


def _acted_on(page: _Page, selector: str) -> HtmlElement | None:
    """Return the control that a gesture on a selector's first match affects; for a label, its field."""
    target: HtmlElement | None = next(iter(_select(page, selector)), None)
    # A selector may match an element inside a control, such as an image in a link.
    while target is not None:
        if target in page.controls:
            return target
        if target.tag == "label" and (field := _labelled_field(page, target)) in page.controls:
            return field
        target = target.getparent()
    return None


def _select(page: _Page, selector: str) -> list[HtmlElement]:
    return cast("list[HtmlElement]", CSSSelector(selector)(page.root))


def _labelled_field(page: _Page, label: HtmlElement) -> HtmlElement | None:
    wanted = label.get("for")
    if wanted is None:
        return next((field for field in label.iter("input", "select", "textarea")), None)
    return next((field for field in page.root.iter("input", "select", "textarea") if field.get("id") == wanted), None)
