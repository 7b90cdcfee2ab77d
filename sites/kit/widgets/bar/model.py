"""Widgets side by side."""

from typing import Literal

from sites.kit.spec.widgets import AnyWidget, Widget


class Bar(Widget):
    """Widgets side by side, as many as there is room for."""

    widget: Literal["bar"]
    widgets: tuple[AnyWidget, ...]
