"""A row of widgets."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyWidget, Widget


class Bar(Widget):
    """Widgets side by side, wrapped where there is no room."""

    widget: Literal["bar"]
    opens: Label = ""
    """Label key of the button behind which they are in a narrow window; without it, they stand on the page."""
    widgets: tuple[AnyWidget, ...]
