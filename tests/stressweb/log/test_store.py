"""Run databases return saved episodes unchanged, and report damage in one line."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from stressweb.core.entity import Entity
from stressweb.core.errors import AlteredError, UserError
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.run_file import PAGE_BYTES
from stressweb.log.sealing import hash_of
from stressweb.log.store import Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Usage
from stressweb.plugins.checks import Grade
from stressweb.plugins.database import TableChange
from stressweb.plugins.observation_source import SourceValues, pack
from tests.support.edited_runs import edit

CELLS = [Cell(agent=agent, task="shop/x", condition="clean", world=0, stress=0) for agent in ("naive", "resilient")]

USAGE = Usage(10, 2, 0.4, 3, "small-1", "req-1", ("images",), ("not JSON",))
LAST = Usage(20, 3, 0.1, 1, "small-2", "req-2", ("images", "seed"))


def episode(cell: Cell, status: str = "done") -> EpisodeRecord:
    page = Shown("http://shop.test/", "<html>é same</html>", b"png")
    click = Action(kind="CLICK", selector="a", click_count=2, reasoning="why")
    return EpisodeRecord(
        cell=cell,
        status=status,  # type: ignore[arg-type]
        claim="done",
        message="bought",
        steps=[
            StepRecord(page),
            StepRecord(page, click, Outcome(ok=False, reason="covered by", detail="div"), 0.5, USAGE),
            StepRecord(Shown("http://shop.test/b", "<html>b</html>"), Action(kind="DONE"), Outcome(ok=True), 0.1, LAST),
        ],
        closings={"/cart": Shown("http://shop.test/cart", "<html>é same</html>")},
        final={"cart": TableChange(("id",), (Entity(id=1),), altered=((Entity(id=2, n=None), Entity(id=2, n="a")),))},
        ledger=[Entry(step=1, mode="remap", phase="met", element="button")],
        grade=Grade({"saw it": True}, {"bought else": False}, verdict=True),
        seconds=1.5,
    )


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "runs" / "one" / "run.db"
    Store.create(path, {"modes": {"remap": 3}}, CELLS).close()
    return path


def test_an_episode_comes_back_as_it_was_saved(run: Path) -> None:
    with Store.open(run) as store:
        store.save(episode(CELLS[0]))
    with Store.open(run) as store:
        assert store.load(CELLS[0]) == episode(CELLS[0])
        assert store.meta() == {"modes": {"remap": 3}}
        assert store.cells() == CELLS
        assert store.pending() == CELLS[1:]
        (summary,) = store.episodes()
        assert summary.steps == 2
        assert summary.usage == Usage(30, 5, 0.5, 4, "small-2", "req-2", ("images", "seed"), ("not JSON",))
        with pytest.raises(KeyError):
            store.load(CELLS[1])


def test_equal_pages_are_stored_once(run: Path) -> None:
    with Store.open(run) as store:
        for cell in CELLS:
            store.save(episode(cell))
    with sqlite3.connect(run) as connection:
        assert connection.execute("SELECT count(*) FROM blob").fetchone() == (3,)


LINKS = {"href": ["/b", "/c"], "count": 2}


def read_by_sources() -> EpisodeRecord:
    """An episode with values of observation sources: the same in two steps, then others."""
    record = episode(CELLS[0])
    first = SourceValues({"links": LINKS, "raw": b"\x00\xff", "words": "é words"})
    record.steps = [
        replace(step, page=replace(step.page, sources=read, tabs=("a", "b"), tab=1))
        for step, read in zip(record.steps, (first, first, SourceValues({"words": "b"})), strict=True)
    ]
    return record


def test_values_of_sources_come_back(run: Path) -> None:
    with Store.open(run) as store:
        store.save(read_by_sources())
    with Store.read(run) as store:
        steps = store.load(CELLS[0]).steps
        assert steps == read_by_sources().steps
        assert steps[0].page.sources["links"] == LINKS
        assert dict(steps[2].page.sources) == {"words": "b"}
        assert store.altered(contents=True) == {}
    with sqlite3.connect(run) as connection:
        # Two pages, a picture, and four values, each once.
        assert connection.execute("SELECT count(*) FROM blob").fetchone() == (3 + 4,)


def test_an_edited_value_of_a_source_is_found(run: Path) -> None:
    with Store.open(run) as store:
        store.save(read_by_sources())
        digest = hash_of(pack(LINKS))
        changed_value = zstandard.ZstdCompressor().compress(pack({"href": [], "count": 0}))
        edit(run, "UPDATE blob SET data = ? WHERE hash = ?", changed_value, digest)
        assert store.altered(contents=True) == {CELLS[0].key: f"content {digest.hex()} was changed"}
        with pytest.raises(AlteredError, match="was changed"):
            store.load(CELLS[0])
        edit(run, "UPDATE step SET browser = json_remove(browser, '$.sources.words')")
        assert store.altered() == {CELLS[0].key: "its seal does not fit"}


@pytest.mark.parametrize(
    "sources", ['{"links": "x"}', '{"links": 5}', "[]", f'{{"links": "{hash_of(b"no value").hex()}"}}']
)
def test_invalid_sources_are_refused_in_one_line(run: Path, sources: str) -> None:
    with Store.open(run) as store:
        store.save(read_by_sources())
        squeezed = zstandard.ZstdCompressor().compress(b"no value")
        edit(run, "INSERT INTO blob VALUES (?, ?)", hash_of(b"no value"), squeezed)
        surroundings = f'{{"sources": {sources}}}'
        edit(run, "UPDATE step SET browser = ? WHERE n = 1", surroundings, sealed=CELLS[0].key)
        with pytest.raises(UserError, match="holds what stressweb does not record") as caught:
            store.load(CELLS[0])
        assert "\n" not in str(caught.value)


def test_an_error_is_pending_and_is_replaced_as_a_whole(run: Path) -> None:
    with Store.open(run) as store:
        store.save(episode(CELLS[0], "error"))
        assert store.pending() == CELLS
        again = episode(CELLS[0])
        again.steps.pop()
        again.ledger.clear()
        store.save(again)
        assert store.load(CELLS[0]) == again


def test_a_failed_save_leaves_the_earlier_episode(run: Path) -> None:
    with Store.open(run) as store:
        store.save(episode(CELLS[0]))
        broken = episode(CELLS[0], "gave_up")
        broken.final = {"cart": TableChange(("id",), added=(Entity(id=object()),))}
        with pytest.raises(TypeError):
            store.save(broken)
        assert store.load(CELLS[0]) == episode(CELLS[0])


def test_grades_are_replaced_alone(run: Path) -> None:
    grade = Grade({"saw it": False}, {}, verdict=False)
    with Store.open(run) as store:
        store.save(episode(CELLS[0]))
        store.regrade({CELLS[0].key: grade})
        loaded = store.load(CELLS[0])
    assert loaded.grade == grade
    assert loaded.steps == episode(CELLS[0]).steps


def test_content_leaves_times_out(run: Path, tmp_path: Path) -> None:
    slow = episode(CELLS[0])
    slow.seconds = 99
    with Store.create(tmp_path / "run.db", {}, CELLS) as slow_store, Store.open(run) as store:
        slow_store.save(slow)
        store.save(episode(CELLS[0]))
        assert slow_store.content() == store.content()
        slow.ledger.clear()
        slow_store.save(slow)
        assert slow_store.content() != store.content()


def test_a_second_run_never_overwrites_a_first(run: Path) -> None:
    before = run.read_bytes()
    with pytest.raises(UserError, match="exists; give the run another name"):
        Store.create(run, {}, CELLS)
    assert run.read_bytes() == before


def halved(content: bytes) -> bytes:
    return content[: len(content) // 2]


def with_version(content: bytes) -> bytes:
    return content[:60] + (7).to_bytes(4) + content[64:]


def scrambled_from(start: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:start] + bytes(byte ^ 0xFF for byte in content[start:])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (halved, "is damaged: "),
        (with_version, "has schema version 7; this stressweb reads version 5"),
        (scrambled_from(4096), "is damaged: "),
        (scrambled_from(PAGE_BYTES), "is damaged: "),
        (lambda data: data[:50], "is not a run database"),
        (lambda data: b"", "is not a run database"),
        (lambda data: b"not SQLite" * 100, "is not a run database"),
    ],
)
def test_a_damaged_file_gets_one_line_and_stays_as_it_is(run: Path, damage: object, message: str) -> None:
    with Store.open(run) as store:
        store.save(episode(CELLS[0]))
    content = damage(run.read_bytes())  # type: ignore[operator]
    run.write_bytes(content)
    with pytest.raises(UserError) as caught:
        Store.open(run)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert run.read_bytes() == content
    assert [path.name for path in run.parent.iterdir()] == ["run.db"]


def test_damage_in_a_file_that_is_known_is_found_when_it_is_read(run: Path) -> None:
    with Store.open(run) as store:
        store.save(episode(CELLS[0]))
    run.write_bytes(scrambled_from(PAGE_BYTES)(run.read_bytes()))
    with Store.read(run, known=True) as store, pytest.raises(UserError, match="is damaged: "):
        store.episodes()


def test_a_missing_file_and_an_unwritable_place(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        Store.open(tmp_path / "run.db")
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        Store.create(tmp_path / "file" / "run.db", {}, CELLS)
