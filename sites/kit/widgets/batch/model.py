"""Several things at once."""

from typing import TYPE_CHECKING, Any, Literal

from sites.kit.shown import AnyPart, Lists, Widget
from sites.kit.strict import Action, Label, Template

if TYPE_CHECKING:
    from sites.kit.visit import Visit


class Batch(Lists, Widget):
    """Rows to tick, and what can be done with those that are ticked."""

    widget: Literal["batch"]
    show: tuple[AnyPart, ...] = ()
    actions: tuple[Action, ...]
    """What can be done; each has a field of type `rows` and bears its own label."""
    send: dict[str, Template] = {}
    empty: Label = ""

    def view(self, visit: "Visit") -> Any:
        """Return the rows, the form of each action, and the field of each that holds what is ticked."""
        forms = [visit.form(action, self.send, visit.names) for action in self.actions]
        ticked = [field for form in forms for field in form.fields if field.spec.many]
        return {"rows": visit.listed(self, visit.names), "forms": forms, "ticked": ticked}
