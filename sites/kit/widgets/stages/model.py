"""How far something is on its way."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label, StagedEntity
from stressweb.sites.kit.spec.widgets import Widget


class StagesOfRow(Widget):
    """The stages of a row of the page in their order; the one that it has reached is marked."""

    widget: Literal["stages"]
    of: StagedEntity
    """Entity of the row, which has `stages`."""
    row: str
    """Name of the page's row."""

    def view(self, visit: Visit) -> Any:
        """Return the label key of each stage, and how many lie behind the row."""
        stages = visit.spec.entities[self.of].stages
        assert stages is not None
        names: tuple[Label, ...] = stages.names
        return {"names": names, "at": names.index(visit.names[self.row].stage)}
