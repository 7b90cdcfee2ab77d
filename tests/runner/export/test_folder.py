"""An export is complete or absent, and replaces only an earlier export."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.runner.export.folder import MARK, README, replacing

NAMES = (README, "results.csv")


def write(folder: Path, text: str, *, private: bool = False) -> None:
    with replacing(folder, NAMES, private=private) as place:
        (place / README).write_text(f"{MARK}\n")
        (place / "results.csv").write_text(text)


def fail(folder: Path) -> None:
    with replacing(folder, NAMES, private=False) as place:
        (place / "results.csv").write_text("half")
        raise KeyError


def texts_in(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_an_export_replaces_an_earlier_one_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write(folder, "one")
    write(folder, "two")
    assert texts_in(tmp_path) == {f"out/{README}": f"{MARK}\n", "out/results.csv": "two"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write(tmp_path / "out", "one")
    assert (tmp_path / "out" / "results.csv").read_text() == "one"


def test_only_its_owner_reads_a_private_one(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write(tmp_path / "own", "one", private=True)
        write(tmp_path / "shared", "one")
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("own", "shared")] == [0o700, 0o755]


@pytest.mark.parametrize("what", ["mine", "a file more", "a README of another", "a file", "a link"])
def test_other_files_and_folders_are_not_replaced(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "out"
    if what == "a file":
        folder.write_text("mine")
    elif what == "a link":
        write(tmp_path / "real", "one")
        folder.symlink_to(tmp_path / "real")
    elif what == "mine":
        folder.mkdir()
        (folder / "results.csv").write_text("mine")
    else:
        write(folder, "one")
        (folder / ("notes.txt" if what == "a file more" else README)).write_text("mine")
    before = texts_in(tmp_path)
    with pytest.raises(UserError, match="choose another folder with --output"):
        write(folder, "two")
    assert texts_in(tmp_path) == before


def test_a_failed_export_leaves_nothing(tmp_path: Path) -> None:
    write(tmp_path / "out", "one")
    before = texts_in(tmp_path)
    with pytest.raises(KeyError):
        fail(tmp_path / "out")
    assert texts_in(tmp_path) == before
    with pytest.raises(UserError, match=r"cannot be written: .*nowhere is not a folder"):
        write(tmp_path / "nowhere" / "out", "one")


KILLED = """
import os, signal, sys
from pathlib import Path
from stressweb.runner.export import export, tables

original_rows = tables.rows
def rows(store):
    for number, row in enumerate(original_rows(store)):
        if number == 20:
            os.kill(os.getpid(), signal.SIGKILL)
        yield row
export.rows = rows
export.export(Path(sys.argv[1]), "csv", Path(sys.argv[2]), name="run")
"""


@pytest.mark.audit
def test_a_killed_export_leaves_the_earlier_one_or_none(tmp_path: Path) -> None:
    golden, folder = Path(__file__).parents[2] / "golden", tmp_path / "out"
    for expected in ({}, {f"out/{README}": f"{MARK}\n", "out/results.csv": "one"}):
        command = [sys.executable, "-P", "-c", KILLED, str(golden), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == -9, done.stderr
        assert {name: text for name, text in texts_in(tmp_path).items() if name.startswith("out/")} == expected
        if not expected:
            write(folder, "one")
