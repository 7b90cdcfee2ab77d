"""Actions on several rows at once."""

from typing import Any, Literal

from stressweb.sites.kit.serving.paging import paged
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, Label, Template
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class Batch(Lists, Widget):
    """Rows with checkboxes, and actions on the ticked rows."""

    widget: Literal["batch"]
    show: tuple[AnyPart, ...] = ()
    actions: tuple[Action, ...]
    """The actions; each needs a field of type `rows`, and its name is the label key of its button."""
    send: dict[str, Template] = {}
    empty: Label = ""
    bare: bool = False
    """Whether the name of a checkbox is visually hidden, because the parts of its row show it."""
    opens: Label = ""
    """Label key of the button that opens the actions in a narrow window; without it, they are always on the page."""
    tick_all: Label = ""
    """Label key of a button that ticks all checkboxes of the page."""
    per_page: Template = ""
    """Number of rows on a page; by default all."""
    style: Template = ""
    """CSS class of each row."""

    def view(self, visit: Visit) -> Any:
        """Return the rows of this page, the form of each action, and the field of each form for the ticked rows."""
        forms = [visit.form(action, self.send, visit.names, self.actions) for action in self.actions]
        ticked = [field for form in forms for field in form.fields if field.spec.many]
        rows = visit.listed(self, visit.names)
        size = int(visit.fill(self.per_page, visit.names)) if self.per_page else max(1, len(rows))
        query = {name: text for name, text in visit.args.items() if name != "page"}
        return {"page": paged(rows, size, visit.args.get("page", "1"), query), "forms": forms, "ticked": ticked}
