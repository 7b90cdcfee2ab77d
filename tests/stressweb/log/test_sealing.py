"""Seals find any edit of a recording: contents, rows and their references."""

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stressweb.core.entity import Entity
from stressweb.core.errors import AlteredError
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.sealing import TABLES, Rows, seal, seal_of
from stressweb.log.store import Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Dialog
from stressweb.plugins.checks import Grade
from stressweb.plugins.database import TableChange
from tests.support.edited_runs import rows

CELLS = [Cell(agent=agent, task="shop/x", condition="remap@3", world=0, stress=0) for agent in ("naive", "resilient")]
FIRST, SECOND = (cell.key for cell in CELLS)


def episode(cell: Cell) -> EpisodeRecord:
    def page(word: str) -> Shown:
        return Shown(
            f"http://shop.test/{word}",
            f"<html><body>{word} of {cell.agent}</body></html>",
            tree=f"- text: {word} of {cell.agent}",
            boxes=(None, (1.0, 2.25, 3.0, float(len(word + cell.agent)))),
            dialog=Dialog("alert", "careful"),
            tabs=(word, "other"),
            tab=1,
        )

    click = Action(kind="CLICK", selector="a", reasoning="why")
    return EpisodeRecord(
        cell=cell,
        status="done",
        claim="done",
        message="bought",
        steps=[
            StepRecord(page("start")),
            StepRecord(page("cart"), click, Outcome(ok=True), 0.5),
            StepRecord(page("cart"), Action(kind="DONE"), Outcome(ok=True), 0.1),
        ],
        closings={"/cart": Shown("http://shop.test/cart", f"<html>cart of {cell.agent}</html>")},
        final={"cart": TableChange(("id",), added=(Entity(id=1),))},
        ledger=[
            Entry(step=1, mode="remap", phase="met", element="button"),
            Entry(step=1, mode="remap", phase="planned"),
        ],
        grade=Grade({"saw it": True}, {"bought else": False}, verdict=True),
        seconds=1.5,
    )


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.db"
    with Store.create(path, {}, CELLS) as store:
        for cell in CELLS:
            store.save(episode(cell))
    return path


def edit(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0
    connection.close()


def altered(path: Path) -> set[str]:
    with Store.open(path) as store:
        return set(store.altered(contents=True))


def test_an_unedited_run_fits_its_seals(run: Path) -> None:
    assert altered(run) == set()
    with Store.open(run) as store:
        assert [store.load(cell).steps for cell in CELLS] == [episode(cell).steps for cell in CELLS]


OF_FIRST = f"WHERE cell = '{FIRST}'"
EDITS = {
    "an action": f"UPDATE step SET action = replace(action, '\"a\"', '\"b\"') {OF_FIRST} AND n = 1",
    "an outcome": f"UPDATE step SET outcome = replace(outcome, 'true', 'false') {OF_FIRST} AND n = 1",
    "an address": f"UPDATE step SET url = 'http://shop.test/paid' {OF_FIRST} AND n = 1",
    "a dialog": f"UPDATE step SET browser = NULL {OF_FIRST} AND n = 1",
    "a cost": f"UPDATE step SET usage = '{{\"tokens_in\": 5}}' {OF_FIRST} AND n = 1",
    "the ledger": f"UPDATE ledger SET entry = replace(entry, 'met', 'overcome') {OF_FIRST} AND n = 0",
    "a line of the ledger": f"DELETE FROM ledger {OF_FIRST} AND n = 1",
    "the grade": f"UPDATE episode SET grade = replace(grade, 'true', 'false') {OF_FIRST}",
    "no grade": f"UPDATE episode SET grade = NULL {OF_FIRST}",
    "the status": f"UPDATE episode SET status = 'gave_up' {OF_FIRST}",
    "an error": f"UPDATE episode SET status = 'error' {OF_FIRST}",
    "the claim": f"UPDATE episode SET claim = 'none' {OF_FIRST}",
    "the final database": f"UPDATE episode SET final = '{{}}' {OF_FIRST}",
    "no seal": f"UPDATE episode SET seal = NULL {OF_FIRST}",
    "the last step": f"DELETE FROM step {OF_FIRST} AND n = 2",
    "a step between": f"DELETE FROM step {OF_FIRST} AND n = 1",
    "an evidence page": f"DELETE FROM closing {OF_FIRST}",
    "a page for another one of its own": f"UPDATE step SET state = (SELECT state FROM step {OF_FIRST} AND n = 0) {OF_FIRST}",
    "what JSON cannot read": f"UPDATE episode SET grade = 'nothing' {OF_FIRST}",
    "the plan": f"UPDATE cell SET data = replace(data, 'shop/x', 'shop/y') WHERE key = '{FIRST}'",
}


@pytest.mark.parametrize("edit_name", EDITS)
def test_an_edited_row_is_found(run: Path, edit_name: str) -> None:
    edit(run, EDITS[edit_name])
    assert altered(run) == {FIRST}
    with Store.open(run) as store:
        with pytest.raises(AlteredError, match="was changed after it was recorded: its seal does not fit"):
            store.load(CELLS[0])
        with pytest.raises(AlteredError):
            store.episodes()
        assert [summary.cell for summary in store.episodes(without={FIRST})] == CELLS[1:]
        assert store.load(CELLS[1]) == episode(CELLS[1])


@pytest.mark.parametrize("column", ["state", "tree", "boxes"])
def test_two_episodes_with_each_others_contents_are_found(run: Path, column: str) -> None:
    swapped = f"(SELECT {column} FROM step other WHERE other.n = step.n AND other.cell <> step.cell)"
    with sqlite3.connect(run) as connection:
        rows = connection.execute(f"SELECT {swapped}, cell, n FROM step").fetchall()
        connection.executemany(f"UPDATE step SET {column} = ? WHERE cell = ? AND n = ?", rows)
    connection.close()
    assert altered(run) == {FIRST, SECOND}


def damaged(run: Path, change: Callable[[bytes], bytes], column: str = "state") -> None:
    connection = sqlite3.connect(run)
    with connection:
        query = f"SELECT hash, data FROM blob WHERE hash = (SELECT {column} FROM step {OF_FIRST} AND n = 0)"
        digest, content = connection.execute(query).fetchone()
        connection.execute("UPDATE blob SET data = ? WHERE hash = ?", (change(content), digest))
    connection.close()


@pytest.mark.parametrize("column", ["state", "tree", "boxes"])
@pytest.mark.parametrize("position", [0, 4, -1])
def test_a_flipped_byte_in_a_content_is_found(run: Path, position: int, column: str) -> None:
    damaged(run, lambda data: bytes(byte ^ (index == position % len(data)) for index, byte in enumerate(data)), column)
    assert altered(run) == {FIRST}
    with Store.open(run) as store, pytest.raises(AlteredError, match=r"content [0-9a-f]{32} was changed"):
        store.load(CELLS[0])


def test_a_page_that_is_another_one_is_found(run: Path) -> None:
    import zstandard

    damaged(run, lambda data: zstandard.compress(b"<html>better</html>"))
    assert altered(run) == {FIRST}


def test_a_content_that_is_gone_is_found(run: Path) -> None:
    edit(run, f"DELETE FROM blob WHERE hash = (SELECT state FROM step {OF_FIRST} AND n = 0)")
    with Store.open(run) as store:
        assert store.altered() == {}, "the seal alone does not look at contents"
        assert set(store.altered(contents=True)) == {FIRST}


def test_a_new_grade_is_sealed_anew(run: Path) -> None:
    grade = Grade({"saw it": False}, {}, verdict=False)
    with Store.open(run) as store:
        store.regrade({FIRST: grade})
    assert altered(run) == set()
    with Store.open(run) as store:
        assert store.load(CELLS[0]).grade == grade


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, str, int]]]:
    """A run, and the columns of all rows of its first episode as (table, column, row)."""
    path = tmp_path_factory.mktemp("stored") / "run.db"
    with Store.create(path, {}, CELLS) as store:
        store.save(episode(CELLS[0]))
    columns = [
        (table, column[1], rowid)
        for table, key in TABLES.items()
        for column in rows(path, f"PRAGMA table_info({table})")
        for rowid in range(rows(path, f"SELECT count(*) FROM {table} WHERE {key} = ?", FIRST)[0][0])
    ]
    return path, columns


@given(data=st.data())
def test_any_changed_value_in_any_column_is_found(stored: tuple[Path, list[tuple[str, str, int]]], data: Any) -> None:
    path, columns = stored
    table, column, offset = data.draw(st.sampled_from([place for place in columns if place[1] not in ("key", "cell")]))
    replacement = data.draw(st.one_of(st.none(), st.integers(-9, 9), st.text(max_size=5), st.binary(max_size=5)))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        order = f"SELECT * FROM {table} WHERE {TABLES[table]} = ? ORDER BY 1, 2 LIMIT 1 OFFSET {offset}"
        cursor = connection.execute(order, (FIRST,))
        row = dict(
            zip([column_description[0] for column_description in cursor.description], cursor.fetchone(), strict=True)
        )
        assume(row[column] != replacement or type(row[column]) is not type(replacement))
        connection.execute("BEGIN")
        try:
            where = " AND ".join(f"{name} IS ?" for name in row)
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {where}", (replacement, *row.values()))
            rows = connection.execute(f"SELECT * FROM {table} WHERE {TABLES[table]} = ?", (FIRST,)).fetchall()
            assume(tuple(row.values()) not in rows)
            assert seal(connection, FIRST) != connection.execute("SELECT seal FROM episode").fetchone()[0]
        finally:
            connection.execute("ROLLBACK")


@given(st.lists(st.tuples(*[st.one_of(st.none(), st.integers(), st.floats(), st.text(), st.binary())] * 3), max_size=4))
def test_a_seal_hashes_a_line_of_json_per_row(values: list[tuple[Any, ...]]) -> None:
    """The stored runs were sealed like this."""
    columns = ("cell", "n", "seal")
    lines = [["ledger", *([column, cell] for column, cell in zip(columns[:2], row, strict=False))] for row in values]
    text = "".join(json.dumps(line, default=lambda content: {"bytes": content.hex()}) + "\n" for line in lines)
    digest = seal_of({"cell": Rows(("key",), []), "ledger": Rows(columns, values)})
    assert digest == hashlib.blake2b(text.encode(), digest_size=16).digest()


def test_the_database_is_not_kept_busy_by_reading(run: Path) -> None:
    with Store.open(run) as reader, Store.open(run) as writer:
        reader.episodes()
        reader.load(CELLS[0])
        writer.save(episode(CELLS[0]))
        assert reader.altered(contents=True) == {}
