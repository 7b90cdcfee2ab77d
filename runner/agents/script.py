"""What every scripted agent shares: from a step's words to elements, to their state and to an action."""

from lxml.html import HtmlElement

from stressweb.html.accessible_name import role
from stressweb.perception.dom_view import DomView, fit
from stressweb.plugins.actions import Action
from stressweb.plugins.steps import Step, Verb

ROLES: dict[Verb, tuple[str, ...]] = {
    "open": ("link", "tab", "menuitem", "button"),
    "press": ("button", "tab", "menuitem", "link"),
    "enter": ("textbox", "searchbox", "spinbutton", "combobox"),
    "choose": ("combobox", "listbox"),
    "tick": ("checkbox", "radio", "switch"),
    "untick": ("checkbox", "switch"),
    "go": (),
    # A file field is a button that opens the browser's own list of files.
    "upload": ("button",),
}
"""What a step may mean by its target, the likeliest role first."""

PRESSES: frozenset[Verb] = frozenset(("open", "press", "go"))
"""Steps that are done once the page has answered; the others are done once a field holds what it should."""


def visit(step: Step) -> Action:
    """Return the action that goes to the address of another part of a chain."""
    return Action(kind="NAVIGATE", url=step.target)


def targets(page: DomView, step: Step) -> list[HtmlElement]:
    """Return the elements that a step may mean, the likeliest first; what is pressed, all of one role."""
    found = page.find(ROLES[step.verb], step.target, step.on)
    # The role alone does not say what the browser can set: a combobox may be a field with suggestions.
    if step.verb == "choose":
        return [element for element in found if element.tag == "select"]
    if step.verb == "enter":
        return [element for element in found if element.tag in ("input", "textarea") or page.edited(element)]
    if step.verb == "upload":
        return [element for element in found if page.takes_files(element)]
    found = [element for element in found if element.get("type") != "file"]
    # A link with the name of a button does something else, so it is not used as a fallback.
    # If nothing was found, `found[0]` is never asked for.
    return [element for element in found if role(element) == role(found[0])]


def holds(page: DomView, step: Step, element: HtmlElement) -> bool:
    """Whether a field is as the step wants it."""
    if step.verb == "enter":
        return page.reads(element, step.value or "")
    if step.verb == "choose":
        return page.chosen(element) == option(page, step, element)
    if step.verb == "upload":
        return page.files(element) == step.files
    return page.checked(element) == (step.verb == "tick")


def option(page: DomView, step: Step, element: HtmlElement) -> str:
    """Return the text of the option that a step means, as the page has it; the step's own words if there is none."""
    ranked = [(rank, text) for text in page.options(element) if (rank := fit(text, step.value or "")) is not None]
    return min(ranked)[1] if ranked else step.value or ""


def plain(page: DomView, step: Step, element: HtmlElement) -> Action:
    """Return the one action that does a step where everything is as it should be.

    A field that is not drawn itself is used through its label.
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


def said(step: Step) -> str:
    """Say a step in words, for messages."""
    value = f" {step.value!r}" if step.value is not None else ""
    return f"{step.verb} {step.target!r}{value}" + (f" on {step.on!r}" if step.on else "")
