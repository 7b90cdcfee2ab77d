"""The agent that runs the trajectory and checks every step: it verifies, retries, answers pop-ups, searches."""

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
"""Gestures after which a step is given up: at a rate of loss of 0.5, one step in a million."""
# At a rate of loss of 0.5, twelve in a row are lost by chance once in 4,000 times: that the element is the wrong one is
# then the likelier reason.
TRIES_PER_CANDIDATE = 12
"""Gestures on one of several elements of the same name before the next is tried."""

POINTERS: Mapping[str, type[Pointer]] = {"selector": BySelector, "coordinates": ByCoordinates, "tree": ByTree}

FEW = 4
"""Elements that may change their style when one is marked: itself, its label, and what was marked before."""


@dataclass
class StepAttempt:
    """What was tried for one step, and how the page was before the last try."""

    step: Step
    again: bool = False
    """Whether the step was done before and its entry was lost."""
    tries: int = 0
    marked_at: int | None = None
    """Number of tries after which the target was seen to be selected, without having acted."""
    before: str = ""
    bare: str = ""
    """The page before the last try, without what it said in passing."""
    look: str = ""
    style_counts: Counter[str] = field(default_factory=Counter)
    here: bool = False
    """Whether the link leads to the page on which it stands, so that nothing will change."""
    searched: int = 0

    def choice(self, matches: list[HtmlElement]) -> HtmlElement:
        """Return the element of the try that was counted last."""
        return matches[max(self.tries - 1, 0) // TRIES_PER_CANDIDATE % len(matches)]

    def note(self, page: DomView, element: HtmlElement, cues: Iterable[str]) -> None:
        """Remember how page and target are before a try; `cues` are told apart from what the page says itself."""
        self.before, self.bare = page.digest(cues), page.digest(notices(page))
        self.look, self.style_counts = page.style_signature(element), page.style_counts
        self.here = self.step.verb == "open" and page.leads_here(element)

    def marks(self, page: DomView, element: HtmlElement) -> bool:
        """Whether the last try left a mark on its target, and on little else: a page loaded anew differs all over."""
        return page.style_signature(element) != self.look and (self.style_counts - page.style_counts).total() <= FEW


class Resilient(Agent):
    """Verifies every step on the page, retries what had no effect, and claims success only if every step took effect.

    It gets the words of the steps and the observation, nothing else. Without `verify` it assumes that every action
    worked. Without `retry` it never repeats a gesture. Without `gesture` it never tries another gesture where a click
    did nothing. Without `popups` it ignores dialogs, both the page's and the browser's. Without `search` it gives up
    when a target is missing. With pointer "coordinates" it clicks and types by position and keyboard only; it still
    sets lists and date fields by selector, because their pop-ups are not part of the page. With pointer "tree" it sees
    only the accessibility tree.
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
        """Gestures after which a step is given up."""
        self._pointer = POINTERS[pointer]()
        self.wants = self._pointer.wants

    def start(self, brief: Brief) -> None:
        """Take the trajectory."""
        super().start(brief)
        self._position = 0
        self._queue: list[Action] = []
        self._queued_in = ""
        self._popups = Popups()
        self._cues: set[str] = set()
        self._tried: StepAttempt | None = None
        # By step, so that an entry that is repaired in between does not make the agent forget what it has tried.
        self._efforts: dict[Step, StepAttempt] = {}
        self._entered: dict[tuple[str, str | None], Step] = {}
        self._returned: set[int] = set()

    def act(self, observation: Observation) -> Action:
        """Answer what came between, judge the last try, then do what is due."""
        # First of all: behind a dialog of the browser nothing can be read.
        if self.popups and observation.dialog is not None:
            return Action(kind="DIALOG", accept=True, text=observation.dialog.default or None)
        page = self._pointer.read(observation)
        # The last one in the document lies on top of the others.
        dialogs = reversed(page.dialogs() if self.popups else [])
        dialog = next((open_dialog for open_dialog in dialogs if not self._is_expected(page, open_dialog)), None)
        place = "" if dialog is None else page.visible_text(dialog)
        # An entry by position takes several actions. If a dialog opens between them, the rest would go to the wrong
        # place.
        if self._queue and place == self._queued_in:
            return self._queue.pop(0)
        self._queue, self._queued_in = [], place
        if dialog is not None:
            return self._answer(page, dialog)
        refused = self._popups.refused(page)
        if self._tried is not None and not self._judge(page, observation, self._tried, refused):
            return Action(kind="FAIL", message=f"This did not take effect: {described(self._tried.step)}.")
        effort, self._tried = self._due(page), None
        return self._interlude(page) or self._next(page, effort)

    def _next(self, page: DomView, effort: StepAttempt | None) -> Action:
        """Return what is to be done for a step; the end, if there is none."""
        if effort is None:
            return Action(kind="DONE", message="I saw every step take effect." if self.verify else "I did every step.")
        if effort.step.verb == "go":
            effort.tries += 1
            self._tried = effort
            return visit(effort.step)
        if not (matches := targets(page, effort.step)):
            return self._search(page, effort)
        return self._try(page, effort, matches)

    def _interlude(self, page: DomView) -> Action | None:
        """Return an action that comes before the next step; None if there is nothing to do in between."""
        return None

    def _is_expected(self, page: DomView, dialog: HtmlElement) -> bool:
        """Whether a dialog holds a field of the step before, of this one or the next: it is a part of the way."""
        # Fields and no buttons: those of a dialog that came between may bear the name of one that is sought.
        near = self.brief.steps[max(self._position - 1, 0) : self._position + 2]
        fields = (match for step in near if step.verb not in PRESSES for match in targets(page, step))
        return any(page.inside(field, dialog) for field in fields)

    def _answer(self, page: DomView, dialog: HtmlElement) -> Action:
        """Do the next thing that a dialog asks for; what was tried before it is judged when it is gone."""
        due = self._popups.due(page, dialog)
        if due is None:
            return Action(kind="FAIL", message=f"I cannot get past this: {page.visible_text(dialog)[:200]}")
        return self._do(page, *due, "once")

    def _do(self, page: DomView, step: Step, element: HtmlElement, gesture: Gesture) -> Action:
        first, *self._queue = self._pointer.do(page, step, element, gesture)
        return first

    def _judge(self, page: DomView, observation: Observation, effort: StepAttempt, refused: bool) -> bool:
        """Take note of what the last try did; return whether there is anything left to try.

        A try that was dropped because a dialog was answered wrongly was none.
        """
        matches = targets(page, effort.step)
        # A notice alone may also be about something else: only a page that is otherwise as it was shows that nothing
        # was done.
        if refused and page.digest(notices(page)) == effort.bare:
            # What the page says about the wrong answer must not be taken for an effect of the next try.
            self._cues.update(notices(page))
            effort.tries -= 1
            return True
        if not self.verify or self._took(page, observation, effort, matches):
            self._finish(effort)
            return True
        fresh = False
        # The page did nothing but mark the target: that is the cue for another gesture.
        if effort.marked_at is None and matches and effort.marks(page, effort.choice(matches)):
            effort.marked_at = effort.tries
            fresh = self.gesture
        # The first gesture after a mark is another one, and no repetition: it is not what `retry` switches off.
        return fresh or (self.retry and effort.tries < self.most_tries)

    def _took(self, page: DomView, observation: Observation, effort: StepAttempt, matches: list[HtmlElement]) -> bool:
        if effort.step.verb not in PRESSES:
            # A field says itself whether it was filled in: nothing else on the page has to change.
            return bool(matches) and holds(page, effort.step, effort.choice(matches))
        if effort.step.verb == "go":
            return observation.url.startswith(effort.step.target)
        # A link to its own page changes nothing that can be seen, so that a click that was done has to count as its
        # effect.
        done = not observation.history or observation.history[-1][1].ok
        # A download leaves the page as it is: that it came is said by the browser alone.
        if observation.history and 'downloaded "' in observation.history[-1][1].detail:
            return True
        return page.digest(self._cues) != effort.before or (effort.here and done and effort.marked_at is None)

    def _finish(self, effort: StepAttempt) -> None:
        step = effort.step
        self._efforts.pop(step, None)
        if step.verb in PRESSES:
            # A press leads to another state of the page, in which nothing that was tried before says anything.
            self._efforts.clear()
            self._entered.clear()
        else:
            self._entered[step.target, step.on] = step
        # An entry that was put back was done before; the step at which the agent stands is another one.
        if not effort.again:
            self._position += 1

    def _due(self, page: DomView) -> StepAttempt | None:
        """Return what to work at: an entry that was lost, else the next step that is not yet done; None at the end."""
        while self._position < len(self.brief.steps):
            step = self.brief.steps[self._position]
            # Entries are looked at once more before the press that sends them: one may have been lost meanwhile.
            lost = next(self._lost(page), None) if self.verify and step.verb == "press" else None
            effort = self._efforts.setdefault(lost or step, StepAttempt(lost or step, again=lost is not None))
            # A field that already holds its value needs no action: acting on it could only do harm.
            matches = targets(page, step) if lost is None and self.verify and step.verb not in PRESSES else []
            if not matches or not holds(page, step, matches[0]):
                return effort
            self._finish(effort)
        return None

    def _lost(self, page: DomView) -> Iterator[Step]:
        """Yield the steps since the last page whose entry is no longer there."""
        for step in self._entered.values():
            matches = targets(page, step)
            if matches and not holds(page, step, matches[0]):
                yield step

    def _try(self, page: DomView, effort: StepAttempt, matches: list[HtmlElement]) -> Action:
        """Carry out the step once more, on the page as it is now."""
        # Without `gesture` a control that was only selected is clicked again and again, as an agent does that knows
        # nothing else.
        gesture = self._pointer.pick(effort.tries, effort.marked_at) if self.gesture else "once"
        effort.tries += 1
        element = effort.choice(matches)
        if (scroll := self._pointer.aim(page, element)) is not None:
            # It was counted first, since the count chooses the element; a scroll is no try.
            effort.tries -= 1
            return scroll
        effort.note(page, element, self._cues)
        self._tried = effort
        return self._do(page, effort.step, element, gesture)

    def _search(self, page: DomView, effort: StepAttempt) -> Action:
        """Look for a target that is missing: further down, later, afresh, by the site's search, one page back."""
        # From what loses least to what loses most.
        for move in (self._further, self._later, self._afresh, self._ask, self._confirm, self._back)[effort.searched :]:
            effort.searched += 1
            if self.search and (action := move(page, effort)) is not None:
                return action
        return Action(kind="FAIL", message=f"I did not find what I need: {described(effort.step)}.")

    def _further(self, page: DomView, effort: StepAttempt) -> Action | None:
        return Action(kind="SCROLL", delta=600)

    def _later(self, page: DomView, effort: StepAttempt) -> Action | None:
        return Action(kind="WAIT", seconds=1)

    def _afresh(self, page: DomView, effort: StepAttempt) -> Action | None:
        # A reload would lose what was entered and not sent.
        return None if self._entered else Action(kind="RELOAD")

    def _ask(self, page: DomView, effort: StepAttempt) -> Action | None:
        """Type what is sought into the site's search; only a link can be found that way."""
        boxes = page.any_of(("searchbox",))
        if not boxes or effort.step.verb != "open":
            return None
        return Action(kind="FILL", selector=page.selector(boxes[0]), text=effort.step.on or effort.step.target)

    def _confirm(self, page: DomView, effort: StepAttempt) -> Action | None:
        filled_boxes = [box for box in page.any_of(("searchbox",)) if page.value(box)]
        return Action(kind="PRESS", selector=page.selector(filled_boxes[0]), key="Enter") if filled_boxes else None

    def _back(self, page: DomView, effort: StepAttempt) -> Action | None:
        """Go back once for each step, and follow the link before it again."""
        # Once for each step, or a target that is nowhere would lead back and forth for ever.
        if self._position in self._returned:
            return None
        self._returned.add(self._position)
        if self._position and self.brief.steps[self._position - 1].verb in ("open", "go"):
            self._position -= 1
        # What was entered went with the page that is left.
        self._entered.clear()
        return Action(kind="GO_BACK")
