"""Detects testers that run ahead of their script: actions of a later step of a test case that come too early."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from lxml.html import HtmlElement

from stressweb.cases.checking import holds
from stressweb.cases.sight import Sight
from stressweb.html.accessible_name import Names
from stressweb.html.annotated import Annotated, agents_controls, is_annotated
from stressweb.log.recording import Shown, StepRecord
from stressweb.perception.dom_view import DomView
from stressweb.perception.selectors import target_of
from stressweb.perception.targets import targets
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Observation
from stressweb.plugins.steps import Step
from stressweb.plugins.test_case import CaseStep

_DOING = frozenset(("CLICK", "TYPE", "FILL", "PRESS", "SELECT", "CHECK", "UNCHECK", "DRAG", "UPLOAD"))
"""Kinds of actions that can complete a step; scrolling, waiting and going back cannot."""


def actions_ahead(
    steps: Sequence[CaseStep], records: Sequence[StepRecord], pages: Sequence[Sight]
) -> tuple[int, ...] | None:
    """Return the numbers, from 1, of the actions ahead of the script; None for a case without programs.

    An action is ahead if the program of a later step uses its target, and no program of the current or an earlier step
    does. A step is current until a page shows its expected result; in a step without one, no action is ahead. `records`
    are the first page and the page after each action, `pages` their visible content. Failed actions, and actions
    without a recorded target, are not counted.
    """
    if not any(step.steps for step in steps):
        return None
    current = [*_current_steps(steps, pages)]
    return tuple(
        number
        for number, (before, record) in enumerate(pairwise(records), start=1)
        if number <= len(current) and _is_ahead(steps, current[number - 1], before.page, record)
    )


def _current_steps(steps: Sequence[CaseStep], pages: Sequence[Sight]) -> Iterator[int]:
    """Yield the current step for each page, from 0; after the last step, the number of steps."""
    current, first_page = 0, 0
    for number, page in enumerate(pages):
        while current < len(steps):
            check = steps[current].check
            # A step without an expected result is assumed to take one action.
            is_over = number > first_page if check is None else holds(check, page)
            if not is_over:
                break
            current, first_page = current + 1, number
        yield current


def _is_ahead(steps: Sequence[CaseStep], current: int, page: Shown, record: StepRecord) -> bool:
    """Whether an action on a page is ahead of the current step (from 0)."""
    action, outcome = record.action, record.outcome
    if current >= len(steps) - 1 or steps[current].check is None or not is_annotated(page.recorded):
        return False
    if action is None or action.kind not in _DOING or not (outcome and outcome.ok):
        return False
    key = _key_of_target(page, action)
    if key is None:
        return False
    site = Annotated(page.recorded)
    view = _SiteView(page.url, site)
    own = (action for step in steps[: current + 1] for action in step.steps)
    later = (action for step in steps[current + 1 :] for action in step.steps)
    # The current step first, because most actions belong to it, and a search takes long.
    return not _is_about(view, key, own) and _is_about(view, key, later)


class _SiteView(DomView):
    """The site's page without our changes, with visibility from the recorder."""

    def __init__(self, url: str, copy: Annotated) -> None:
        self._copy = copy
        super().__init__(Observation(url, ""), copy.root)

    def shown(self, element: HtmlElement) -> bool:
        """Whether a person sees the element."""
        return not self._copy.states[element].hidden

    def has_key(self, element: HtmlElement, key: str) -> bool:
        """Whether a control has a key."""
        return self._copy.keys.get(element) == key


def _is_about(view: _SiteView, key: str, actions: Iterator[Step]) -> bool:
    return any(view.has_key(element, key) for action in actions for element in targets(view, action))


def _key_of_target(page: Shown, action: Action) -> str | None:
    """Return the key of an action's target control; None if the recording does not show it."""
    root, keys = agents_controls(page.recorded)
    names = Names(root)
    # `boxes` is empty if the agent did not request element positions.
    element = target_of(action, root, names, zip(root.iter("*"), page.boxes, strict=False))
    while element is not None:
        # A selector may name an element inside a control, or the label of a field.
        if element in keys:
            return keys[element]
        field = names.labelled(element) if element.tag == "label" else None
        if field in keys:
            return keys[field]
        element = element.getparent()
    return None
