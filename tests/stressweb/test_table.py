"""What a person reads at the end of a run, at several widths."""

import io
import json
from typing import Any

import pytest
from rich.console import Console

from stressweb import table
from stressweb.graded import Graded

RUN = "runs/2026-11-21-remap"


def episode(agent: str, task: int, condition: str, success: bool, **changes: Any) -> Graded:
    """Return one finished episode of a shop task."""
    values: dict[str, Any] = {
        "agent": agent, "task": f"shop/task-{task}", "site": "shop", "condition": condition, "world_seed": 0,
        "stress_seed": 0, "epoch": 0, "status": "done", "claim": "done", "success": success,
        "checkpoints_passed": 4 if success else 1, "checkpoints_total": 5, "harmed": False, "steps": 7,
        "exposed": None if condition == "clean" else {"remap": True}, "bypasses": 0, "seconds": 1.0,
    }  # fmt: skip
    return Graded(**{**values, **changes})


def run(condition: str = "remap@3", **changes: Any) -> list[Graded]:
    """Return a run in which naive keeps one of twelve tasks and resilient all."""
    return [
        episode(agent, task, label, label == "clean" or agent == "resilient" or task == 0, **changes)
        for agent in ("naive", "resilient")
        for label in ("clean", condition)
        for task in range(12)
    ]


def printed(episodes: list[Graded], width: int, **options: Any) -> str:
    """Return the table as a terminal of that width shows it."""
    console = Console(file=io.StringIO(), width=width, **options)
    console.print(table.summary(episodes, RUN))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def line(text: str, *start: str) -> list[str]:
    """Return the words of the first line that starts with these."""
    return next(words for words in map(str.split, text.splitlines()) if words[: len(start)] == list(start))


@pytest.mark.parametrize("width", [106, 120])
def test_reads_like_the_house_example(width: int) -> None:
    text = printed(run(), width)
    head = text.splitlines()[0]
    assert head.startswith(" remap@3 · shop · 12 tasks · world 0 · stress 0  ")
    assert head.endswith(f"  {RUN}")
    assert line(text, "naive", "clean") == [
        "naive",
        "clean",
        "12/12",
        "100",
        "%",
        "80",
        "%",
        "7.0",
        "12/12",
        "–",
        "–",
        "0",
    ]
    assert line(text, "naive", "remap@3")[2:] == [
        "1/12", "8", "%", "25", "%", "7.0", "12/1", "−92", "[−100,", "−75]", "12/12", "0",
    ]  # fmt: skip
    assert line(text, "resilient", "remap@3")[-5:] == ["0", "[0,", "0]", "12/12", "0"]


@pytest.mark.parametrize("width", range(80, 121, 4))
@pytest.mark.parametrize("condition", ["remap@3", "remap_explicit@5+failure@5+noise@5+popup@5"])
def test_cuts_no_figure_and_fits(width: int, condition: str) -> None:
    text = printed(run(condition), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    figures = {"12/12", "1/12", "100 %", "8 %", "25 %", "7.0", "12/1", "−92", "[−100, −75]", "[0, 0]"}
    assert {figure for figure in figures if figure not in text} == set()
    assert {mode for mode in condition.split("+") if mode not in text} == set()


def test_columns_line_up() -> None:
    lines = [text for text in printed(run(), 120).splitlines() if text.startswith((" naive", " resilient", " agent"))]
    assert len({len(text.rstrip()) for text in lines}) == 1


def test_degrades_without_colour_and_without_unicode() -> None:
    assert "\x1b" not in printed(run(), 110, force_terminal=True, no_color=True, color_system=None)
    assert "\x1b[" in printed(run(), 110, force_terminal=True, color_system="standard")
    raw = io.BytesIO()
    console = Console(file=io.TextIOWrapper(raw, encoding="ascii", write_through=True), width=110)
    console.print(table.summary(run(), RUN))
    assert b"-92 [-100, -75]" in raw.getvalue()


def test_errors_are_counted_and_left_out() -> None:
    episodes = run()
    episodes[12] = episodes[12].model_copy(update={"status": "error"})
    words = line(printed(episodes, 110), "naive", "remap@3")
    assert words[2] == "0/11"
    assert words[-1] == "1"


def test_says_what_a_zero_width_is_worth_only_where_there_is_one() -> None:
    assert "Of other tasks of the kind up to 24 % might not (n = 12)" in printed(run(), 120)
    naive = [one for one in run() if one.agent == "naive"]
    assert "no width" not in printed(naive, 120)


def test_names_bypasses_and_repeats() -> None:
    text = printed([*run(), episode("naive", 0, "remap@3", True, epoch=1, bypasses=2)], 120)
    assert "Went to a URL directly: naive remap@3 2." in text
    assert "Tasks were repeated" in text
    assert "Went to" not in printed(run(), 120)


def test_says_what_a_language_model_cost() -> None:
    paid = episode("naive", 0, "remap@3", True, tokens_in=1200, tokens_out=34)
    again = episode("naive", 1, "remap@3", False, tokens_in=1000, tokens_out=6, status="error")
    assert "Tokens read + written: naive remap@3 2,200 + 40." in printed([paid, again], 120)
    assert "Tokens" not in printed(run(), 120)


def test_stands_beside_what_people_needed() -> None:
    assert "people, on its own tasks: clean 7.0, remap@3 7.7." in printed(run(), 120)
    assert "people" not in printed([episode("naive", 0, "remap@4", True)], 120)


def test_names_what_no_table_proves() -> None:
    text = printed([episode("naive", 0, "failure@3(rate=0.2)", True)], 120)
    assert "beyond the published tables: failure@3(rate=0.2)." in text
    assert "Unproven" not in printed(run(), 120)


def test_headline_names_seeds_and_conditions() -> None:
    episodes = [
        episode("naive", 0, label, True, world_seed=world, stress_seed=stress)
        for label in ("clean", "remap@3", "failure@2")
        for world in (0, 7)
        for stress in (0, 1, 2)
    ]
    assert table.headline(episodes) == "remap@3, failure@2 · shop · 1 task · world 0, 7 · stress 0..2"
    assert table.headline([episode("naive", 0, "clean", True)]).startswith("clean · ")


def test_an_empty_run_is_a_table_without_rows() -> None:
    assert "0 tasks" in printed([], 100)
    assert table.rows([]) == []


@pytest.mark.parametrize(
    ("share", "figure"),
    [(-0.001, "0"), (0.0, "0"), (-0.005, "−1"), (0.005, "1"), (-0.917, "−92"), (1.0, "100"), (-0.25, "−25")],
)
def test_points_have_a_minus_sign_and_no_negative_zero(share: float, figure: str) -> None:
    assert table.points(share, None) == (figure, "")


def test_rows_are_json() -> None:
    found = json.loads(json.dumps(table.rows(run()), allow_nan=False))
    naive = next(row for row in found if (row["agent"], row["condition"]) == ("naive", "remap@3"))
    assert naive["difference_interval"] == [-1.0, -0.75]
    assert naive["claims"]["done"] == {"passed": 1, "failed": 11}
    assert naive["retention"] == pytest.approx(1 / 12)
    clean = next(row for row in found if row["condition"] == "clean")
    assert clean["difference"] is None
