"""A form whose answers go into the query of the next page."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.fields import Fields
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Ask(Widget):
    """Fields whose answers go into the query of the next page; it changes no data."""

    widget: Literal["ask"]
    path: Template
    """Template of the next page's path."""
    label: Label
    """Label key of the button."""
    fields: Fields
    panel: bool = False
    """Whether the form stands out on a panel, as at the top of a home page."""
    send: dict[str, Template] = {}
    """Hidden fields; empty ones are omitted."""

    def view(self, visit: Visit) -> Any:
        """Return the visible fields, and the hidden fields with their values."""
        sent = {name: visit.fill(text, visit.names) for name, text in self.send.items()}
        filled = {name: text for name, text in sent.items() if text}
        return {"fields": visit.fields(self.fields, visit.names), "sent": filled}
