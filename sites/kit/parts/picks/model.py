"""One button for each option of a field, such as the places that a row can go to."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, Label, Template
from stressweb.sites.kit.spec.widgets import Part


class Picks(Part):
    """The options of one field of an action as buttons that send it at once; the one that holds now is left out."""

    part: Literal["picks"]
    action: Action
    field: str
    """The field, of the type `choice`; its `value` says which option holds now."""
    send: dict[str, Template] = {}
    """Hidden fields of the form."""
    label: Label = ""
    """Label key of what stands above the buttons."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the form, and value and text of each option that does not hold now."""
        form = visit.form(self.action, self.send, names)
        (picked,) = (entry for entry in form.fields if entry.name == self.field)
        now = picked.spec.first(names)
        return {"form": form, "options": {value: text for value, text in picked.it.items() if value and value != now}}
