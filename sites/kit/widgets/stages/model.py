"""The progress of a row through its stages."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label, StagedEntity
from stressweb.sites.kit.spec.widgets import Widget


class StagesOfRow(Widget):
    """The stages of a row of the page in order, with the current one marked."""

    widget: Literal["stages"]
    of: StagedEntity
    """Entity of the row, which must have `stages`."""
    row: str
    """Name of the page's row."""

    def view(self, visit: Visit) -> Any:
        """Return the label keys of the stages, and the number of completed stages."""
        stages = visit.spec.entities[self.of].stages
        assert stages is not None
        names: tuple[Label, ...] = stages.names
        return {"names": names, "at": names.index(visit.names[self.row].stage)}
