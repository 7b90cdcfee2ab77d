"""A form in a dialog."""

from typing import Any, Literal

from pydantic import model_validator

from stressweb.sites.kit.look import faces
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, Label, Template
from stressweb.sites.kit.spec.widgets import Widget, named_by_action


class Sheet(Widget):
    """A button that opens the form of an action in the browser's own dialog; after a refusal it is open again.

    Without scripts, the form is shown on the page.
    """

    widget: Literal["sheet"]
    action: Action
    label: Label
    """Label key of the button that sends the form; by default the action's name."""
    opens: Label
    """Label key of the button that opens the dialog."""
    heading: Label
    """Label key of the dialog's name; the wording is a template over the page."""
    face: Template = ""
    """Template of a person's name: the button looks like a field to write in, beside this person's face."""
    close: Label = "cancel"
    send: dict[str, Template] = {}
    """Hidden fields."""

    _named = model_validator(mode="before")(named_by_action)

    def view(self, visit: Visit) -> Any:
        """Return whether the form was just refused, and the address of the face."""
        form = visit.form(self.action, self.send, visit.names)
        face = faces.address(visit.fill(self.face, visit.names)) if self.face else ""
        return {"is_refused": any(field.error for field in form.fields), "face": face}
