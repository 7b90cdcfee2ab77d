"""A way back from what was done last."""

from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import model_validator

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, EntityName, Label
from stressweb.sites.kit.spec.widgets import Widget, named_by_action
from stressweb.sites.kit.wording.dates import moment


class Undo(Widget):
    """A bar that takes back the last thing that was done, until something else is done.

    `column` of the entities holds the moment at which a row was put aside. Which rows were put aside last
    follows from the time alone, so that the bar is there for whoever loads the page again.
    """

    widget: Literal["undo"]
    action: Action
    """What takes it back; its hidden field `at` gets the moment."""
    label: Label
    """Label key of the button; the action's name unless said otherwise."""
    text: Label
    """Label key of what is said; `count` is how many rows there are, `name` what the first of them is called."""
    entities: tuple[EntityName, ...]
    column: str

    _named = model_validator(mode="before")(named_by_action)

    def view(self, visit: Visit) -> Any:
        """Return the moment and what was put aside then; nothing if something else was done since."""
        # Every write moves the time on by a second, after it has read it.
        last = moment(datetime.fromisoformat(str(visit.names["now"])) - timedelta(seconds=1))
        rows = [row for entity in self.entities for row in visit.store.where(entity, {self.column: last})]
        return {"at": last, "count": len(rows), "name": rows[0].name} if rows else None
