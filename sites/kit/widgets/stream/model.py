"""A list with a button that appends more rows."""

import re
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class Stream(Lists, Widget):
    """The first rows, and a button that appends more; without scripts, the button loads the longer page."""

    widget: Literal["stream"]
    show: tuple[AnyPart, ...]
    step: int = 6
    """Number of rows at first, and of further rows with each press."""
    style: Literal["", "list", "pair", "cards", "rows"] = "list"
    empty: Label = ""
    more: Label = "show_more"
    """Label key of the button."""
    failed: Label = "not_shown"
    """Label key of the text that is shown if the site cannot be reached."""

    def view(self, visit: Visit) -> Any:
        """Return the rows to show, the number of all rows, and the query of the longer list."""
        rows = visit.listed(self, visit.names)
        # Accept at most four digits: Python refuses to convert very long numbers, and a query must not break the page.
        wanted = visit.args.get("shown", "")
        steps = int(wanted) if re.fullmatch(r"[1-9]\d{0,3}", wanted) else 1
        first_rows = rows[: steps * self.step]
        rest = {name: text for name, text in visit.args.items() if name != "shown"}
        longer = {**rest, "shown": str(steps + 1)} if len(first_rows) < len(rows) else {}
        return {"rows": first_rows, "all": len(rows), "longer": longer, "path": visit.here.partition("?")[0]}
