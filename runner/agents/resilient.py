"""The agent that runs the trajectory and checks every step: it verifies, retries, answers pop-ups and searches."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from lxml.html import HtmlElement

from stressweb.perception.dom_view import DomView
from stressweb.perception.targets import targets
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation
from stressweb.plugins.steps import Step
from stressweb.runner.agents.gestures import ByCoordinates, BySelector, ByTree, Gesture, Pointer
from stressweb.runner.agents.popups import Popups, notices
from stressweb.runner.agents.script import PRESSES, described, holds, visit

TRIES = 20
"""Gestures after which the agent gives up on a step: at a failure rate of 0.5, one step in a million by chance."""
# At a failure rate of 0.5, twelve gestures in a row fail by chance once in 4,000 times, so a wrong element is likelier.
TRIES_PER_CANDIDATE = 12
"""Gestures on one of several same-named elements before the next one is tried."""

POINTERS: Mapping[str, type[Pointer]] = {"selector": BySelector, "coordinates": ByCoordinates, "tree": ByTree}

FEW = 4
"""Maximum number of elements that change style when one is selected: itself, its label, the one selected before."""


@dataclass
class StepAttempt:
    """The tries of a step, and the state of the page before the last try."""

    step: Step
    is_repair: bool = False
    """Whether the step was done before, but its entry was lost."""
    tries: int = 0
    marked_at: int | None = None
    """Number of tries after which the target was only selected and did not act; None if that has not happened."""
    before: str = ""
    before_sans_notices: str = ""
    """Digest of the page before the last try, without status lines and alerts."""
    target_style: str = ""
    style_counts: Counter[str] = field(default_factory=Counter)
    leads_here: bool = False
    """Whether the target is a link to its own page, so that nothing will change."""
    searches: int = 0

    def choice(self, matches: list[HtmlElement]) -> HtmlElement:
        """Return the element used in the last counted try."""
        return matches[max(self.tries - 1, 0) // TRIES_PER_CANDIDATE % len(matches)]

    def note(self, page: DomView, element: HtmlElement, cues: Iterable[str]) -> None:
        """Remember the page and the target before a try; `cues` are texts to leave out of the page's digest."""
        self.before, self.before_sans_notices = page.digest(cues), page.digest(notices(page))
        self.target_style, self.style_counts = page.style_signature(element), page.style_counts
        self.leads_here = self.step.verb == "open" and page.leads_here(element)

    def marks(self, page: DomView, element: HtmlElement) -> bool:
        """Whether the last try changed the style of its target and of few others; a reloaded page changes many."""
        changed_count = (self.style_counts - page.style_counts).total()
        return page.style_signature(element) != self.target_style and changed_count <= FEW


class Resilient(Agent):
    """Verifies every step on the page, retries what had no effect, and claims success only if every step took effect.

    It sees only the text of the steps and the observation. Without `verify` it assumes that every action worked.
    Without `retry` it never repeats a gesture. Without `gesture` it never tries another gesture after a click without
    effect. Without `popups` it ignores dialogs, both the page's and the browser's. Without `search` it gives up when a
    target is missing. With pointer "coordinates" it clicks and types by position and keyboard only; it still sets lists
    and date fields by selector, because their pop-ups are not part of the page. With pointer "tree" it sees only the
    accessibility tree.
    """

    name = "resilient"
    deterministic = True

    def __init__(
        self,
        *,
        verify: bool = True,
        retry: bool = True,
        gesture: bool = True,
        popups: bool = True,
        search: bool = True,
        pointer: Literal["selector", "coordinates", "tree"] = "selector",
    ) -> None:
        """Choose the abilities."""
        self.verify, self.retry, self.gesture, self.popups, self.search = verify, retry, gesture, popups, search
        self.most_tries = TRIES
        """Gestures after which the agent gives up on a step."""
        self._pointer = POINTERS[pointer]()
        self.wants = self._pointer.wants

    def start(self, brief: Brief) -> None:
        """Take the trajectory."""
        super().start(brief)
        self._position = 0
        self._queue: list[Action] = []
        self._queue_dialog = ""
        self._popups = Popups()
        self._cues: set[str] = set()
        self._last_attempt: StepAttempt | None = None
        # By step, so that repairing an earlier entry does not reset the tries of the current step.
        self._attempts: dict[Step, StepAttempt] = {}
        self._entered: dict[tuple[str, str | None], Step] = {}
        self._returned: set[int] = set()

    def act(self, observation: Observation) -> Action:
        """Answer dialogs, judge the last try, then do the next step."""
        # First, because the page behind a browser dialog cannot be read.
        if self.popups and observation.dialog is not None:
            return Action(kind="DIALOG", accept=True, text=observation.dialog.default or None)
        page = self._pointer.read(observation)
        # The last dialog in the document is on top.
        dialogs = reversed(page.dialogs() if self.popups else [])
        dialog = next((open_dialog for open_dialog in dialogs if not self._is_expected(page, open_dialog)), None)
        dialog_text = "" if dialog is None else page.visible_text(dialog)
        # An entry by position takes several actions. If a dialog opens in between, the rest is dropped.
        if self._queue and dialog_text == self._queue_dialog:
            return self._queue.pop(0)
        self._queue, self._queue_dialog = [], dialog_text
        if dialog is not None:
            return self._answer(page, dialog)
        answer_refused = self._popups.answer_was_refused(page)
        if self._last_attempt is not None and not self._judge(page, observation, self._last_attempt, answer_refused):
            return Action(kind="FAIL", message=f"This did not take effect: {described(self._last_attempt.step)}.")
        attempt, self._last_attempt = self._next_attempt(page), None
        return self._pending_action(page) or self._next(page, attempt)

    def _next(self, page: DomView, attempt: StepAttempt | None) -> Action:
        """Return the next action for a step; the final action if there is no step."""
        if attempt is None:
            return Action(kind="DONE", message="I saw every step take effect." if self.verify else "I did every step.")
        if attempt.step.verb == "go":
            attempt.tries += 1
            self._last_attempt = attempt
            return visit(attempt.step)
        if not (matches := targets(page, attempt.step)):
            return self._search(page, attempt)
        return self._try(page, attempt, matches)

    def _pending_action(self, page: DomView) -> Action | None:
        """Return an action to do before the next step, if any. Subclasses override it."""
        return None

    def _is_expected(self, page: DomView, dialog: HtmlElement) -> bool:
        """Whether a dialog contains a field of the previous, current or next step, so it belongs to the task."""
        # Only fields: a button of a pop-up may have the same name as the target.
        nearby_steps = self.brief.steps[max(self._position - 1, 0) : self._position + 2]
        fields = (match for step in nearby_steps if step.verb not in PRESSES for match in targets(page, step))
        return any(page.inside(field, dialog) for field in fields)

    def _answer(self, page: DomView, dialog: HtmlElement) -> Action:
        """Do the next step in a dialog; the last try is judged once the dialog is closed."""
        next_step = self._popups.next_step(page, dialog)
        if next_step is None:
            return Action(kind="FAIL", message=f"I cannot get past this: {page.visible_text(dialog)[:200]}")
        return self._begin_gesture(page, *next_step, "once")

    def _begin_gesture(self, page: DomView, step: Step, element: HtmlElement, gesture: Gesture) -> Action:
        first, *self._queue = self._pointer.do(page, step, element, gesture)
        return first

    def _judge(self, page: DomView, observation: Observation, attempt: StepAttempt, answer_refused: bool) -> bool:
        """Judge the effect of the last try; return whether to continue.

        A try that was dropped because of a wrong answer to a dialog does not count.
        """
        matches = targets(page, attempt.step)
        # The notice may be about something else, so the rest of the page must be unchanged, too.
        if answer_refused and page.digest(notices(page)) == attempt.before_sans_notices:
            # The notice about the wrong answer must not count as an effect of the next try.
            self._cues.update(notices(page))
            attempt.tries -= 1
            return True
        if not self.verify or self._took_effect(page, observation, attempt, matches):
            self._finish(attempt)
            return True
        new_gesture = False
        # The page only marked the target, which suggests another gesture.
        if attempt.marked_at is None and matches and attempt.marks(page, attempt.choice(matches)):
            attempt.marked_at = attempt.tries
            new_gesture = self.gesture
        # The first gesture after a mark is a new gesture, not a retry, so it does not depend on `retry`.
        return new_gesture or (self.retry and attempt.tries < self.most_tries)

    def _took_effect(
        self, page: DomView, observation: Observation, attempt: StepAttempt, matches: list[HtmlElement]
    ) -> bool:
        if attempt.step.verb not in PRESSES:
            # The field's own value shows whether the entry worked.
            return bool(matches) and holds(page, attempt.step, attempt.choice(matches))
        if attempt.step.verb == "go":
            return observation.url.startswith(attempt.step.target)
        # A link to its own page changes nothing visible, so a successful click counts as its effect.
        done = not observation.history or observation.history[-1][1].ok
        # A download does not change the page; only the outcome reports it.
        if observation.history and 'downloaded "' in observation.history[-1][1].detail:
            return True
        return page.digest(self._cues) != attempt.before or (attempt.leads_here and done and attempt.marked_at is None)

    def _finish(self, attempt: StepAttempt) -> None:
        step = attempt.step
        self._attempts.pop(step, None)
        if step.verb in PRESSES:
            # A press changes the page's state, so earlier tries and entries no longer apply.
            self._attempts.clear()
            self._entered.clear()
        else:
            self._entered[step.target, step.on] = step
        # A repaired entry belongs to an earlier step, so the position stays.
        if not attempt.is_repair:
            self._position += 1

    def _next_attempt(self, page: DomView) -> StepAttempt | None:
        """Return the attempt to work on: at a lost entry, else at the next step not yet done; None at the end."""
        while self._position < len(self.brief.steps):
            step = self.brief.steps[self._position]
            # Check entries again before the press that submits them, since one may have been lost.
            lost = next(self._lost_entries(page), None) if self.verify and step.verb == "press" else None
            attempt = self._attempts.setdefault(lost or step, StepAttempt(lost or step, is_repair=lost is not None))
            # A field that already has its value needs no action.
            matches = targets(page, step) if lost is None and self.verify and step.verb not in PRESSES else []
            if not matches or not holds(page, step, matches[0]):
                return attempt
            self._finish(attempt)
        return None

    def _lost_entries(self, page: DomView) -> Iterator[Step]:
        """Yield the steps since the last press whose entry is lost."""
        for step in self._entered.values():
            matches = targets(page, step)
            if matches and not holds(page, step, matches[0]):
                yield step

    def _try(self, page: DomView, attempt: StepAttempt, matches: list[HtmlElement]) -> Action:
        """Try the step on the current page."""
        # Without `gesture`, a control that was only selected is clicked again.
        gesture = self._pointer.pick(attempt.tries, attempt.marked_at) if self.gesture else "once"
        attempt.tries += 1
        element = attempt.choice(matches)
        if (scroll := self._pointer.aim(page, element)) is not None:
            # A scroll is not a try. The try was counted above because the count selects the element.
            attempt.tries -= 1
            return scroll
        attempt.note(page, element, self._cues)
        self._last_attempt = attempt
        return self._begin_gesture(page, attempt.step, element, gesture)

    def _search(self, page: DomView, attempt: StepAttempt) -> Action:
        """Look for a missing target: scroll, wait, reload, use the site's search, go back one page."""
        # In order of how much state they lose.
        moves = (self._scroll_on, self._wait, self._reload, self._fill_search, self._submit_search, self._go_back)
        for move in moves[attempt.searches :]:
            attempt.searches += 1
            if self.search and (action := move(page, attempt)) is not None:
                return action
        return Action(kind="FAIL", message=f"I did not find what I need: {described(attempt.step)}.")

    def _scroll_on(self, page: DomView, attempt: StepAttempt) -> Action | None:
        return Action(kind="SCROLL", delta=600)

    def _wait(self, page: DomView, attempt: StepAttempt) -> Action | None:
        return Action(kind="WAIT", seconds=1)

    def _reload(self, page: DomView, attempt: StepAttempt) -> Action | None:
        # A reload would lose unsubmitted entries.
        return None if self._entered else Action(kind="RELOAD")

    def _fill_search(self, page: DomView, attempt: StepAttempt) -> Action | None:
        """Type the target's name into the site's search, which can only find links."""
        boxes = page.any_of(("searchbox",))
        if not boxes or attempt.step.verb != "open":
            return None
        return Action(kind="FILL", selector=page.selector(boxes[0]), text=attempt.step.on or attempt.step.target)

    def _submit_search(self, page: DomView, attempt: StepAttempt) -> Action | None:
        filled_boxes = [box for box in page.any_of(("searchbox",)) if page.value(box)]
        return Action(kind="PRESS", selector=page.selector(filled_boxes[0]), key="Enter") if filled_boxes else None

    def _go_back(self, page: DomView, attempt: StepAttempt) -> Action | None:
        """Go back one page, and repeat the link before this step."""
        # Once per step, or a missing target would cause an endless loop.
        if self._position in self._returned:
            return None
        self._returned.add(self._position)
        if self._position and self.brief.steps[self._position - 1].verb in ("open", "go"):
            self._position -= 1
        # Leaving the page discards its entries.
        self._entered.clear()
        return Action(kind="GO_BACK")
