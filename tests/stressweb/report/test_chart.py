"""Parts of every chart: rows by agent, unique conditions, ordered names."""

from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.measures import by_agent, measure
from stressweb.report.chart import MARKS, conditions, counts, ordered
from stressweb.report.pairs import ENDS
from tests.support.small_reports import recorded, standard


def test_rows_are_grouped_by_agent_in_their_order() -> None:
    rows = measure([recorded("zed")[0], *(graded for graded, _ in standard())])
    rows_by_agent = by_agent(rows)
    assert list(rows_by_agent) == ["zed", "naive", "resilient"]
    assert [row for own in rows_by_agent.values() for row in own] == rows
    assert conditions(rows) == ["remap@3", "clean"]


def test_an_axis_has_its_names_from_top_to_bottom_as_text() -> None:
    axis = ordered(["b", "<a>"])
    assert axis["categoryarray"] == ["b", "&lt;a&gt;"]
    assert (axis["type"], axis["autorange"]) == ("category", "reversed")


def test_every_shape_of_a_legend_can_be_shown() -> None:
    assert {end.key.shape for end in ENDS} | {"square"} == set(MARKS)


@given(st.integers(1, 10**7))
def test_an_axis_of_counts_has_few_ticks_at_whole_numbers(most: int) -> None:
    axis = counts(most)
    ticks = range(axis["tick0"], most + 1, axis["dtick"])
    assert axis["range"] == [0, most]
    assert 2 <= len(ticks) <= 5
    # A tick format without fractions would show 0.5 as 1.
    assert "tickformat" not in axis
