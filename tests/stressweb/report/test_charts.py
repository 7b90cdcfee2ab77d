"""Charts have the figures of the measures, and plotly accepts all of them."""

import re

import pytest

from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.paper_baseline import HUMAN_STEPS
from stressweb.report import charts
from stressweb.report.assets import STATIC
from tests.stressweb.report.coloured import coloured
from tests.support.small_reports import recorded, standard


def run() -> list[Graded]:
    return [graded for graded, _ in standard()]


def many() -> list[Graded]:
    """Return a run of three agents, three sites and eight conditions, one of them with errors alone."""
    labels = ["clean", "remap@3", "failure@1", "failure@5", "noise@3", "popup@3", "noise@5", "popup@3+noise@3"]
    return [
        recorded(agent, f"{site}/task-{n}", label, status="error" if label == "noise@5" else "done")[0]
        for agent in ("naive", "resilient", "wander(steps=5)")
        for site in ("shop", "bank", "mail")
        for n in range(2)
        for label in labels
    ]


@pytest.mark.parametrize("episodes", [run(), many(), run()[:1]], ids=["small", "large", "one"])
def test_plotly_accepts_every_chart(episodes: list[Graded]) -> None:
    import plotly.graph_objects as go

    colours = set(re.findall(r"--[\w-]+", (STATIC / "report.css").read_text(encoding="utf-8")))
    for chart in charts.charts(measure(episodes), episodes):
        named = set(re.findall(r"var\((--[\w-]+)\)", str(chart.spec)))
        assert named <= colours
        # Plotly's validation rejects CSS variables.
        spec = coloured(chart.spec)
        assert len(go.Figure(spec).data) == len(chart.spec["data"])
        assert {f"--{key.colour}" for key in chart.legend} <= colours


def test_without_episodes_there_are_no_charts() -> None:
    assert charts.charts([], []) == []
    errors = [recorded(status="error", claim="none")[0]]
    assert charts.charts(measure(errors), errors) == []


def test_claims_add_up_to_the_episodes() -> None:
    rows = measure(many())
    counted = [row for row in rows if row.episodes]
    bars = charts.claims(counted).spec["data"]
    assert sum(sum(bar["x"]) for bar in bars) == sum(row.episodes for row in counted)
    for row in counted:
        assert [share.of(row) for share in charts.SHARES][2] == row.claims["done"].failed
        assert sum(share.of(row) for share in charts.SHARES) == row.episodes


def test_success_has_the_intervals_of_the_table() -> None:
    rows = measure(run())
    lows, highs = zip(*(row.success_interval for row in rows if row.success_interval), strict=True)
    assert len(lows) == len(rows)
    (naive, _) = charts.success(rows).spec["data"]
    assert naive["y"] == ["clean", "remap@3"]
    assert naive["x"] == [100.0, 0.0]
    reached = [x + up for x, up in zip(naive["x"], naive["error_x"]["array"], strict=True)]
    assert reached == pytest.approx([100 * high for high in highs[:2]])
    assert naive["x"][0] - naive["error_x"]["arrayminus"][0] == pytest.approx(100 * lows[0])


def test_success_has_no_lines_where_there_is_no_interval() -> None:
    episodes = [recorded(epoch=epoch)[0] for epoch in (0, 1)]
    (row,) = measure(episodes)
    assert row.success_interval is None
    (naive,) = charts.success([row]).spec["data"]
    assert (naive["x"], naive["error_x"]["array"], naive["error_x"]["arrayminus"]) == ([0.0], [0.0], [0.0])


def test_human_steps_are_shown_where_the_paper_reports_them() -> None:
    chart = charts.steps([row for row in measure(many()[:8]) if row.episodes])
    people = chart.spec["data"][-1]
    assert dict(zip(people["y"], people["x"], strict=True)) == {
        label: HUMAN_STEPS[label] for label in ("clean", "remap@3", "noise@3", "popup@3")
    }
    assert chart.legend[-1].label == "Human mean steps reported in the paper (its own tasks)"
    unknown = [recorded(condition="failure@1")[0]]
    assert len(charts.steps(measure(unknown)).spec["data"]) == 1


@pytest.mark.parametrize("episodes", [run(), many(), run()[:1]], ids=["small", "large", "one"])
def test_every_chart_has_its_numbers_as_a_table_of_its_own(episodes: list[Graded]) -> None:
    drawn = charts.charts(measure(episodes), episodes)
    names = [chart.table.name for chart in drawn if chart.table]
    assert len(set(names)) == len(names)
    assert "result" not in names
    for chart in drawn:
        assert chart.table is not None
        assert chart.table.rows
        assert chart.table.title == chart.title
        assert all(len(row) == len(chart.table.fields) for row in chart.table.rows)


def test_tables_have_the_figures_of_their_charts() -> None:
    rows = measure(run())
    drawn = {chart.name: chart for chart in charts.charts(rows, run())}
    for name in ("modes", "steps"):
        chart = drawn[name]
        points = [x for trace in chart.spec["data"] if trace.get("offsetgroup") != "x" for x in trace["x"]]
        assert chart.table is not None
        assert [row[2] for row in chart.table.rows] == pytest.approx(points[: len(rows)])
    table, bars = drawn["claims"].table, drawn["claims"].spec["data"]
    assert table is not None
    for index, share in enumerate(charts.SHARES):
        of_share = [x for bar in bars[index :: len(charts.SHARES)] for x in bar["x"]]
        assert [row[2 + index] for row in table.rows] == of_share, share.label
