"""A button for each option of a field, such as the places to which a row can be moved."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, Label, Template
from stressweb.sites.kit.spec.widgets import Part


class Picks(Part):
    """Buttons for the options of an action's field, which send the action at once; the current option has none."""

    part: Literal["picks"]
    action: Action
    field: str
    """Name of the field, which has the type `choice`; its `value` is the current option."""
    send: dict[str, Template] = {}
    """Hidden fields of the form."""
    label: Label = ""
    """Label key of the text above the buttons."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the form, and value and text of each option other than the current one."""
        form = visit.form(self.action, self.send, names)
        (picked,) = (entry for entry in form.fields if entry.name == self.field)
        current = picked.spec.first(names)
        return {
            "form": form,
            "options": {value: text for value, text in picked.it.items() if value and value != current},
        }
