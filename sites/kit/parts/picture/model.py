"""A picture of an item."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.spec.strict import Template
from stressweb.sites.kit.spec.widgets import Part


class Picture(Part):
    """A square picture."""

    part: Literal["picture"]
    text: Template
    """Address of the picture: `/pictures/MOTIF/KEY.svg`."""
    thumb: bool = False
    """Whether it is small."""

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column with the part's name as default of the address."""
        return {"text": f"{{row.{key}}}"}
