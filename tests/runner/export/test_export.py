"""A run as tables: every format has the figures of the run."""

import csv
import json
import shutil
import tracemalloc
from pathlib import Path

import pytest

import stressweb as sw
from stressweb.core.errors import UserError
from stressweb.core.spreadsheet import unguarded
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Usage
from stressweb.plugins.checks import Grade
from stressweb.runner.export.export import export
from stressweb.runner.export.tables import NAMES, TABLES
from tests.support.edited_runs import edit
from tests.support.plans import meta

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def run(tmp_path: Path) -> sw.Run:
    """A copy of the stored run."""
    folder = tmp_path / "golden"
    folder.mkdir()
    shutil.copy(GOLDEN / FILE, folder)
    return sw.open_run(folder)


def read_rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [{name: unguarded(cell) for name, cell in row.items()} for row in csv.DictReader(file)]


def test_the_tables_have_the_figures_of_the_run(run: sw.Run) -> None:
    folder = run.export("csv")
    assert folder == run.path / "export-csv"
    episodes = {(episode.agent, episode.task, episode.condition): episode for episode in run.episodes()}
    rows = read_rows(folder, "episodes")
    assert len(rows) == len(episodes)
    for row in rows:
        episode = episodes[row["agent"], row["task"], row["condition"]]
        assert (row["status"], row["success"], int(row["steps"])) == (
            episode.status,
            str(episode.success).lower(),
            episode.steps,
        )
        assert sum(json.loads(row["checkpoints"]).values()) == episode.checkpoints_passed
    with Store.read(run.path / FILE) as store:
        assert {row["identity"] for row in rows} == set(store.identities().values())
        taken = [action.kind for cell in store.cells() for action in store.details(cell).actions]
    assert [row["action"] for row in read_rows(folder, "steps") if row["action"]] == taken
    for row, result in zip(read_rows(folder, "results"), run.results(), strict=True):
        assert (row["agent"], row["condition"], int(row["successes"])) == (
            result.agent,
            result.condition,
            result.successes,
        )
        assert float(row["steps"]) == result.steps
    delivered = sum(row["phase"] == "delivered" for row in read_rows(folder, "ledger"))
    assert delivered == sum(entry["phase"] == "delivered" for entry in run.ledger()) > 0


def test_all_formats_have_the_same_rows_and_columns(run: sw.Run) -> None:
    lines, texts = run.export("jsonl"), run.export("csv")
    for table in NAMES:
        names = [column.name for column in TABLES[table].columns]
        rows = [json.loads(line) for line in (lines / f"{table}.jsonl").read_text("utf-8").splitlines()]
        assert all(list(row) == names for row in rows)
        written = [{name: "" if value is None else value for name, value in row.items()} for row in rows]
        texts_of_rows = [{name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in row.items()} for row in written]  # fmt: skip
        assert texts_of_rows == read_rows(texts, table)
        about = (texts / "README.md").read_text("utf-8")
        assert f"## {table}.csv" in about
        assert all(f"| `{name}` |" in about for name in names)


def test_parquet_has_the_rows_of_the_others(run: sw.Run) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra: pip install 'stressweb[parquet]'")
    lines, tables = run.export("jsonl"), run.export("parquet")
    for table in NAMES:
        rows = [json.loads(line) for line in (lines / f"{table}.jsonl").read_text("utf-8").splitlines()]
        assert parquet.read_table(tables / f"{table}.parquet").to_pylist() == rows


def test_a_model_s_words_and_an_agent_s_formula_are_exported(tmp_path: Path) -> None:
    cell = Cell(agent="model(model=m)", task="shop/x", condition="clean", world=0)
    page = Shown("http://shop.test/", "<html></html>")
    action = Action(kind="FILL", selector="#q", text="=1+1", click_count=2, reasoning="+try")
    usage = Usage(7, 3, 0.5, 2, "m-2026", rejected=("no JSON",))
    steps = [StepRecord(page), StepRecord(page, action, Outcome(ok=False, reason="disabled"), 1.25, usage)]
    record = EpisodeRecord(cell, "crashed", "none", "@boom", steps, {}, {}, [Entry(step=1, mode="remap", phase="met")], Grade({"a": False}, {}, None), "-Traceback")  # fmt: skip
    with Store.create(tmp_path / FILE, meta([cell]), [cell]) as store:
        store.save(record)
    folder = sw.open_run(tmp_path).export("csv", tmp_path / "out")
    _, step = read_rows(folder, "steps")
    expected = ("FILL", "=1+1", "+try", '{"click_count": 2}', "failed: disabled", "7", "m-2026", "1", "1.25")
    assert expected == tuple(step[name] for name in ("action", "text", "reasoning", "parameters", "outcome", "tokens_in", "model", "rejected", "seconds"))  # fmt: skip
    (episode,) = read_rows(folder, "episodes")
    assert (episode["message"], episode["traceback"]) == ("@boom", "-Traceback")
    raw = (folder / "steps.csv").read_text("utf-8")
    assert '"\'=1+1"' in raw
    assert '"=1+1"' not in raw


def test_export_errors_are_reported(run: sw.Run) -> None:
    with pytest.raises(UserError, match=r"unknown format 'cvs'; did you mean csv\? There are csv, jsonl, parquet"):
        run.export("cvs")
    edit(run.path / FILE, "UPDATE step SET url = 'http://other.test/' WHERE n = 1")
    with pytest.raises(UserError, match="was changed after it was recorded"):
        run.export("csv")
    assert [path.name for path in run.path.iterdir()] == [FILE]


def test_memory_does_not_grow_with_pages(tmp_path: Path) -> None:
    """Ten times the episodes, each with its own pages of 100 kB, add only the memory of their figures."""

    def peak(count: int) -> int:
        place = tmp_path / str(count)
        cells = [Cell(agent="naive", task="shop/x", condition="clean", world=0, epoch=n) for n in range(count)]
        with Store.create(place / FILE, meta(cells), cells) as store:
            for n, cell in enumerate(cells):
                pages = [Shown("http://shop.test/", f"<p>{n} {step} {'x' * 100_000}</p>") for step in range(5)]
                store.save(
                    EpisodeRecord(
                        cell, "done", steps=[StepRecord(page) for page in pages], grade=Grade({"a": True}, {}, None)
                    )
                )
        tracemalloc.start()
        export(place, "csv", place / "out", name="run")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(2)
    assert peak(200) - peak(20) < 180 * 10_000
