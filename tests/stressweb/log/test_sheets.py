"""Style sheets in a run database: stored once per run, separate from episodes, and optional."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from stressweb.log import sheets
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store

GOLDEN = Path(__file__).parents[2] / "golden" / "run.db"
CELLS = [Cell(agent="naive", task="shop/x", condition="clean", world=0, epoch=n) for n in range(2)]
CELLS += [Cell(agent="naive", task="shop/x", condition="clean", world=1)]
URL = "http://shop.test/a.css"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "runs" / "one" / "run.db"
    Store.create(path, {"version": "1"}, CELLS).close()
    return path


def saved(run: Path, *records: EpisodeRecord) -> Store:
    with Store.open(run) as store:
        for record in records:
            store.save(record)
    return Store.read(run)


def episode(cell: Cell, **sheets: str) -> EpisodeRecord:
    return EpisodeRecord(cell, "done", sheets={f"http://shop.test/{name}.css": text for name, text in sheets.items()})


def test_a_sheet_is_kept_once_for_its_site_and_world_seed(run: Path) -> None:
    records = [episode(CELLS[0], a="p {}"), episode(CELLS[1], a="p {}", b="é {}"), episode(CELLS[2], a="other {}")]
    with saved(run, *records) as store:
        assert store.sheets("shop", 0) == {URL: "p {}", "http://shop.test/b.css": "é {}"}
        assert store.sheets("shop", 1) == {URL: "other {}"}
        assert store.sheets("sho", 0) == {}
        assert store.meta() == {"version": "1"}
        assert store.altered(contents=True) == {}
        assert store.load(CELLS[0]) == replace(records[0], sheets={})
    with sqlite3.connect(run) as connection:
        assert connection.execute("SELECT count(*) FROM blob").fetchone() == (3,)
    connection.close()


def test_a_run_without_sheets_is_valid(run: Path) -> None:
    with saved(run, EpisodeRecord(CELLS[0], "done")) as store:
        assert store.sheets("shop", 0) == {}
        assert store.altered(contents=True) == {}


def test_too_large_and_too_many_sheets_are_left_out_and_the_episode_stays(run: Path) -> None:
    long = {"http://shop.test/" + "x" * sheets.LONGEST_URL: "p {}", URL: "x" * (sheets.LONGEST + 1)}
    many = {f"http://shop.test/{n}.css": f"p{n} {{}}" for n in range(sheets.MOST + 5)}
    with saved(run, EpisodeRecord(CELLS[0], "done", sheets=long | many)) as store:
        assert store.sheets("shop", 0) == dict(list(many.items())[: sheets.MOST])
        assert [summary.cell for summary in store.episodes()] == CELLS[:1]


def test_a_sheet_that_was_changed_is_left_out_and_no_episode_with_it(run: Path) -> None:
    saved(run, episode(CELLS[0], a="p {}", b="q {}")).close()
    with sqlite3.connect(run) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE name LIKE 'sheet%a.css'", (f'"{"00" * 16}"',))
    connection.close()
    with Store.read(run) as store:
        assert store.sheets("shop", 0) == {"http://shop.test/b.css": "q {}"}
        assert store.altered(contents=True) == {}
