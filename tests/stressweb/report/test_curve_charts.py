"""Charts of curves have the figures of the curves, and plotly accepts all of them."""

import re
from itertools import product

import pytest

from stressweb.analysis.curves.measured import Curves, curves
from stressweb.analysis.graded import Graded
from stressweb.report.assets import STATIC
from stressweb.report.chart import Chart
from stressweb.report.curve_charts import curve_charts
from tests.stressweb.report.coloured import coloured
from tests.support.plans import condition
from tests.support.small_reports import recorded

AGENTS = ("weak", "strong")
LABELS = ("clean", "remap@1", "remap@3", "remap@5", "noise@3", "noise@3+remap@3")


def episode(agent: str, task: int, label: str) -> Graded:
    """Return an episode of a run in which `weak` loses more tasks at each severity of remap, and `strong` none."""
    severity = int(label.rpartition("remap@")[2] or 0) if "remap" in label else 0
    success = agent == "strong" or task >= 2 * severity - ("+" in label)
    graded = recorded(agent, f"site-{task % 6}/task-{task}", label, success=success)[0]
    exposed = dict.fromkeys(re.findall("[a-z]+", label), True) if label != "clean" else None
    return graded.model_copy(update={"steps": 4 + task, "exposed": exposed})


def measured_curves() -> Curves:
    episodes = [episode(agent, task, label) for agent, task, label in product(AGENTS, range(12), LABELS)]
    return curves(episodes, map(condition, LABELS))


def drawn() -> dict[str, Chart]:
    return {chart.name: chart for chart in curve_charts(measured_curves(), AGENTS)}


def test_plotly_accepts_every_chart() -> None:
    import plotly.graph_objects as go

    charts = drawn()
    assert list(charts) == ["dose-response", "tolerance", "interactions", "success-steps"]
    colours = set(re.findall(r"--[\w-]+", (STATIC / "report.css").read_text(encoding="utf-8")))
    for chart in charts.values():
        assert set(re.findall(r"var\((--[\w-]+)\)", str(chart.spec))) <= colours
        assert len(go.Figure(coloured(chart.spec)).data) == len(chart.spec["data"])
        assert chart.table is not None
        assert chart.table.rows
        assert all(len(row) == len(chart.table.fields) for row in chart.table.rows)


def test_a_severity_of_errors_alone_is_named_below_its_chart() -> None:
    def seen(graded: Graded) -> Graded:
        lost = (graded.agent, graded.condition) == ("weak", "remap@3")
        return graded.model_copy(update={"status": "error", "success": False}) if lost else graded

    episodes = [seen(episode(agent, task, label)) for agent, task, label in product(AGENTS, range(12), LABELS)]
    charts = {chart.name: chart for chart in curve_charts(curves(episodes, map(condition, LABELS)), AGENTS)}
    assert charts["dose-response"].caption.endswith("Not drawn: weak remap@3 (all 12 episodes ended in errors).")
    assert "Not drawn" not in drawn()["dose-response"].caption


def test_agents_have_the_colours_of_every_other_chart() -> None:
    for chart in drawn().values():
        assert [(key.label, key.colour) for key in chart.legend] == [("weak", "agent-1"), ("strong", "agent-2")]
    by_name = {chart.name: chart for chart in curve_charts(measured_curves(), ("other", *AGENTS))}
    assert [key.colour for key in by_name["success-steps"].legend] == ["agent-2", "agent-3"]


def test_without_curves_there_are_no_charts() -> None:
    assert curve_charts(Curves(), AGENTS) == []


def test_a_curve_begins_at_clean_and_has_its_band_around_it() -> None:
    chart, measured = drawn()["dose-response"], measured_curves().dose_responses
    lines = [trace for trace in chart.spec["data"] if trace["mode"] == "lines+markers"]
    bands = [trace for trace in chart.spec["data"] if trace.get("fill") == "toself"]
    assert len(lines) == len(measured)
    assert len(bands) == len([response for response in measured if response.points[0].band.these_sites])
    weak = next(response for response in measured if (response.agent, response.mode) == ("weak", "remap"))
    (line,) = [trace for trace in lines if trace["x"] == [0, 1, 3, 5] and trace["y"][-1] < 100]
    assert line["y"] == pytest.approx([100.0, *(100 * point.success for point in weak.points)])
    for band in bands:
        middle = len(band["x"]) // 2
        upper, lower = band["y"][:middle], [*reversed(band["y"][middle:])]
        assert band["x"][:middle] == [*reversed(band["x"][middle:])]
        assert all(high >= low for high, low in zip(upper, lower, strict=True))
        assert upper[0] == lower[0]


def test_a_tolerance_beyond_the_severities_points_outwards() -> None:
    chart = drawn()["tolerance"]
    symbols = {trace["text"][0].partition(" [")[0]: trace["marker"]["symbol"][0] for trace in chart.spec["data"]}
    assert symbols["> 5"] == "triangle-right"
    weak = next(
        response
        for response in measured_curves().dose_responses
        if (response.agent, response.mode) == ("weak", "remap")
    )
    assert weak.tolerance
    assert chart.table
    assert weak.tolerance.severity.side == "at"
    assert symbols[str(weak.tolerance.severity)] == "circle"
    assert ["weak", "remap", str(weak.tolerance.severity)] in [list(row[:3]) for row in chart.table.rows]


def test_interactions_have_their_intervals() -> None:
    chart = drawn()["interactions"]
    (measured,) = [interaction for interaction in measured_curves().interactions if interaction.agent == "weak"]
    trace = chart.spec["data"][0]
    assert trace["y"] == ["noise@3+remap@3"]
    assert trace["x"] == [pytest.approx(100 * measured.interaction)]
    interval = measured.intervals.these_sites
    assert interval
    assert trace["x"][0] + trace["error_x"]["array"][0] == pytest.approx(100 * interval.high)
    assert trace["x"][0] - trace["error_x"]["arrayminus"][0] == pytest.approx(100 * interval.low)


def test_success_against_steps_ends_where_it_is_no_longer_known() -> None:
    episodes = [episode("weak", task, "clean").model_copy(update={"steps": 5 + task}) for task in range(6)]
    episodes.append(
        episode("weak", 9, "remap@5").model_copy(
            update={"condition": "clean", "status": "out_of_steps", "steps": 7, "success": False}
        )
    )
    (chart,) = curve_charts(curves(episodes, [condition("clean")]), AGENTS)
    (line,) = chart.spec["data"]
    assert line["x"] == [0, 5, 6, 7, 7]
    assert line["y"] == pytest.approx([0, *(100 * done / 7 for done in (1, 2, 3, 3))])
