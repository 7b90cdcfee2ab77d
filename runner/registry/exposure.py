"""What the draws of a cell would hit on the reference trajectory, known from a clean episode alone."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast
from urllib.parse import urldefrag, urlsplit

from lxml.cssselect import CSSSelector
from lxml.html import HtmlElement

from perturbations import modes_of
from stressweb.core.conditions import Condition
from stressweb.core.draws import Seeds
from stressweb.core.path_template import path_template
from stressweb.html.annotated import Annotated
from stressweb.log.recording import EpisodeRecord, StepRecord
from stressweb.plugins.rule import Control, Rule

ALONE: Mapping[str, str] = {}
"""The sites of the hosts of a task that stands alone: there is only its own."""
_LOADING = ("NAVIGATE", "RELOAD", "GO_BACK", "GO_FORWARD")


class Encounter(NamedTuple):
    """Something on the way that a mode may hit: an action on a control, or the load of a page."""

    place: str
    """Site and path template of the page."""
    control: Control | None
    """What was acted on; None for the load of the page."""
    attempt: int = 0
    """How often the control was acted on, or such a page loaded, before."""

    def met(self, rule: Rule) -> bool:
        """Return whether a mode would hit it."""
        return rule.meets(self.control, self.place, self.attempt)


class _Page:
    """A page of the reference, with the keys that its recording has."""

    def __init__(self, step: StepRecord, site: str, sites: Mapping[str, str]) -> None:
        copy = Annotated(step.page.copy)
        self.root = copy.root
        url = urlsplit(step.page.url)
        self.place = f"{sites.get(url.netloc, site)} {path_template(url.path)}"
        self.controls = {element: Control.of(key) for element, key in copy.keys.items()}


def foreseen(
    reference: EpisodeRecord, conditions: Sequence[Condition], seeds: Seeds, sites: Mapping[str, str] = ALONE
) -> dict[str, bool]:
    """Return for each condition, by label, whether every mode of it would hit an action or a load of the trajectory.

    `reference` is a clean episode of an agent that acts by selectors, with the keys of its controls; `seeds` are those
    of the stressed cells, `sites` those of the hosts of a chain. The same cell is exposed for an agent that goes this
    way, whatever it does after the first hit.
    """
    # As in the table of a run: an episode is exposed only if every mode of its condition delivered something.
    return {label: bool(hits) and all(hits) for label, hits in hits_on(reference, conditions, seeds, sites).items()}


def hits_on(
    reference: EpisodeRecord, conditions: Sequence[Condition], seeds: Seeds, sites: Mapping[str, str] = ALONE
) -> dict[str, list[int]]:
    """Return how many actions and loads of the trajectory each mode of each condition would hit, by its label.

    Arguments as for `foreseen`. An agent that does everything once meets as many.
    """
    moments = list(_moments(reference, sites))
    found = {}
    for condition in conditions:
        rules = [mode.rule(seeds) for mode in modes_of(condition)]
        found[condition.label] = [sum(moment.met(rule) for moment in moments) for rule in rules]
    return found


def _moments(reference: EpisodeRecord, sites: Mapping[str, str]) -> Iterator[Encounter]:
    """Yield what each action was on, and every load of a page, in order."""
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
            # A draw depends on how often a control was acted on before, over reloads and tabs.
            attempts[control.key] += 1
        pressed = acted if page is not None and acted is not None and page.controls[acted].pressed else None
        page = _Page(step, site, sites) if step.page.copy else None
        if page is not None and _loaded(before, step, pressed):
            # Whether a pop-up greets a load is drawn for each load of pages of one kind.
            yield Encounter(page.place, None, loads[page.place])
            loads[page.place] += 1


def _loaded(before: StepRecord | None, step: StepRecord, pressed: HtmlElement | None) -> bool:
    """Return whether a step loaded a page: by its address, or because what was pressed leads to one."""
    if before is None or urldefrag(before.page.url).url != urldefrag(step.page.url).url:
        return True
    # An address that stays the same proves nothing: a form may lead back to itself, and a link to its own page.
    if pressed is None:
        return step.action is not None and step.action.kind in _LOADING
    if pressed.tag in ("a", "area"):
        return not (pressed.get("href") or "#").startswith("#")
    sends = pressed.get("type", "submit") in ("submit", "image")
    return sends and next(pressed.iterancestors("form"), None) is not None


def _acted_on(page: _Page, selector: str) -> HtmlElement | None:
    """Return the control that a gesture on the first match of a selector is about: a label stands for its field."""
    target: HtmlElement | None = next(iter(_select(page, selector)), None)
    # A selector may name what is inside of a control, such as the picture in a link.
    while target is not None:
        if target in page.controls:
            return target
        if target.tag == "label" and (field := _labelled(page, target)) in page.controls:
            return field
        target = target.getparent()
    return None


def _select(page: _Page, selector: str) -> list[HtmlElement]:
    return cast("list[HtmlElement]", CSSSelector(selector)(page.root))


def _labelled(page: _Page, label: HtmlElement) -> HtmlElement | None:
    wanted = label.get("for")
    if wanted is None:
        return next((field for field in label.iter("input", "select", "textarea")), None)
    return next((one for one in page.root.iter("input", "select", "textarea") if one.get("id") == wanted), None)
