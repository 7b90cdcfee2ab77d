"""The page of nightly runs: the last night in words, charts in a browser, and escaped names."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from stressweb.analysis.comparison import Line
from stressweb.analysis.cusum import THRESHOLD
from stressweb.analysis.nights import AgentNight, Night, Outcome, Rerun
from stressweb.analysis.statistics import Interval
from stressweb.report.trend import trend
from stressweb.report.trend_charts import charts

pytestmark = pytest.mark.sample(2, "file")


def line(verdict: str, change: float, cells: int = 90) -> Line:
    return Line.model_validate(
        {
            "verdict": verdict, "cells": cells, "equal": cells if verdict == "unchanged" else cells // 2, "tasks": 30,
            "families": 30, "change": change, "interval": Interval(change - 0.1, change + 0.1), "sites_interval": None, "p_value": 0.2,
            "margin": 0.37,
        }
    )  # fmt: skip


def night(number: int, outcome: Outcome, change: float = 0.0, agent: str = "resilient") -> Night:
    verdict = "regressed" if outcome in ("regressed", "not confirmed") else outcome
    compared = {} if outcome == "baseline" else {
        "blocks": 30, "complete": 30, "cells": 90, "equal": 60, "robustness": line(verdict, change),
        "clean": line("unchanged", 0.0, 30), "by_condition": {"remap@3": 2 * change, "failure@3": 0.0},
        "highest_sum": -10 * change,
    }  # fmt: skip
    if verdict == "regressed":
        again = Rerun(run="again", robustness=line("regressed", change), clean=line("unchanged", 0.0, 30))
        compared |= {"rerun": again, "failing": {"shop/<b>profile</b>": ("stressweb run --task shop/profile",)}}
    agent_night = AgentNight.model_validate({"baseline": "resilient", "agent": agent, "outcome": outcome, **compared})
    return Night(
        number=number, date=f"2026-01-{number + 1:02d}", run="x", baseline="base", tasks=30, agents=(agent_night,)
    )


NIGHTS = [
    night(0, "baseline"), night(1, "unchanged"), night(2, "non-inferior", -0.03), night(3, "not confirmed", -0.1),
    night(4, "regressed", -0.5, "resilient(-gesture)"),
]  # fmt: skip


def specs(page: str) -> dict[str, dict[str, list[dict[str, object]]]]:
    match = re.search(r'<script type="application/json" id="specs">(.*?)</script>', page, re.DOTALL)
    assert match
    read: dict[str, dict[str, list[dict[str, object]]]] = json.loads(match[1])
    return read


def test_the_last_night_is_told_in_words() -> None:
    page = trend(NIGHTS)
    assert "resilient(-gesture), against resilient: regressed" in page
    assert "−50 points [−60, −40], p = .200" in page
    assert "on a fresh stress seed: robustness regressed" in page
    assert "stressweb run --task shop/profile" in page
    assert page == trend(NIGHTS)
    assert "account false_claim" in page
    assert "account warned" in trend(NIGHTS[:4])
    assert 'class="account "' in trend(NIGHTS[:3])
    assert "account empty" in trend(NIGHTS[:1])


def test_every_night_is_in_the_table_the_newest_first() -> None:
    rows = re.findall(r'<tr><th scope="row">(\d)</th><td>(.*?)</td>.*?<td class="(\w*)">(.*?)</td>', trend(NIGHTS))
    assert [(number, colour) for number, _, colour, _ in rows] == [
        ("4", "red"), ("3", "yellow"), ("2", "green"), ("1", "green"), ("0", "dim"),
    ]  # fmt: skip


def test_charts_show_the_figures_of_the_nights() -> None:
    changes, sums, conditions = (chart.spec["data"] for chart in charts(NIGHTS))
    assert changes[0]["y"] == [0, -3, -10, -50]
    assert [round(half_width) for half_width in changes[0]["error_y"]["array"]] == [10] * 4
    # Only regressed nights have a ring.
    assert (changes[2]["y"], changes[3]["y"]) == ([-50], [])
    assert sums[0]["y"] == pytest.approx([0, 0.3, 1, 5])
    assert set(sums[1]["y"]) == {THRESHOLD}
    assert [trace["y"] for trace in conditions] == [[0, -6, -20, -100], [0, 0, 0, 0]]
    assert charts(NIGHTS[:1]) == []


def test_names_are_no_markup() -> None:
    page = trend([night(0, "unchanged", agent="<script>alert(1)</script>")])
    assert "<script>alert" not in page
    assert "<b>profile</b>" not in trend(NIGHTS)
    assert all("<script>" not in str(trace) for chart in specs(page).values() for trace in chart["data"])


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("nights", [NIGHTS, NIGHTS[:1]], ids=["several", "one"])
def test_the_page_stands_in_a_browser(browser: Browser, tmp_path: Path, width: int, nights: Sequence[Night]) -> None:
    path = tmp_path / "nights.html"
    path.write_text(trend(nights), encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme="dark")
    page, messages = context.new_page(), list[str]()
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(path.as_uri())
    if len(nights) > 1:
        page.wait_for_selector("#chart-sums-0 .main-svg")
        marks = page.locator("#chart-changes-0 .scatterlayer .trace").first.locator(".point")
        assert marks.count() == 4
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert messages == []
    # The key of the ring is in line with its label.
    keys = page.locator(".key.ring")
    assert keys.evaluate_all("keys => keys.map((key) => getComputedStyle(key).position)") == ["static"] * keys.count()
    context.close()
