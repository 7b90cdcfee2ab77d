"""Several lines of text."""

from typing import Literal

from stressweb.sites.kit.spec.fields import Line


class Long(Line):
    """Several lines of text."""

    type: Literal["long"]
