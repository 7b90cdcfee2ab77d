"""A recording of another engine is graded, reported on and compared, but never continued."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.registry import engine
from scripts.golden import FIGURES, FOLDER, MARKED, figures
from stressweb.log.store import FILE, Store

type Result = tuple[int, str, str]


KEPT = sorted(path.name for path in FOLDER.glob("engine-*"))


@pytest.fixture(params=KEPT)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the run that is kept of an engine, as the run of any other than this one."""
    folder = Path(shutil.copytree(FOLDER / request.param, tmp_path / "runs" / "kept"))
    with Store.open(folder / FILE) as store:
        # Code that is kept from yesterday may still be today's.
        if store.meta()["engine"] == engine.code():
            store.note("engine", "0123456789abcdef")
    return folder


def test_it_is_not_resumed(call: Callable[..., Result], kept: Path) -> None:
    with Store.open(kept / FILE) as store:
        # One that broke off, so that there is something to do.
        record = store.load(store.cells()[0])
        store._connection.execute(
            "UPDATE episode SET status = 'error', grade = NULL WHERE cell = ?", (record.cell.key,)
        )
        store._seal(record.cell.key)
    before = (kept / FILE).read_bytes()
    status, out, err = call("run", "--resume", "--run", "kept")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "runs/kept was made with " in err
    assert "so its episodes are not comparable with new ones; start a new run" in err
    assert (kept / FILE).read_bytes() == before


@pytest.mark.parametrize("kept", sorted({*KEPT} - {MARKED}), indirect=True)
def test_it_is_graded(call: Callable[..., Result], kept: Path) -> None:
    recorded = json.loads((kept / FIGURES).read_text("utf-8"))
    with Store.open(kept / FILE) as store:
        record = store.load(store.cells()[0])
        record.grade = None
        store.save(record)
    status, out, err = call("grade", "kept", "--json")
    said = json.loads(out)
    # A grade that changes is a finding, and that of the episode without one did.
    assert (status, said["regraded"], said["altered"]) == (1, 1, [])
    assert record.cell.key in err
    assert figures(kept / FILE) == recorded
    measured = {(row["agent"], row["condition"]): row["successes"] for row in said["rows"]}
    agents = {key.split("|")[1] for key in recorded}
    conditions = {key.split("|")[2] for key in recorded}
    assert measured == {
        (agent, condition): sum(
            one["success"] for key, one in recorded.items() if key.split("|")[1:3] == [agent, condition]
        )
        for agent in agents
        for condition in conditions
    }
