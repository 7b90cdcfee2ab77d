"""Widgets of which one group is shown at a time."""

from typing import Any, Literal
from urllib.parse import urlencode

from pydantic import Field

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyWidget, Widget


class Tabs(Widget):
    """Tabs; the query says which is open, so that a link can lead to each, and going back leads to the one before."""

    widget: Literal["tabs"]
    label: Label
    """Label key of what the tabs are called where they are heard and not seen."""
    tabs: dict[Label, tuple[AnyWidget, ...]] = Field(min_length=1)
    """Label key of each tab, and what it shows. The first is open if the query names none."""

    def view(self, visit: Visit) -> Any:
        """Return the label key and the address of each tab, and the key of the open one."""
        wanted = visit.args.get("tab", "")
        open_tab = wanted if wanted in self.tabs else next(iter(self.tabs))
        rest = {name: text for name, text in visit.args.items() if name != "tab"}
        path = visit.here.partition("?")[0]
        return {"at": open_tab, "tabs": [(name, f"{path}?{urlencode({**rest, 'tab': name})}") for name in self.tabs]}
