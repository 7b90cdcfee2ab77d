"""A list that grows: a button shows more of it and keeps what is there."""

import re
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class Stream(Lists, Widget):
    """The first rows, and a button that adds as many again; without scripts it asks for the longer page."""

    widget: Literal["stream"]
    show: tuple[AnyPart, ...]
    step: int = 6
    """How many rows are there at first, and come with each press."""
    style: Literal["", "list", "pair", "cards", "rows"] = "list"
    empty: Label = ""
    more: Label = "show_more"
    """Label key of the button."""
    failed: Label = "not_shown"
    """Label key of what is said if the site cannot be reached."""

    def view(self, visit: Visit) -> Any:
        """Return the rows of this length of the list, how many there are in all, and the query of a longer one."""
        rows = visit.listed(self, visit.names)
        # At most four digits: Python refuses to convert very long numbers, and a query must never break the page.
        wanted = visit.args.get("shown", "")
        steps = int(wanted) if re.fullmatch(r"[1-9]\d{0,3}", wanted) else 1
        first_rows = rows[: steps * self.step]
        rest = {name: text for name, text in visit.args.items() if name != "shown"}
        longer = {**rest, "shown": str(steps + 1)} if len(first_rows) < len(rows) else {}
        return {"rows": first_rows, "all": len(rows), "longer": longer, "path": visit.here.partition("?")[0]}
