"""A form that asks for a page."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.fields import Fields
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Ask(Widget):
    """Fields whose answers stand in the query of the page that follows; nothing is changed."""

    widget: Literal["ask"]
    path: Template
    """Template of the path that it leads to."""
    label: Label
    """Label key of the button."""
    fields: Fields
    send: dict[str, Template] = {}
    """Hidden fields; those without a value are left out."""

    def view(self, visit: Visit) -> Any:
        """Return the fields, and the hidden ones with their values."""
        sent = {name: visit.fill(text, visit.names) for name, text in self.send.items()}
        filled = {name: text for name, text in sent.items() if text}
        return {"fields": visit.fields(self.fields, visit.names), "sent": filled}
