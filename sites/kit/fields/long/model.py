"""Several lines of text."""

from typing import Literal

from sites.kit.asked import Line


class Long(Line):
    """Several lines of text."""

    type: Literal["long"]
