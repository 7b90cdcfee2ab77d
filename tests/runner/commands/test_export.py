"""`stressweb export`: the paths that it writes, and the errors."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.log.store import FILE, Store
from tests.runner.commands.command_line import Result


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """A copy of the stored run."""
    folder = tmp_path / "golden"
    folder.mkdir()
    shutil.copy(Path(__file__).parents[2] / "golden" / FILE, folder)
    return folder


def test_the_command_prints_the_path(call: Callable[..., Result], golden: Path) -> None:
    with Store.read(golden / FILE) as store:
        records = [store.load(cell) for cell in store.finished()]
    steps, ledger = sum(len(record.steps) for record in records), sum(len(record.ledger) for record in records)
    status, out, err = call("export", str(golden), "--to", "jsonl", "--output", "tables")
    assert (status, out) == (0, "tables\n")
    assert err == f"4 rows of results, 8 rows of episodes, {steps} rows of steps, {ledger} rows of ledger\n"
    status, out, err = call("export", str(golden), "--to", "jsonl", "--output", "tables", "--json")
    assert json.loads(out)["rows"] == {"results": 4, "episodes": 8, "steps": steps, "ledger": ledger}
    assert json.loads(out)["replaced"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("golden", "--to", "exel"), "unknown format 'exel'; there are csv, jsonl, parquet"),
        (("nothing",), "unknown run 'nothing'"),
        (("golden", "--output", "no/where"), "no/where cannot be written: no is not a folder"),
        (("golden", "--output", "golden"), "golden exists and is not an export of stressweb: it contains run.db"),
    ],
)
def test_a_mistake_gets_one_line_and_changes_nothing(
    call: Callable[..., Result], golden: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = sorted(Path().rglob("*"))
    status, out, err = call("export", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert sorted(Path().rglob("*")) == before
