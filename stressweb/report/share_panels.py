"""Charts of shares in small panels side by side, by severity or by steps."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stressweb.report.panels import Panels, Spec, plain

SEVERITY_AXIS: Spec = {
    "range": [-0.2, 5.2], "tickvals": [0, 1, 2, 3, 4, 5], "ticktext": ["clean", "1", "2", "3", "4", "5"],
}  # fmt: skip
_SHARE_AXIS: Spec = {
    "range": [-3, 103], "tickvals": [0, 25, 50, 75, 100], "ticktext": ["0", "25", "50", "75", "100 %"],
}  # fmt: skip
_COLUMNS = 3
_BODY = 170
"""Height of a panel in pixels."""
_LEAST, _PANEL = 60, 190
"""Width in pixels of the scale, and least width of a panel."""


class Drawing(NamedTuple):
    """A chart's fields that depend on its panels, named as in `Chart`."""

    spec: Spec
    wide: bool
    least: int


def in_panels(traces: Mapping[str, Sequence[Spec]], x: Spec) -> Drawing:
    """Draw a panel for each title, with its traces; heights are shares in percent, `x` is the other axis."""
    panels = Panels(len(traces), _COLUMNS, body=_BODY)
    data: list[Spec] = []
    for place, (title, own) in enumerate(traces.items()):
        data += [trace | panels.axes(place) for trace in own]
        panels.place(place, title, x=x, y=_SHARE_AXIS)
    least = _LEAST + _PANEL * min(len(traces), _COLUMNS)
    return Drawing({"data": data, "layout": panels.layout()}, wide=len(traces) > 1, least=least)


def severity_line(
    agent: str, colour: str, severities: Sequence[int], shares: Sequence[float], texts: Sequence[str]
) -> Spec:
    """Return the line of an agent over severities, 0 for clean; shares are 0 to 1, `texts` appear on hover."""
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": list(severities),
        "y": [100 * share for share in shares],
        "line": {"color": f"var(--{colour})", "width": 2},
        "marker": {"color": f"var(--{colour})", "size": 7},
        "cliponaxis": False,
        "text": list(texts),
        "hovertemplate": f"severity %{{x}}: %{{text}}<extra>{plain(agent)}</extra>",
    }
