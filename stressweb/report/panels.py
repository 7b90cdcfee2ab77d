"""Panels of a chart: small plots side by side with common rows."""

import html
from math import ceil
from typing import Any

type Spec = dict[str, Any]

_GAP = 0.045
_HEAD, _FOOT = 24, 30
"""Pixels above the body of a panel, for its title, and below it, for its scale."""


class Panels:
    """Arranges plots in rows and assigns their axes."""

    def __init__(self, count: int, columns: int, body: int) -> None:
        """Take the number of panels, the most panels per row, and the height of a body in pixels."""
        self._columns = min(count, columns)
        self._rows = ceil(count / self._columns)
        self._body = max(body, 40)
        self._axes: Spec = {}
        self._titles: list[Spec] = []

    def axes(self, place: int) -> dict[str, str]:
        """Return the axes for the traces of a panel."""
        # plotly's names of axes: the first has no number, and the second is 2.
        number = "" if place == 0 else str(place + 1)
        return {"xaxis": f"x{number}", "yaxis": f"y{number}"}

    def place(self, place: int, title: str, x: Spec, y: Spec) -> None:
        """Set the axes of a panel; `title` is above it."""
        number = "" if place == 0 else str(place + 1)
        column, row = place % self._columns, place // self._columns
        # Charts are read and not zoomed: with a fixed range, touching one scrolls the page.
        look = {"gridcolor": "var(--line)", "linecolor": "var(--line)", "zeroline": False, "fixedrange": True}
        self._axes[f"xaxis{number}"] = {
            **look, **x, "anchor": f"y{number}", "domain": self._domain(column),
        }  # fmt: skip
        self._axes[f"yaxis{number}"] = {
            **look, **y, "anchor": f"x{number}", "domain": self._heights()[row], "automargin": True,
            "showticklabels": column == 0, "ticks": "",
        }  # fmt: skip
        if title:
            self._titles.append(self._title(place, title))

    def layout(self) -> Spec:
        """Return the layout of the whole figure, without colours and fonts of the page."""
        return {
            **self._axes,
            "annotations": self._titles,
            "height": self._height,
            "margin": {"l": 8, "r": 24, "t": _HEAD, "b": _FOOT},
            "showlegend": False,
            "hovermode": "closest",
            "dragmode": False,
        }

    @property
    def _height(self) -> int:
        return self._rows * self._body + (self._rows - 1) * (_HEAD + _FOOT) + _HEAD + _FOOT

    def _heights(self) -> list[list[float]]:
        # Domains are shares of the figure without its margins, which contain the first title and the last scale.
        inner_height = self._height - _HEAD - _FOOT
        tops = [inner_height - row * (self._body + _HEAD + _FOOT) for row in range(self._rows)]
        return [[max(0.0, (top - self._body) / inner_height), min(1.0, top / inner_height)] for top in tops]

    def _title(self, place: int, title: str) -> Spec:
        return {
            "text": f"<b>{plain(title)}</b>",
            "x": self._domain(place % self._columns)[0],
            "y": self._heights()[place // self._columns][1],
            "xref": "paper",
            "yref": "paper",
            "xanchor": "left",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 11},
        }

    def _domain(self, column: int) -> list[float]:
        width = (1 - _GAP * (self._columns - 1)) / self._columns
        left = column * (width + _GAP)
        # plotly rejects a domain above 1, even by rounding.
        return [left, min(1.0, left + width)]


def plain(text: str) -> str:
    """Return a text escaped for plotly, which interprets some markup."""
    return html.escape(text, quote=False)
