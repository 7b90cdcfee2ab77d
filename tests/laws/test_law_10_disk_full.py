"""Law 10: a full disk ends the run with a message; finished episodes are kept, and a resume runs the others."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.log.store import FILE, Store
from tests.support.playing import without_progress
from tests.support.waiting import until

pytestmark = pytest.mark.long

RUN = [sys.executable, "-m", "stressweb", "run", "--agent", "naive", "--mode", "remap", "--limit", "2"]
CELLS = 4

type Mount = Callable[[str, int], Path]


def _mount(*arguments: object) -> None:
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small file system can be mounted here: {done.stderr.strip()}")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Mount]:
    """Make folders of limited size, in kilobytes; skips the test without root privileges."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    mounted: list[Path] = []

    def make(name: str, kilobytes: int) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        _mount("mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder)
        mounted.append(folder)
        return folder

    yield make
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def run(runs: Path, *options: str, **environment: str) -> tuple[int, str]:
    command = [*RUN, "--runs-dir", str(runs), "--run", "one", "--workers", "1", *options]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False, env={**os.environ, **environment}
    )
    return done.returncode, without_progress(done.stderr)


def finished(runs: Path) -> list[str]:
    with Store.open(runs / "one" / FILE) as store:
        assert store.altered(contents=True) == {}
        return [episode.status for episode in store.episodes()]


def fill(folder: Path) -> None:
    with (folder / "fill").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1024))
        except OSError:
            return


# At these sizes the run fails at different places: in the log, or in copying from the log into the file.
@pytest.mark.audit
@pytest.mark.parametrize("kilobytes", [400, 600])
def test_a_full_run_folder_ends_the_run_and_loses_nothing(small: Mount, kilobytes: int) -> None:
    folder = small("run", kilobytes)
    status, errors = run(folder)
    assert (status, errors.count("\n")) == (3, 1)
    assert errors.startswith("stressweb: ")
    assert "no space left in the run's folder" in errors or "database or disk is full" in errors
    assert "stressweb run --resume --run one" in errors
    subprocess.run(["mount", "-o", "remount,size=60000k", str(folder)], check=True)
    statuses = finished(folder)
    assert 1 <= len(statuses) < CELLS
    assert "error" not in statuses, "no episode is blamed for the disk"
    assert run(folder, "--resume") == (0, "")
    assert len(finished(folder)) == CELLS


def test_a_full_folder_for_temporary_files_is_named_before_anything_runs(small: Mount, tmp_path: Path) -> None:
    temporary = small("temporary", 2000)
    fill(temporary)
    status, errors = run(tmp_path, TMPDIR=str(temporary))
    assert (status, errors.count("\n")) == (3, 1)
    assert f"no space left in the folder for temporary files, {temporary}" in errors
    assert finished(tmp_path) == []


@pytest.mark.audit
def test_a_folder_for_temporary_files_that_fills_up_ends_the_run(small: Mount, tmp_path: Path) -> None:
    temporary = small("temporary", 20_000)

    def fill_after_the_first() -> None:
        until(lambda: _episodes(tmp_path))
        fill(temporary)

    filling = threading.Thread(target=fill_after_the_first)
    filling.start()
    # More episodes than are in flight when the first ends; the last of two equal options counts.
    status, errors = run(tmp_path, "--limit", "8", TMPDIR=str(temporary))
    filling.join()
    assert (status, errors.count("\n")) == (3, 1)
    assert f"no space left in the folder for temporary files, {temporary}" in errors
    statuses = finished(tmp_path)
    assert 1 <= len(statuses) < 16
    assert "error" not in statuses
    (temporary / "fill").unlink()
    assert run(tmp_path, "--limit", "8", "--resume", TMPDIR=str(temporary)) == (0, "")
    assert len(finished(tmp_path)) == 16


def _episodes(runs: Path) -> int:
    if not (runs / "one" / FILE).exists():
        return 0
    try:
        with Store.open(runs / "one" / FILE) as store:
            return len(store.episodes())
    except UserError:
        return 0
