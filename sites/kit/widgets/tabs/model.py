"""Tabs with groups of widgets."""

from typing import Any, Literal
from urllib.parse import urlencode

from pydantic import Field

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyWidget, Widget


class Tabs(Widget):
    """Tabs. The query selects the open one, so links can lead to each tab and the back button works."""

    widget: Literal["tabs"]
    label: Label
    """Label key of the tabs' name for screen readers."""
    tabs: dict[Label, tuple[AnyWidget, ...]] = Field(min_length=1)
    """Widgets of each tab, by its label key. The first tab is open by default."""

    def view(self, visit: Visit) -> Any:
        """Return the label key and the path of each tab, and the key of the open one."""
        wanted = visit.args.get("tab", "")
        open_tab = wanted if wanted in self.tabs else next(iter(self.tabs))
        rest = {name: text for name, text in visit.args.items() if name != "tab"}
        path = visit.here.partition("?")[0]
        return {"at": open_tab, "tabs": [(name, f"{path}?{urlencode({**rest, 'tab': name})}") for name in self.tabs]}
