"""Goes a way in a narrow window, in which a site may keep its menu and its search behind buttons."""

from lxml.html import HtmlElement

from runner.agents.naive import Naive
from stressweb.html.accessible_name import Names, role
from stressweb.perception.dom_view import DomView, fit
from stressweb.perception.targets import targets
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Observation
from stressweb.plugins.steps import Step


class MenuOpener(Naive):
    """Does what `naive` does, and opens the menu first where the target of a step is in it.

    A trajectory says nothing of that: in a wide window there is nothing to open.
    """

    is_opening: bool = False
    """Whether the last action opened a menu, and so is no action of the trajectory."""

    def act(self, observation: Observation) -> Action:
        """Open a menu if the next step needs it, else do that step."""
        page = DomView(observation)
        step = next(iter(self._left), None)
        button = None if step is None or step.verb == "go" or targets(page, step) else opener(page, step)
        self.is_opening = button is not None
        return super().act(observation) if button is None else Action(kind="CLICK", selector=page.selector(button))


def opener(page: DomView, step: Step) -> HtmlElement | None:
    """Return the button that shows the part of the page in which the target of a step is hidden; None if none does."""
    for button in page.root.iter("button"):
        pane = next(iter(page.root.xpath("//*[@popover and @id = $id]", id=button.get("popovertarget", ""))), None)
        if pane is None or page.shown(pane) or not page.shown(button):
            continue
        names = Names(pane)
        if any(role(inside) and fit(names.name(inside), step.target) is not None for inside in pane.iter("*")):
            return button
    return None
