"""Parcels of episodes from other machines: they arrive whole and once, or not at all."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.errors import TooLargeError, UserError
from stressweb.log import parcel
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.run_file import MOST
from stressweb.log.store import FILE, Store
from stressweb.plugins.agent import Usage
from stressweb.plugins.checks import Grade
from stressweb.runner.execution.backend import WorkerLost
from stressweb.runner.execution.incoming import Incoming

pytestmark = pytest.mark.sample(3, "file")

GOLDEN = Path(__file__).parents[2] / "golden" / FILE
CELLS = [Cell(agent="naive", task=f"shop/{n}", condition="clean", world=0) for n in range(4)]


def packed(record: EpisodeRecord, folder: Path) -> bytes:
    path = folder / "parcel.db"
    parcel.write(path, record)
    content = path.read_bytes()
    path.unlink()
    assert list(folder.glob("parcel.db*")) == [], "only the file is sent, so SQLite must leave nothing beside it"
    return content


def episode(cell: Cell, message: str) -> EpisodeRecord:
    page = Shown("http://shop.test/", "<p>é</p>", b"png")
    steps = [StepRecord(page, usage=Usage(7, 3, model="small"))]
    grade = Grade({"saw it": True}, {}, verdict=True)
    return EpisodeRecord(cell, "done", "done", message, steps, grade=grade, sheets={"http://shop.test/a.css": "p {}"})


def test_every_episode_of_a_real_run_arrives_as_it_was(tmp_path: Path) -> None:
    with Store.read(GOLDEN) as store:
        cells = [summary.cell for summary in store.episodes()]
        assert cells
        for cell in cells:
            sent = parcel.whole(store, cell)
            arrived = parcel.unpack(packed(sent, tmp_path), cell)
            assert arrived == sent
            assert arrived.sheets == sent.sheets
            assert arrived.usage == sent.usage


def test_the_style_sheets_come_along(tmp_path: Path) -> None:
    sent = episode(CELLS[0], "bought")
    assert parcel.unpack(packed(sent, tmp_path), CELLS[0]).sheets == {"http://shop.test/a.css": "p {}"}


def test_an_episode_that_is_too_large_leaves_no_file(tmp_path: Path) -> None:
    large = EpisodeRecord(CELLS[0], "done", steps=[StepRecord(Shown("http://shop.test/", "a" * (MOST + 1)))])
    with pytest.raises(TooLargeError):
        parcel.write(tmp_path / FILE, large)
    assert list(tmp_path.iterdir()) == []
    # The sender replaces it with a smaller record, in the same place.
    parcel.write(tmp_path / FILE, episode(CELLS[0], "too large"))
    parcel.write(tmp_path / FILE, episode(CELLS[0], "again"))
    assert parcel.unpack((tmp_path / FILE).read_bytes(), CELLS[0]).message == "again"


def test_an_episode_of_another_cell_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"something else than the episode shop/1\|naive"):
        parcel.unpack(packed(episode(CELLS[0], ""), tmp_path), CELLS[1])
    with pytest.raises(UserError, match="is not a run database"):
        parcel.unpack(b"", CELLS[0])
    Store.create(tmp_path / "empty.db", {}, [CELLS[0]]).close()
    with pytest.raises(UserError, match="something else than the episode"):
        parcel.unpack((tmp_path / "empty.db").read_bytes(), CELLS[0])


@given(st.data())
def test_a_damaged_parcel_is_refused_or_unchanged(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    sent = episode(CELLS[0], "bought")
    whole = packed(sent, folder)
    position = data.draw(st.integers(0, len(whole) - 1))
    flipped = bytes([whole[position] ^ data.draw(st.integers(1, 255))])
    with contextlib.suppress(UserError):
        # Bytes that SQLite does not use change nothing.
        assert parcel.unpack(whole[:position] + flipped + whole[position + 1 :], CELLS[0]) == sent
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(UserError):
        parcel.unpack(whole[:cut], CELLS[0])


@pytest.fixture(scope="module")
def parcels(tmp_path_factory: pytest.TempPathFactory) -> list[list[bytes]]:
    """Return the parcels of two episodes of each cell."""
    folder = tmp_path_factory.mktemp("parcels")
    return [[packed(episode(cell, message), folder) for message in "ab"] for cell in CELLS]


@given(st.lists(st.tuples(st.integers(0, len(CELLS) - 1), st.integers(0, 1)), max_size=6))
def test_a_duplicate_episode_is_dropped(
    tmp_path_factory: pytest.TempPathFactory, parcels: list[list[bytes]], arrivals: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    Store.create(folder / FILE, {}, CELLS).close()
    incoming = Incoming(folder / FILE)
    first: dict[int, str] = {}
    for number, version in arrivals:
        first.setdefault(number, "ab"[version])
        report = incoming.keep(CELLS[number], parcels[number][version])
        assert (report.cell, report.message, report.success, report.usage.tokens_in) == (
            CELLS[number],
            first[number],
            True,
            7,
        )
    with Store.read(folder / FILE) as store:
        assert {summary.cell.key: summary.message for summary in store.episodes()} == {
            CELLS[number].key: message for number, message in first.items()
        }
        assert [store.load(CELLS[number]) for number in first] == [
            episode(CELLS[number], first[number]) for number in first
        ]


def test_a_damaged_parcel_is_run_again_and_nothing_is_written(tmp_path: Path) -> None:
    Store.create(tmp_path / FILE, {}, CELLS).close()
    with pytest.raises(WorkerLost, match=r"a worker sent a damaged episode: .* is not a run database"):
        Incoming(tmp_path / FILE).keep(CELLS[0], b"")
    with Store.read(tmp_path / FILE) as store:
        assert store.pending() == CELLS
