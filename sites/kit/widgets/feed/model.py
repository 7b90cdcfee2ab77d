"""A list that a script draws from JSON."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Feed(Widget):
    """Items in groups, which the page's script fetches; see `script.js` for the format of the feed."""

    widget: Literal["feed"]
    path: Template
    """Template of the feed's path and query."""
    loading: Label = "loading"
    failed: Label = "failed"
    empty: Label
