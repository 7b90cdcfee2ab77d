"""A recording of another engine is graded, reported and compared, but never continued."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.golden import FIGURES, FOLDER, figures
from stressweb.log.store import FILE, Store
from stressweb.runner.registry import engine
from tests.support.edited_runs import edit

type Result = tuple[int, str, str]


ENGINES = sorted(path.name for path in FOLDER.glob("engine-*"))


@pytest.fixture(params=ENGINES)
def engine_run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a stored run of an older engine, never marked as the current one."""
    folder = Path(shutil.copytree(FOLDER / request.param, tmp_path / "runs" / "kept"))
    with Store.open(folder / FILE) as store:
        # The stored engine may still be the current one.
        if store.meta()["engine"] == engine.code():
            store.note("engine", "0123456789abcdef")
    return folder


def test_it_is_not_resumed(call: Callable[..., Result], engine_run: Path) -> None:
    with Store.open(engine_run / FILE) as store:
        # Mark an episode as an error, so there is something to resume.
        key = store.cells()[0].key
    edit(engine_run / FILE, "UPDATE episode SET status = 'error', grade = NULL WHERE cell = ?", key, sealed=key)
    before = (engine_run / FILE).read_bytes()
    status, out, err = call("run", "--resume", "--run", "kept")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "runs/kept was made with " in err
    assert "so its episodes are not comparable with new ones; start a new run" in err
    assert (engine_run / FILE).read_bytes() == before


def test_it_is_graded(call: Callable[..., Result], engine_run: Path) -> None:
    recorded = json.loads((engine_run / FIGURES).read_text("utf-8"))
    with Store.open(engine_run / FILE) as store:
        record = store.load(store.cells()[0])
        record.grade = None
        store.save(record)
    status, out, err = call("grade", "kept", "--json")
    output = json.loads(out)
    # A changed grade is a finding, and the episode without a grade has one now.
    assert (status, output["regraded"], output["altered"]) == (1, 1, [])
    assert record.cell.key in err
    assert figures(engine_run / FILE) == recorded
    measured = {(row["agent"], row["condition"]): row["successes"] for row in output["rows"]}
    agents = {key.split("|")[1] for key in recorded}
    conditions = {key.split("|")[2] for key in recorded}
    assert measured == {
        (agent, condition): sum(
            figure["success"] for key, figure in recorded.items() if key.split("|")[1:3] == [agent, condition]
        )
        for agent in agents
        for condition in conditions
    }
