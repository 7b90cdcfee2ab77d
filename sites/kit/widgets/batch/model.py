"""Several things at once."""

from typing import Any, Literal

from stressweb.sites.kit.serving.paging import paged
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, Label, Template
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class Batch(Lists, Widget):
    """Rows to tick, and what can be done with those that are ticked."""

    widget: Literal["batch"]
    show: tuple[AnyPart, ...] = ()
    actions: tuple[Action, ...]
    """What can be done; each has a field of type `rows` and bears its own label."""
    send: dict[str, Template] = {}
    empty: Label = ""
    bare: bool = False
    """Whether a box bears its name unseen, because the parts of its row say it."""
    opens: Label = ""
    """Label key of the button behind which the actions are in a narrow window; without it, they stand on the page."""
    tick_all: Label = ""
    """Label key of a button that ticks every box of the page."""
    per_page: Template = ""
    """How many rows a page has; all of them unless said otherwise."""
    style: Template = ""
    """Class of each row."""

    def view(self, visit: Visit) -> Any:
        """Return the rows of this page, the form of each action, and the field of each that holds what is ticked."""
        forms = [visit.form(action, self.send, visit.names, self.actions) for action in self.actions]
        ticked = [field for form in forms for field in form.fields if field.spec.many]
        rows = visit.listed(self, visit.names)
        size = int(visit.fill(self.per_page, visit.names)) if self.per_page else max(1, len(rows))
        query = {name: text for name, text in visit.args.items() if name != "page"}
        return {"page": paged(rows, size, visit.args.get("page", "1"), query), "forms": forms, "ticked": ticked}
