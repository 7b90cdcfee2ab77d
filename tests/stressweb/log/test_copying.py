"""A copy has the content of its run, and its bytes do not depend on the order of writing."""

from pathlib import Path

import pytest

from stressweb.core.errors import AlteredError
from stressweb.log.copying import copy
from stressweb.log.deltas import base_of
from stressweb.log.recording import Cell, EpisodeRecord, Shown, Status, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.checks import Grade
from stressweb.plugins.observation_source import SourceValues
from tests.support.edited_runs import edit, rows

CELLS = [Cell(agent="a", task="shop/x", condition="clean", world=0, epoch=n) for n in range(4)]
SHEETS = {"http://shop.test/a.css": "a {}", "http://shop.test/b.css": "b {}"}


def record(cell: Cell, *, status: Status = "done") -> EpisodeRecord:
    pages = [
        Shown("http://shop.test/", f"<p>{status} {cell.epoch} {n}</p>", b"\x89PNG" + bytes([cell.epoch, n]), "tree", ((1.0, 2.0, 3.0, 4.0),))
        for n in range(3)
    ]  # fmt: skip
    grade = None if status == "error" else Grade({"a": True}, {}, None)
    closings = {"/cart": Shown("http://shop.test/cart", "<p>cart</p>")}
    return EpisodeRecord(
        cell, status, steps=[StepRecord(page) for page in pages], closings=closings, grade=grade, sheets=SHEETS
    )


def new_run(path: Path, order: list[int]) -> Path:
    with Store.create(path, {"plan": {}}, CELLS) as store:
        for n in order:
            store.save(record(CELLS[n]))
    return path


def content(path: Path) -> tuple[object, ...]:
    with Store.read(path) as store:
        assert store.altered(contents=True) == {}
        return store.meta(), store.cells(), store.content(), store.sheets("shop", 0)


def test_a_copy_is_the_same_whatever_the_order(tmp_path: Path) -> None:
    first = new_run(tmp_path / "one" / FILE, [0, 1, 2, 3])
    second = new_run(tmp_path / "two" / FILE, [3, 1, 0, 2])
    for path in (first, second):
        copy(path, path.with_name("copy.db"))
    assert first.with_name("copy.db").read_bytes() == second.with_name("copy.db").read_bytes()
    assert content(first.with_name("copy.db")) == content(first)
    assert content(first)[3] == SHEETS
    with Store.read(first.with_name("copy.db")) as store:
        assert store.load(CELLS[0]).steps == record(CELLS[0]).steps


def test_a_copy_has_what_observation_sources_read(tmp_path: Path) -> None:
    page = Shown("http://shop.test/", "<p>links</p>", sources=SourceValues({"links": [["Home", "/"]], "raw": b"1"}))
    with Store.create(tmp_path / FILE, {"plan": {}}, CELLS) as store:
        store.save(EpisodeRecord(CELLS[0], "done", steps=[StepRecord(page)], grade=Grade({"a": True}, {}, None)))
    copy(tmp_path / FILE, tmp_path / "copy.db", pictures=False)
    assert content(tmp_path / "copy.db") == content(tmp_path / FILE)
    with Store.read(tmp_path / "copy.db") as store:
        assert store.load(CELLS[0]).steps[0].page.sources == page.sources


def test_a_copy_of_a_copy_is_equal(tmp_path: Path) -> None:
    copy(new_run(tmp_path / FILE, [2, 0]), tmp_path / "one.db")
    copy(tmp_path / "one.db", tmp_path / "two.db")
    assert (tmp_path / "one.db").read_bytes() == (tmp_path / "two.db").read_bytes()


def test_a_replaced_episode_leaves_nothing_in_a_copy(tmp_path: Path) -> None:
    path = new_run(tmp_path / FILE, [])
    with Store.open(path) as store:
        store.save(record(CELLS[0], status="error"))
        store.save(record(CELLS[0]))
    fresh = new_run(tmp_path / "fresh" / FILE, [0])
    copy(path, tmp_path / "one.db")
    copy(fresh, tmp_path / "two.db")
    assert (tmp_path / "one.db").read_bytes() == (tmp_path / "two.db").read_bytes()


def test_pictures_are_left_out_and_all_else_is_kept(tmp_path: Path) -> None:
    path = new_run(tmp_path / FILE, [0, 1])
    copy(path, tmp_path / "bare.db", pictures=False)
    assert content(tmp_path / "bare.db") == content(path)
    with Store.read(tmp_path / "bare.db") as store:
        assert [step.page.screenshot for step in store.load(CELLS[0]).steps] == [None] * 3
    assert b"\x89PNG" not in (tmp_path / "bare.db").read_bytes()


@pytest.mark.parametrize(
    "change", ["UPDATE episode SET claim = 'failed'", "UPDATE blob SET data = zeroblob(9)", "DELETE FROM blob"]
)
@pytest.mark.parametrize("pictures", [True, False])
def test_an_edited_run_is_not_copied(tmp_path: Path, change: str, pictures: bool) -> None:
    path = new_run(tmp_path / FILE, [0])
    edit(path, change)
    with pytest.raises(AlteredError, match="was changed after it was recorded"):
        copy(path, tmp_path / "copy.db", pictures=pictures)
    assert not (tmp_path / "copy.db").exists()


def test_the_base_of_a_page_is_copied_with_it(tmp_path: Path) -> None:
    """A failed attempt of an episode leaves a page that is the base of later ones."""
    long = "".join(f"<p>{n}</p>" for n in range(3000))
    path = new_run(tmp_path / FILE, [])
    with Store.open(path) as store:
        failed = EpisodeRecord(
            CELLS[0], "error", steps=[StepRecord(Shown("http://shop.test/", f"{long}{n}")) for n in range(3)]
        )
        store.save(failed)
        again = EpisodeRecord(CELLS[0], "done", steps=failed.steps[1:], grade=Grade({"a": True}, {}, None))
        store.save(again)
    assert {base_of(content) for (content,) in rows(path, "SELECT data FROM blob")} > {None}
    copy(path, tmp_path / "copy.db")
    with Store.read(tmp_path / "copy.db") as store:
        assert store.load(CELLS[0]).steps == again.steps
        assert store.altered(contents=True) == {}
