"""Walks a trajectory in a narrow window, in which a site may fold its menu and search behind buttons."""

from collections.abc import Awaitable

from lxml.html import HtmlElement

from stressweb.html.accessible_name import Names, role
from stressweb.perception.dom_view import DomView, fit
from stressweb.perception.targets import targets
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation
from stressweb.plugins.steps import Step


class MenuOpener(Agent):
    """Lets an agent do the steps of a trajectory, and opens the menu first if a step's target is in it.

    Trajectories have no steps for the menu, because a wide window shows everything. The agent skips steps with missing
    targets, as `naive` does.
    """

    name = "menu_opener"
    is_opening: bool = False
    """Whether the last action opened a menu, which is not part of the trajectory."""

    def __init__(self, walker: Agent) -> None:
        """Take the agent that does the steps."""
        self._walker = walker
        self.wants = walker.wants

    def start(self, brief: Brief) -> None:
        """Take the trajectory."""
        super().start(brief)
        self._walker.start(brief)
        self._remaining = [*brief.steps]

    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        """Open a menu if the next step needs it, else let the agent do the step."""
        page = DomView(observation)
        while self._remaining and self._remaining[0].verb != "go" and not targets(page, self._remaining[0]):
            if (button := opener(page, self._remaining[0])) is not None:
                self.is_opening = True
                return Action(kind="CLICK", selector=page.selector(button))
            del self._remaining[0]
        del self._remaining[:1]
        self.is_opening = False
        return self._walker.act(observation)


def opener(page: DomView, step: Step) -> HtmlElement | None:
    """Return the button that opens the hidden part of the page with a step's target; None if there is none."""
    for button in page.root.iter("button"):
        pane = next(iter(page.root.xpath("//*[@popover and @id = $id]", id=button.get("popovertarget", ""))), None)
        if pane is None or page.shown(pane) or not page.shown(button):
            continue
        names = Names(pane)
        if any(
            role(descendant) and fit(names.name(descendant), step.target) is not None for descendant in pane.iter("*")
        ):
            return button
    return None
