"""A bar to undo the last change."""

from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import model_validator

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, EntityName, Label
from stressweb.sites.kit.spec.widgets import Widget, named_by_action
from stressweb.sites.kit.wording.dates import moment


class Undo(Widget):
    """A bar with which people can undo the last change, until they make another one.

    `column` of the entities has the moment at which a row was deleted or archived. The site's time alone determines
    which rows were changed last, so the bar is still there after a reload.
    """

    widget: Literal["undo"]
    action: Action
    """The action that undoes the change; its hidden field `at` gets the moment."""
    label: Label
    """Label key of the button; by default the action's name."""
    text: Label
    """Label key of the bar's text; `count` is the number of rows, `name` the name of the first one."""
    entities: tuple[EntityName, ...]
    column: str

    _named = model_validator(mode="before")(named_by_action)

    def view(self, visit: Visit) -> Any:
        """Return the moment of the last change, and the number and name of its rows; None if nothing can be undone."""
        # Every write uses the current time and then advances it by a second.
        last = moment(datetime.fromisoformat(str(visit.names["now"])) - timedelta(seconds=1))
        rows = [row for entity in self.entities for row in visit.store.where(entity, {self.column: last})]
        return {"at": last, "count": len(rows), "name": rows[0].name} if rows else None
