"""The register of a run finds removed, added and exchanged episodes, and raises no false alarm."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.errors import AlteredError
from stressweb.log import register
from stressweb.log.copying import copy
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.checks import Grade
from tests.examples import examples
from tests.support.made_runs import plan_of, write_run

PLAN = plan_of(tasks=5, conditions=("remap@3",))
CELLS = PLAN.cells()
TASKS = {task: {"family": "one", "horizon": 1} for task in PLAN.tasks}
FIRST, SECOND = (cell.key for cell in CELLS[:2])
OF_LAST = f"FROM cell WHERE key = '{CELLS[-1].key}'"
OF_AN_EPISODE = ("episode", "step", "closing", "ledger")


def recorded(cell: Cell, seconds: float = 1.5, *, success: bool = True) -> EpisodeRecord:
    return EpisodeRecord(
        cell, "done", "done", grade=Grade({"goal": success}, {}, verdict=None), seconds=seconds + cell.epoch
    )


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with nine of ten episodes finished."""
    path = tmp_path / "run" / FILE
    with Store.create(path, {"plan": PLAN.model_dump(), "tasks": TASKS}, CELLS) as store:
        for number, cell in enumerate(CELLS[:-1]):
            store.save(recorded(cell, number))
    return path


def edit(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def misfit(path: Path) -> str:
    with Store.read(path) as store:
        return store.misfit()


def removed(key: str, *tables: str) -> list[str]:
    return [f"DELETE FROM {table} WHERE cell = '{key}'" for table in tables or OF_AN_EPISODE]


EDITS: dict[str, tuple[list[str], str]] = {
    "an episode is removed": (
        removed(FIRST), f"1 of 9 recorded episodes was removed; there is no episode of {FIRST}, {CELLS[-1].key}"
    ),
    "two are": ([*removed(FIRST), *removed(SECOND)], "2 of 9 recorded episodes were removed; there is no episode of "),
    "all are": ([f"DELETE FROM {table}" for table in OF_AN_EPISODE], "9 of 9 recorded episodes were removed"),
    "its cell is, too": (
        [*removed(FIRST), f"DELETE FROM cell WHERE key = '{FIRST}'"], "1 of 9 recorded episodes was removed"
    ),
    "a cell that has not run is removed": ([f"DELETE FROM cell WHERE key = '{CELLS[-1].key}'"], "its plan"),
    "an identity": (["UPDATE cell SET identity = 'other'"], "its plan"),
    "the order of cells": (["UPDATE cell SET position = 100 - position"], "its plan"),
    "families are emptied": (["UPDATE meta SET value = '{}' WHERE name = 'tasks'"], "its plan, or what it knows of its"),
    "families are gone": (["DELETE FROM meta WHERE name = 'tasks'"], "its plan, or what it knows of its tasks"),
    "the plan": (["UPDATE meta SET value = replace(value, '0', '1') WHERE name = 'plan'"], "its plan"),
    "prices are added": (["INSERT INTO meta VALUES ('prices', '{}')"], "its plan"),
    "the register is gone": (["DELETE FROM meta WHERE name = 'register'"], "its register of finished episodes is gone"),
    "the register is none": (["UPDATE meta SET value = '[1]' WHERE name = 'register'"], "its register of finished"),
    "the register is deep": (
        [f"UPDATE meta SET value = '{'[' * 900}' WHERE name = 'register'"], "its register of finished episodes is gone"
    ),
    "an episode is added": (
        [f"INSERT INTO episode SELECT key, 'done', 'done', '', 1, NULL, '{{}}', 1.0, NULL, '', NULL {OF_LAST}"],
        "1 episode was added",
    ),
}  # fmt: skip


@pytest.mark.parametrize("edit_name", EDITS)
def test_removed_added_and_changed_entries_are_found(run: Path, edit_name: str) -> None:
    assert misfit(run) == ""
    statements, message = EDITS[edit_name]
    edit(run, *statements)
    assert misfit(run).startswith(message)
    with Store.read(run) as store, pytest.raises(AlteredError, match="was changed after it was recorded: "):
        store.check_whole()


def test_of_a_finished_run_the_removed_episode_is_named(run: Path) -> None:
    with Store.open(run) as store:
        store.save(recorded(CELLS[-1]))
    edit(run, *removed(SECOND))
    assert misfit(run) == f"1 of 10 recorded episodes was removed: {SECOND}"


def test_an_episode_of_another_run_in_the_place_of_one_is_found(run: Path, tmp_path: Path) -> None:
    """Its seal fits, because it is a whole episode of the same cell."""
    other_path = tmp_path / "other.db"
    with Store.create(other_path, {}, CELLS) as store:
        store.save(recorded(CELLS[0], 77.0))
    edit(run, *removed(FIRST), f"ATTACH '{other_path}' AS other", "INSERT INTO episode SELECT * FROM other.episode")
    with Store.read(run) as store:
        assert store.altered() == {}
    assert misfit(run) == "an episode was exchanged for another one"


def test_a_removal_is_found_even_after_later_writes(run: Path) -> None:
    edit(run, *removed(FIRST))
    with Store.open(run) as store:
        store.save(recorded(CELLS[-1]))
        store.save(recorded(CELLS[0], 99.0))
        store.regrade({SECOND: Grade({"goal": False}, {}, verdict=None)}, {"graded": {}})
        store.note("tasks", TASKS)
    assert misfit(run)


@given(st.lists(st.tuples(st.integers(0, len(CELLS) - 1), st.sampled_from(["done", "error", "grade", "note"]))))
@examples(40)
def test_the_register_fits_after_any_writes(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str]]
) -> None:
    """Reruns of errors, new grades, notes, and copies with and without pictures."""
    path = tmp_path_factory.mktemp("run") / FILE
    with Store.create(path, {"plan": PLAN.model_dump()}, CELLS) as store:
        for number, (number_of_cell, deed) in enumerate(steps):
            if deed == "note":
                store.note("tasks" if number_of_cell % 2 else "finished", {"number": number})
            elif deed == "grade" and store.has(CELLS[number_of_cell]):
                store.regrade({CELLS[number_of_cell].key: Grade({"goal": False}, {}, verdict=None)})
            else:
                record = recorded(CELLS[number_of_cell], number)
                store.save(replace(record, status="error", grade=None) if deed == "error" else record)
            assert store.misfit() == ""
        assert len(store.missing()) == len(CELLS) - len(store.finished())
    for pictures in (True, False):
        target = path.with_name(f"{pictures}.db")
        copy(path, target, pictures=pictures)
        assert misfit(target) == ""


def test_two_alternating_writers_are_both_counted(run: Path) -> None:
    with Store.open(run) as first, Store.open(run) as second:
        for number, cell in enumerate(CELLS):
            (first, second)[number % 2].save(recorded(cell, number + 50))
    assert misfit(run) == ""


def test_a_transaction_that_fails_leaves_the_register_as_it_was(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(connection: sqlite3.Connection, before: int | None, key: str) -> None:
        real(connection, before, key)
        raise sqlite3.OperationalError("disk I/O error")

    real = register.exchange
    monkeypatch.setattr(register, "exchange", full)
    with Store.open(run) as store, pytest.raises(sqlite3.OperationalError):
        store.save(recorded(CELLS[-1]))
    assert misfit(run) == ""


def test_a_run_from_before_registers_can_be_read(run: Path) -> None:
    edit(run, "DELETE FROM meta WHERE name = 'register'", "PRAGMA application_id = 0", *removed(FIRST))
    assert misfit(run) == ""
    with Store.open(run) as store:
        store.save(recorded(CELLS[0]))
    assert misfit(run) == ""
    copy(run, run.with_name("copy.db"))
    assert misfit(run.with_name("copy.db")) == ""


def test_the_register_is_not_part_of_the_metadata(tmp_path: Path) -> None:
    with Store.read(write_run(tmp_path / "run") / FILE) as store:
        assert register.NAME not in store.meta()
