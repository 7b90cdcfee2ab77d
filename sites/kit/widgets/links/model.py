"""Links that look like buttons."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, Self

from pydantic import model_validator

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Shown(NamedTuple):
    """The values for the template."""

    current: tuple[str, ...]
    """Label keys of the links to mark as current."""
    rows: Mapping[str, str]
    """Paths of the links of rows, by their text."""


class Links(Widget):
    """Links side by side; those whose label keys the page names in `current` are marked."""

    widget: Literal["links"]
    links: dict[Label, Template] = {}
    """Label key and path of each link."""
    row: str = ""
    """Path of rows that get a link each, after those of `links`."""
    says: Template = ""
    """Template of the text of a row's link."""
    path: Template = ""
    """Template of the path of a row's link."""
    style: Literal["light", "success", "segments"] = "light"
    """`segments` are joined in one line, as the switch between the views of a page."""
    signs: bool = False
    """Whether the links that have an icon show it instead of their label, which is then their accessible name."""

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if not (self.links or self.row) or bool(self.row) != bool(self.says and self.path):
            raise ValueError("needs links, or row with says and path")
        return self

    def view(self, visit: Visit) -> Shown:
        """Return the label keys to mark, and the links of rows."""
        current = visit.names.get("current", "")
        rows = follow(self.row, visit.names) if self.row else ()
        names = [{**visit.names, "row": row} for row in rows]
        links = {visit.fill(self.says, known): visit.fill(self.path, known) for known in names}
        return Shown((current,) if isinstance(current, str) else tuple(current), links)
