"""Panels are laid out in rows and columns and never overlap."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from stressweb.report.panels import Panels, plain


@given(st.integers(1, 20), st.integers(1, 6), st.integers(0, 800))
def test_panels_do_not_overlap(count: int, columns: int, body: int) -> None:
    panels = Panels(count, columns, body)
    for panel in range(count):
        panels.place(panel, f"panel {panel}", x={}, y={})
    layout = panels.layout()
    numbers = ["" if panel == 0 else str(panel + 1) for panel in range(count)]
    areas = [(layout[f"xaxis{number}"]["domain"], layout[f"yaxis{number}"]["domain"]) for number in numbers]
    for area in areas:
        for low, high in area:
            assert 0 <= low < high <= 1
    for (x, y), (other_x, other_y) in combinations(areas, 2):
        assert x[1] < other_x[0] or other_x[1] < x[0] or y[1] < other_y[0] or other_y[1] < y[0]
    assert [title["text"] for title in layout["annotations"]] == [f"<b>panel {panel}</b>" for panel in range(count)]
    assert layout["height"] >= min(body, 40)


def test_only_the_first_column_has_row_labels() -> None:
    panels = Panels(5, 3, 100)
    for panel in range(5):
        panels.place(panel, "", x={}, y={})
    layout = panels.layout()
    labelled = [layout[f"yaxis{number}"]["showticklabels"] for number in ("", "2", "3", "4", "5")]
    assert labelled == [True, False, False, True, False]
    assert layout["annotations"] == []


def test_markup_in_a_name_is_text() -> None:
    assert plain("<a href='x'>&") == "&lt;a href='x'&gt;&amp;"
    panels = Panels(1, 1, 10)
    panels.place(0, "<script>", x={}, y={})
    assert panels.layout()["annotations"][0]["text"] == "<b>&lt;script&gt;</b>"
