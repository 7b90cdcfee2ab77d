"""The table at the end of a run, at several widths."""

import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from stressweb.analysis import table
from stressweb.analysis.columns import columns
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.core.agent_names import split_title
from tests.examples import examples
from tests.stressweb.analysis.printed_tables import episode, printed


def run(condition: str = "remap@3", **changes: Any) -> list[Graded]:
    """Return a run in which naive succeeds at one of twelve tasks under stress and resilient at all."""
    return [
        episode(agent, task, label, label == "clean" or agent == "resilient" or task == 0, **changes)
        for agent in ("naive", "resilient")
        for label in ("clean", condition)
        for task in range(12)
    ]


HOUSE = """\
 remap@3 · shop · 12 tasks · world 0 · stress 0

 naive         success vs clean [95 %] adj. p checkpoints steps false claims
 clean     12/12 100 %               –      –        80 %   7.0         0/12
 remap@3    1/12   8 % −92 [−100, −48]  <.001        25 %   7.0        11/12

 resilient     success vs clean [95 %] adj. p checkpoints steps false claims
 clean     12/12 100 %               –      –        80 %   7.0         0/12
 remap@3   12/12 100 %    0 [−21, +21]      1        80 %   7.0         0/12
"""


def test_the_house_example_at_80_columns() -> None:
    lines = [line.rstrip() for line in printed(run(), 80).splitlines()]
    assert "\n".join(lines) + "\n" == HOUSE


def troubled(condition: str) -> list[Graded]:
    """Return a run of two epochs with errors, a dispute, and episodes that were not exposed."""
    episodes = []
    for number, each_episode in enumerate([*run(condition), *run(condition, epoch=1)]):
        changes: dict[str, Any] = {}
        if number % 17 == 13:
            changes = {"status": "error"}
        elif number % 19 == 15:
            changes = {"disputed": True, "success": False}
        elif number % 5 == 0 and each_episode.exposed:
            changes = {"exposed": dict.fromkeys(each_episode.exposed, False)}
        episodes.append(each_episode.model_copy(update=changes))
    return episodes


@pytest.mark.sample(16)
@pytest.mark.parametrize("width", range(80, 141, 4))
@pytest.mark.parametrize("condition", ["remap@3", "remap_explicit@5+failure@5(rate=0.25)+noise@5"])
@pytest.mark.parametrize("build", [run, troubled])
def test_cuts_no_figure_and_fits(build: Callable[[str], list[Graded]], condition: str, width: int) -> None:
    text = printed(build(condition), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    words = text.replace("\n", " ")
    for row in measure(build(condition)):
        cells = [column.cell(row) for column in columns([row], extra=False)]
        assert [cell for cell in cells if any(part.strip() not in text for part in cell.split("\n"))] == []
        for column in columns(measure(build(condition)))[len(cells) :]:
            if column.needed and column.needed(row):
                assert column.cell(row) in " ".join(words.split()), column.wide
    assert {mode for mode in condition.split("+") if mode not in text} == set()


def test_columns_line_up() -> None:
    lines = [
        text.rstrip()
        for text in printed(run(), 120).splitlines()
        if text[:6] in (" naive", " resil", " clean", " remap")
    ]
    assert len({len(text) for text in lines[1:]}) == 1


def test_errors_disputes_and_exposure_have_columns_only_where_there_are_any() -> None:
    assert not {"errors", "disputed", "exposed", "pass^2"} & set(printed(run(), 160).split())
    assert {"errors", "disputed", "exposed", "pass^2"} <= set(printed(troubled("remap@3"), 160).split())


def test_a_few_errors_stand_with_their_bounds_and_many_are_named() -> None:
    episodes = [episode("naive", task, label, label == "clean") for label in ("clean", "remap@3") for task in range(60)]
    one_error = [
        e.model_copy(update={"status": "error"}) if e.task == "shop/task-7" and e.exposed else e for e in episodes
    ]
    text = printed(one_error, 100)
    assert "bounds: −100 to −98" in text
    assert "More than 2 % errors" not in text
    two = [
        e.model_copy(update={"status": "error"}) if e.task in ("shop/task-7", "shop/task-8") and e.exposed else e
        for e in episodes
    ]
    assert "2 (3 %)" in printed(two, 100)
    assert "More than 2 % errors: naive remap@3 3 %." in printed(two, 100)


@pytest.mark.parametrize(
    ("lost", "figures", "p", "red"), [(5, "−42 [−69, −3]", ".063", False), (6, "−50 [−77, −9]", ".032", True)]
)
def test_the_test_decides_the_colour_not_the_interval(lost: int, figures: str, p: str, red: bool) -> None:
    """5 of 12 lost is -42 [-69, -3] with p = .063; 6 of 12 has p = .032."""
    episodes = [
        episode("naive", task, label, label == "clean" or task >= lost)
        for label in ("clean", "remap@3")
        for task in range(12)
    ]
    text = printed(episodes, 80)
    assert figures in text
    assert p in text
    coloured = printed(episodes, 80, force_terminal=True, color_system="standard")
    assert ("\x1b[31m" in coloured) == red


def test_an_adjusted_p_value_decides() -> None:
    """6 of 12 lost is .032 alone, .063 adjusted for another condition."""
    labels = ("clean", "remap@3", "noise@3")
    episodes = [
        episode("naive", task, label, label != "remap@3" or task >= 6) for label in labels for task in range(12)
    ]
    coloured = printed(episodes, 80, force_terminal=True, color_system="standard")
    assert ".063" in coloured
    assert "\x1b[31m" not in coloured


@pytest.mark.parametrize(("tasks", "too_few"), [(1, True), (4, True), (5, False)])
def test_one_task_has_no_interval_and_is_not_red(tasks: int, too_few: bool) -> None:
    episodes = [
        episode("naive", task, label, label == "clean") for label in ("clean", "remap@3") for task in range(tasks)
    ]
    text = printed(episodes, 80)
    assert "−100" in text
    assert ("[−100" not in text) == too_few
    assert ("With fewer than 5 tasks, no interval" in text) == too_few
    assert f"With {tasks} task{'s'[: tasks != 1]}, a test cannot reach significance at 5 %" in text
    assert "\x1b[31m" not in printed(episodes, 80, force_terminal=True, color_system="standard")


def test_six_tasks_can_reject_one_comparison_and_not_two() -> None:
    labels = ("clean", "remap@3", "noise@3")
    episodes = [episode("naive", task, label, label != "remap@3") for label in labels for task in range(6)]
    assert "cannot reach significance" not in printed([e for e in episodes if e.condition != "noise@3"], 80)
    assert "With 6 tasks, a test adjusted for 2 conditions cannot reach significance" in printed(episodes, 80)


def test_the_legend_is_shown_on_request_alone() -> None:
    assert "the test decides" not in " ".join(printed(run(), 80).split())
    text = " ".join(printed(run(), 80, explain=True).split())
    assert "the test decides" in text
    assert "claimed to be done but failed / claimed to be done" in text
    assert "pass^k" not in text


def test_flips_of_clean_stand_beside_the_loss_where_clean_was_repeated() -> None:
    episodes = [*run(), *run(epoch=1)]
    assert "flips 0 %" in printed(episodes, 80)
    episodes[0] = episodes[0].model_copy(update={"success": False})
    assert "flips 8 %" in printed(episodes, 80)
    assert "flips" not in printed(run(), 80)
    single = [*run(), *(each_episode for each_episode in run(epoch=1) if each_episode.condition != "clean")]
    assert "No clean episode was repeated" in printed(single, 80)


def test_degrades_without_colour_and_without_unicode() -> None:
    assert "\x1b" not in printed(run(), 110, force_terminal=True, no_color=True, color_system=None)
    assert "\x1b[" in printed(run(), 110, force_terminal=True, color_system="standard")
    raw = io.BytesIO()
    console = Console(file=io.TextIOWrapper(raw, encoding="ascii", write_through=True), width=110)
    console.print(table.summary(run()))
    assert b"-92 [-100, -48]" in raw.getvalue()


def test_names_bypasses() -> None:
    text = printed([*run(), episode("naive", 0, "remap@3", True, epoch=1, bypasses=2)], 120)
    assert "naive remap@3 2." in text
    assert "URL directly" not in printed(run(), 120)


def test_names_failures_of_a_site() -> None:
    text = printed([*run(), episode("naive", 0, "remap@3", True, epoch=1, site_faults=2)], 120)
    assert "Internal errors of the site, please report them: naive remap@3 2." in text
    assert "site failed" not in printed(run(), 120)


def test_combined_modes_are_counted_separately_where_one_was_not_delivered() -> None:
    label = "noise@2+failure@4"
    met = {"noise": True, "failure": False}
    episodes = [episode("naive", task, label, True, exposed={**met, "failure": task == 0}) for task in range(12)]
    text = printed(episodes, 100)
    assert " 1/12" in text
    assert "Episodes exposed to each mode: naive noise@2+failure@4: noise 12/12, failure 1/12." in text


def test_states_the_tokens_of_a_language_model() -> None:
    paid = episode("naive", 0, "remap@3", True, tokens_in=1200, tokens_out=34)
    again = episode("naive", 1, "remap@3", False, tokens_in=1000, tokens_out=6, status="error")
    assert "Tokens, input + output: naive remap@3 2,200 + 40." in printed([paid, again], 120)
    assert "Tokens" not in printed(run(), 120)


def test_the_papers_human_row_is_not_in_a_table_of_a_run() -> None:
    assert "7.7" not in printed(run(), 120, explain=True)


def test_names_conditions_outside_the_proof() -> None:
    text = printed([episode("naive", 0, "failure@3(rate=0.2)", True)], 120)
    assert "not covered by stressweb's tests: failure@3(rate=0.2)." in text
    assert "published" not in printed(run(), 120)


def test_headline_names_seeds_and_conditions() -> None:
    episodes = [
        episode("naive", 0, label, True, world_seed=world, stress_seed=stress)
        for label in ("clean", "remap@3", "failure@2")
        for world in (0, 7)
        for stress in (0, 1, 2)
    ]
    assert table.headline(episodes) == "remap@3, failure@2 · shop · 1 task · world 0, 7 · stress 0..2"
    undisturbed = [episode("naive", 0, "clean", True, stress_seed=None, epoch=epoch) for epoch in (0, 1)]
    assert table.headline(undisturbed) == "clean · shop · 1 task · world 0 · 2 epochs"


@pytest.mark.parametrize(("sites", "sites_text"), [(0, "no site"), (3, "site-0, site-1, site-2"), (4, "4 sites")])
def test_headline_counts_sites_where_there_are_many(sites: int, sites_text: str) -> None:
    episodes = [episode("naive", number, "clean", True, site=f"site-{number}") for number in range(sites)]
    assert f" · {sites_text} · " in table.headline(episodes)


def test_an_empty_run_is_a_table_without_rows() -> None:
    assert "0 tasks" in printed([], 100)
    assert table.rows([]) == []


def test_rows_are_json() -> None:
    rows = json.loads(json.dumps(table.rows(run()), allow_nan=False))
    naive = next(row for row in rows if (row["agent"], row["condition"]) == ("naive", "remap@3"))
    assert naive["difference_interval"] == pytest.approx([-1.0, -0.4825], abs=1e-4)
    assert naive["exposed_to"] == {"remap": 12}
    assert naive["claims"]["done"] == {"passed": 1, "failed": 11}
    assert naive["retention"] == pytest.approx(1 / 12)
    clean = next(row for row in rows if row["condition"] == "clean")
    assert clean["difference"] is None


WORDS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=30)
LABELS = st.one_of(
    st.sampled_from(["naive", "resilient(-gesture)", "model(model=gpt-5.2,observation=tree,temperature=0.5)"]),
    st.builds(lambda name, view: f"model(model={name},observation={view})", WORDS, WORDS),
    st.builds(lambda name, value: f"{name}=model(model={value})", st.from_regex(r"[a-z][a-z0-9-]{0,30}", fullmatch=True), WORDS),
    WORDS,
)  # fmt: skip
CONDITIONS = st.sampled_from(
    ["remap@3", "remap_explicit@3", "failure@5(rate=0.25)", "remap_explicit@5+failure@5(rate=0.25)+noise@5", "sham"]
)


@given(
    agents=st.lists(LABELS, min_size=1, max_size=3, unique=True),
    conditions=st.lists(CONDITIONS, min_size=1, max_size=3, unique=True),
    width=st.integers(40, 130),
    trouble=st.booleans(),
)
@examples(80)
def test_every_figure_and_name_appears_at_every_width(
    agents: list[str], conditions: list[str], width: int, trouble: bool
) -> None:
    episodes = [
        each_episode.model_copy(update={"agent": agent})
        for agent in agents
        for condition in conditions
        for each_episode in (troubled(condition) if trouble else run(condition))
        if each_episode.agent == "naive"
    ]
    text = printed(episodes, width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" not in text
    # Long cells are wrapped, and wrapping loses no character.
    solid = "".join(text.split())
    for row in measure(episodes):
        for column in columns(measure(episodes)):
            if column.needed is None or column.needed(row):
                for part in column.cell(row).split("\n"):
                    assert "".join(part.removeprefix("errors: ").split()) in solid, (column.wide, width)
        assert "".join(split_title(row.agent)[1].split()) in solid
        assert row.condition in solid


@pytest.mark.parametrize("width", [40, 50, 60, 70, 80, 100])
@pytest.mark.parametrize("condition", ["remap_explicit@3", "failure@5(rate=0.25)+noise@5"])
def test_names_headings_and_figures_stay_whole(width: int, condition: str) -> None:
    lines = printed(troubled(condition), width).splitlines()
    words = {word for line in lines for word in line.split()}
    whole = condition in words or {part.lstrip("+") for part in condition.split("+")} <= {
        word.lstrip("+") for word in words
    }
    assert whole, lines
    table_of_clean = next(line for line in lines if "flips" in line or "vs clean" in line)
    assert table_of_clean
    broken = [
        word
        for word in ("success", "checkpoints", "claims", "steps", "clean", "disputed")
        if not any(word in word_or_part for word_or_part in words)
    ]
    assert broken == []
    # Each figure of success stands in a line with its share.
    assert any(re.search(r"\d+/\d+ +\d+ %", line) for line in lines)


def test_a_narrow_table_is_a_list() -> None:
    lines = [line.rstrip() for line in printed(run("remap_explicit@3"), 40).splitlines()]
    assert lines[3:12] == [
        " naive",
        " clean",
        "  success         12/12 100 %",
        "  vs clean [95 %] –",
        "  adj. p          –",
        "  checkpoints     80 %",
        "  steps           7.0",
        "  false claims    0/12",
        " remap_explicit@3",
    ]


def test_agents_with_long_options_get_short_names_with_a_legend() -> None:
    labels = {
        "model(model=gpt-5.2,observation=tree)": "model-1",
        "model(model=gpt-5.2,observation=boxes)": "model-2",
        "big=model(model=gpt-5.2-pro)": "big",
        "resilient(-gesture)": "resilient(-gesture)",
        "naive": "naive",
    }
    episodes = [
        each_episode.model_copy(update={"agent": label})
        for label in labels
        for each_episode in run()
        if each_episode.agent == "naive"
    ]
    lines = [line.rstrip() for line in printed(episodes, 80).splitlines()]
    for label, name in labels.items():
        assert sum(line.startswith(f" {name} ") for line in lines) == 1, "a block of its own"
        legend = f" {name}: {label.removeprefix('big=')}"
        assert (legend in lines) == (name != label)
    # The rows have the full labels, which distinguish episodes.
    assert {row["agent"] for row in table.rows(episodes)} == set(labels)


@pytest.mark.parametrize(
    ("repeated", "agent"),
    [({"naive": {"clean"}}, "naive"), ({"naive": {"clean", "remap@3"}}, ""), ({"naive": set()}, "")],
)
def test_a_remark_explains_why_clean_ran_twice(repeated: dict[str, set[str]], agent: str) -> None:
    again = [
        each_episode for each_episode in run(epoch=1) if each_episode.condition in repeated.get(each_episode.agent, ())
    ]
    text = " ".join(printed([*run(), *again], 80).split())
    assert (f"Clean ran twice for {agent}, not marked as deterministic" in text) == bool(agent)
    assert ("set `deterministic = True` in its class" in text) == bool(agent)


@pytest.mark.parametrize(
    ("labels", "cure"),
    [
        (["mine=command(python my_agent.py)"], "give `--agent-deterministic`"),
        (
            ["mine=command(python my_agent.py)", "naive"],
            "give `--agent-deterministic` or set `deterministic = True` in",
        ),
    ],
)
def test_for_a_program_the_remark_names_the_option(labels: list[str], cure: str) -> None:
    episodes = [*run(), *(each_episode for each_episode in run(epoch=1) if each_episode.condition == "clean")]
    renamed = [
        Graded(**{**each_episode.model_dump(exclude={"way"}), "agent": label})
        for label in labels
        for each_episode in episodes
        if each_episode.agent == "naive"
    ]
    text = " ".join(printed(renamed, 80).split())
    assert f"equal pages with equal actions, {cure}" in text
    assert ("in its class" in text) == ("naive" in labels)
    assert "each is compared with its own clean episodes alone: mine." in text
    assert [row["way"] for row in table.rows(renamed)] == [
        "observed" if "=command(" in label else "ours" for label in labels for _ in range(2)
    ]
