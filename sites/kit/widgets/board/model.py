"""Rows as cards in columns."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, Label, Template
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class Board(Lists, Widget):
    """Cards that people drag between columns, and up and down.

    The page shows a move at once and sends it to the site. If the site refuses it or cannot be reached, the card moves
    back and the page shows the reason. Offer a way without dragging as well, such as a `menu` with `picks`.
    """

    widget: Literal["board"]
    column: str
    """Column of a row that has the card's column on the board."""
    columns: tuple[Label, ...]
    """Possible values of that column: label keys, which are also the headings of the board's columns."""
    action: Action
    """The action that moves a card. It gets the row's key as `field`, the column as `to`, and the key of the following
    card as `before`. At the end of a column, and beside its cards, `before` is missing."""
    field: str
    show: tuple[AnyPart, ...]
    empty: Label = ""
    """Label key of the text in a column without cards."""
    failed: Label = "not_sent"
    """Label key of the text that is shown if the site cannot be reached."""
    style: Template = ""
    """CSS class of the board: `kit-board-calm`, `kit-board-dense` or `kit-board-bright`."""

    def view(self, visit: Visit) -> Any:
        """Return the cards of each column in order."""
        rows = visit.listed(self, visit.names)
        return {column: [row for row in rows if row[self.column] == column] for column in self.columns}
