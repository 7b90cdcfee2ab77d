"""Links that look like buttons."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, Self

from pydantic import model_validator

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Shown(NamedTuple):
    """What the template gets."""

    current: tuple[str, ...]
    """Labels to mark."""
    rows: Mapping[str, str]
    """Words and path of the link of each row."""


class Links(Widget):
    """Links side by side; the label that the page calls `current` is marked, or each of several."""

    widget: Literal["links"]
    links: dict[Label, Template] = {}
    """Label key and path of each link."""
    row: str = ""
    """Path of rows at hand that have a link each, after those of `links`."""
    says: Template = ""
    """Template of what such a link says."""
    path: Template = ""
    """Template of where it leads."""
    style: Literal["light", "success"] = "light"

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if not (self.links or self.row) or bool(self.row) != bool(self.says and self.path):
            raise ValueError("needs links, or row with says and path")
        return self

    def view(self, visit: Visit) -> Shown:
        """Return the labels to mark, and the links of rows."""
        current = visit.names.get("current", "")
        rows = follow(self.row, visit.names) if self.row else ()
        names = [{**visit.names, "row": row} for row in rows]
        links = {visit.fill(self.says, known): visit.fill(self.path, known) for known in names}
        return Shown((current,) if isinstance(current, str) else tuple(current), links)
