"""A list that a script draws from JSON."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Feed(Widget):
    """Items in groups, which the page's script asks for: see `script.js` for what the feed must answer."""

    widget: Literal["feed"]
    path: Template
    """Template of the address of the feed, with its query."""
    loading: Label = "loading"
    failed: Label = "failed"
    empty: Label
