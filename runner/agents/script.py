"""Shared by the scripted agents: check whether a step is done, and turn a step into an action."""

from lxml.html import HtmlElement

from stressweb.perception.dom_view import DomView, fit
from stressweb.plugins.actions import Action
from stressweb.plugins.steps import Step, Verb

PRESSES: frozenset[Verb] = frozenset(("open", "press", "go"))
"""Steps that are done once the page reacts; all others are done once a field has the right value."""


def visit(step: Step) -> Action:
    """Return the action that opens the address of a `go` step."""
    return Action(kind="NAVIGATE", url=step.target)


def holds(page: DomView, step: Step, element: HtmlElement) -> bool:
    """Return whether a field has the value of a step."""
    if step.verb == "enter":
        return page.reads(element, step.value or "")
    if step.verb == "choose":
        return page.chosen(element) == option(page, step, element)
    if step.verb == "upload":
        return page.files(element) == step.files
    return page.checked(element) == (step.verb == "tick")


def option(page: DomView, step: Step, element: HtmlElement) -> str:
    """Return the text of the option that best matches a step; the step's own value if none does."""
    ranked = [(rank, text) for text in page.options(element) if (rank := fit(text, step.value or "")) is not None]
    return min(ranked)[1] if ranked else step.value or ""


def plain(page: DomView, step: Step, element: HtmlElement) -> Action:
    """Return the action that does a step on an undisturbed page.

    A field whose label is drawn in its place is used through the label.
    """
    selector = page.selector(element)
    if step.verb == "upload":
        return Action(kind="UPLOAD", selector=selector, files=step.files)
    surface = page.surface(element)
    if surface is not element:
        return Action(kind="CLICK", selector=page.selector(surface))
    match step.verb:
        case "enter":
            return Action(kind="FILL", selector=selector, text=step.value or "")
        case "choose":
            return Action(kind="SELECT", selector=selector, option=option(page, step, element))
        case "tick":
            return Action(kind="CHECK", selector=selector)
        case "untick":
            return Action(kind="UNCHECK", selector=selector)
        case _:
            return Action(kind="CLICK", selector=selector)


def described(step: Step) -> str:
    """Describe a step, for messages."""
    value = f" {step.value!r}" if step.value is not None else ""
    return f"{step.verb} {step.target!r}{value}" + (f" on {step.on!r}" if step.on else "")
