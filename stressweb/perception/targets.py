"""Finds the elements of a page that a step may mean."""

from lxml.html import HtmlElement

from stressweb.html.accessible_name import role
from stressweb.perception.dom_view import DomView
from stressweb.plugins.steps import Step, Verb

ROLES: dict[Verb, tuple[str, ...]] = {
    "open": ("link", "tab", "menuitem", "button"),
    "press": ("button", "tab", "menuitem", "link"),
    "enter": ("textbox", "searchbox", "spinbutton", "combobox"),
    "choose": ("combobox", "listbox"),
    "tick": ("checkbox", "radio", "switch"),
    "untick": ("checkbox", "switch"),
    "go": (),
    # A file field is a button that opens the browser's list of files.
    "upload": ("button",),
}
"""Roles of a step's target, the most likely first."""


def targets(page: DomView, step: Step) -> list[HtmlElement]:
    """Return the elements that a step may mean, the most likely first; for clicks, all of one role."""
    matches = page.find(ROLES[step.verb], step.target, step.on)
    # The role alone does not determine the action: a combobox may be a field with suggestions.
    if step.verb == "choose":
        return [element for element in matches if element.tag == "select"]
    if step.verb == "enter":
        return [element for element in matches if element.tag in ("input", "textarea") or page.edited(element)]
    if step.verb == "upload":
        return [element for element in matches if page.takes_files(element)]
    matches = [element for element in matches if element.get("type") != "file"]
    # A link with the name of a button does something else, so it is not used as a fallback.
    # If nothing was found, `found[0]` is never asked for.
    return [element for element in matches if role(element) == role(matches[0])]
