"""Shards become one run: every episode once, sealed again, graded the same; invalid sets of shards are refused."""

from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.log.ledger import Entry
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Usage
from stressweb.plugins.checks import Grade
from stressweb.runner.outcome.merging import merge
from stressweb.runner.registry import Library, task_ids
from stressweb.runner.registry.identity import identities
from tests.support.edited_runs import edit
from tests.support.plans import plan as planned

pytestmark = pytest.mark.sample(1, "file")

SHEET = "http://shop.test/static/site.css"
META = {"suite": "suite-x", "version": "1", "engine": "e", "modes": {}, "browser": "Chromium 156.0.2"}


def whole() -> Plan:
    return planned(agents=("naive", "null"), tasks=tuple(task_ids()[:3]), conditions=("clean", "remap@3"))


def record_of(cell: Cell) -> EpisodeRecord:
    page = Shown("http://shop.test/", f"<html><head><link rel=stylesheet href='{SHEET}'></head>{cell.key}</html>")
    steps = [StepRecord(page), StepRecord(page, Action(kind="DONE"), Outcome(ok=True), 0.5, Usage(tokens_in=7))]
    ledger = [Entry(step=1, mode="remap", phase="delivered", element="button 'Buy'")]
    grade = Grade({"saw it": cell.condition == "clean"}, {}, verdict=cell.condition == "clean")
    return EpisodeRecord(
        cell, "done", "done", "All done.", steps, {"/": page}, {}, ledger, grade, seconds=1.0, sheets={SHEET: "a {}"}
    )


def shard(folder: Path, number: int, count: int, **changes: object) -> Path:
    """Write the run of a shard whose last cell has no episode yet."""
    plan = whole().model_copy(update={"shard": (number, count)})
    meta = {**META, "plan": plan.model_dump(mode="json"), "parts": {f"part {number}": "x"}, **changes}
    meta["goals"] = {"shop/x": {str(number): "Buy it."}}
    path = folder / f"{number}-of-{count}" / FILE
    with Store.create(path, meta, plan.cells(), identities(Library(), plan)) as store:
        for cell in plan.cells()[:-1]:
            store.save(record_of(cell))
    return path.parent


def test_every_episode_of_every_shard_is_in_the_merged_run(tmp_path: Path) -> None:
    folders = [shard(tmp_path, number, 2) for number in (2, 1)]
    merged = merge(folders, tmp_path / "runs", "all")
    with Store.read(merged / FILE) as store:
        assert store.cells() == whole().cells()
        assert store.altered(contents=True) == {}
        assert store.identities() == identities(Library(), whole())
        assert Plan.model_validate(store.meta()["plan"]) == whole()
        assert store.meta()["parts"] == {"part 1": "x", "part 2": "x"}
        assert store.meta()["goals"] == {"shop/x": {"1": "Buy it.", "2": "Buy it."}}
        expected = {cell.key for folder in folders for cell in _cells(folder)}
        assert {episode.cell.key for episode in store.episodes()} == expected
        assert len(store.pending()) == 2
        for episode in store.episodes():
            assert store.load(episode.cell) == record_of(episode.cell)
        assert store.sheets(episode.cell.task.partition("/")[0], 0) == {SHEET: "a {}"}


def _cells(folder: Path) -> list[Cell]:
    with Store.read(folder / FILE) as store:
        return [episode.cell for episode in store.episodes()]


def test_an_invalid_set_of_shards_is_refused_and_writes_nothing(tmp_path: Path) -> None:
    first, second = (shard(tmp_path, number, 2) for number in (1, 2))
    third = shard(tmp_path, 1, 3)
    foreign = shard(tmp_path / "other", 2, 2, engine="another")
    rewritten = shard(tmp_path / "rewritten", 2, 2, parts={"part 1": "y"})
    elsewhere = shard(tmp_path / "elsewhere", 2, 2, browser="Chromium 157.0.1")
    plain = tmp_path / "plain" / FILE
    Store.create(plain, {**META, "plan": whole().model_dump(mode="json")}, whole().cells()).close()
    for runs, message in [
        ([first], "shard 2 of 2 is missing"),
        ([first, first], "are both shard 1 of 2"),
        ([first, third], "are shards of different plans"),
        ([first, foreign], "was made with another engine"),
        ([first, rewritten], "was made with another part 1 than other shards"),
        ([first, elsewhere], r"was made with Chromium 157.0.1, and run \S+ with Chromium 156.0.2"),
        ([first, second, plain.parent], "is not a shard"),
    ]:
        with pytest.raises(UserError, match=message):
            merge(runs, tmp_path / "runs", "all")
        assert not (tmp_path / "runs" / "all").exists()


def test_a_shard_from_which_an_episode_was_removed_is_not_merged(tmp_path: Path) -> None:
    first, second = (shard(tmp_path, number, 2) for number in (1, 2))
    for table in ("ledger", "closing", "step", "episode"):
        edit(second / FILE, f"DELETE FROM {table} WHERE cell = (SELECT min(key) FROM cell)")
    with pytest.raises(UserError, match=r"1 of \d+ recorded episodes was removed"):
        merge([first, second], tmp_path / "runs", "all")
    assert not (tmp_path / "runs" / "all").exists()


def test_an_edited_episode_is_not_merged(tmp_path: Path) -> None:
    first, second = (shard(tmp_path, number, 2) for number in (1, 2))
    edit(second / FILE, "UPDATE episode SET grade = replace(grade, 'false', 'true')")
    with pytest.raises(UserError, match=r"naive|null"):
        merge([first, second], tmp_path / "runs", "all")
    assert not (tmp_path / "runs" / "all").exists()
