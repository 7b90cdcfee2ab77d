"""Rows as cards in columns."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, Label, Template
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class Board(Lists, Widget):
    """Cards that are dragged from column to column, and up and down.

    The page shows a move at once and tells the site without being loaded anew. If the site refuses, or cannot be
    reached, the card goes back, and the page says why. Give the cards a way that needs no dragging, such as a `menu`
    with `picks`.
    """

    widget: Literal["board"]
    column: str
    """Column of a row that says in which column of the board it stands."""
    columns: tuple[Label, ...]
    """What that column of a row can hold: label keys, each the heading of a column."""
    action: Action
    """What moves a card: it gets the row's key as `field`, the column as `to`, and as `before` the key of the card that
    follows, or nothing at the end. A card that is dropped beside all cards of another column goes there without
    `before`."""
    field: str
    show: tuple[AnyPart, ...]
    empty: Label = ""
    """Label key of what stands in a column without cards."""
    failed: Label = "not_sent"
    """Label key of what is said if the site cannot be reached."""
    style: Template = ""
    """Class of the board: `kit-board-calm`, `kit-board-dense` and `kit-board-bright` are there."""

    def view(self, visit: Visit) -> Any:
        """Return the cards of each column in their order."""
        rows = visit.listed(self, visit.names)
        return {column: [row for row in rows if row[self.column] == column] for column in self.columns}
