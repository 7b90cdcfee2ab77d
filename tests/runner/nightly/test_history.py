"""The folder of the nights survives kills, admits one night at a time, and reports wrong lines."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stressweb.analysis.comparison import Line
from stressweb.analysis.regressions import RegressionState
from stressweb.core.errors import UserError
from stressweb.runner.nightly.history import LINES, PINNED, Baseline, History
from tests.runner.nightly.numbered_nights import night
from tests.support.waiting import until

pytestmark = pytest.mark.sample(4, "file")


def test_written_nights_are_read(tmp_path: Path) -> None:
    history = History(tmp_path / "nightly")
    assert (history.nights(), history.baseline()) == ([], None)
    assert not history.folder.exists()
    with history.locked():
        for number in range(3):
            history.append(night(number))
        history.pin(Baseline(run="base", pinned="2026-01-01", identities={"a": "b"}))
    pinned = history.baseline()
    assert history.nights() == [night(0), night(1), night(2)]
    assert pinned == Baseline(run="base", pinned="2026-01-01", identities={"a": "b"})
    assert history.turn(pinned) == 3
    assert (history.regression_state(pinned, "a"), history.regression_state(pinned, "b")) == (
        RegressionState((0.25, 0.0)),
        RegressionState(),
    )


def test_a_night_from_before_families_were_recorded_counts_every_task_by_itself(tmp_path: Path) -> None:
    fields = {"verdict": "unchanged", "cells": 6, "equal": 6, "tasks": 3, "change": 0.0, "interval": None}
    line = Line.model_validate({**fields, "sites_interval": None, "p_value": 1.0, "margin": None})
    old = night(0).agents[0].model_copy(update={"clean": line})
    text = night(0).model_copy(update={"agents": (old,)}).model_dump_json()
    (tmp_path / LINES).write_text(text.replace('"families":3,', "") + "\n")
    (read,) = History(tmp_path).nights()
    assert '"families":3,' in text
    assert read.agents[0].clean == line
    assert line.families == 3


@pytest.mark.parametrize("length", [1, 20, -1])
def test_a_truncated_line_is_ignored_and_removed(tmp_path: Path, length: int) -> None:
    history = History(tmp_path)
    history.append(night(0))
    history.append(night(1))
    path = tmp_path / LINES
    first, second, _ = path.read_bytes().split(b"\n")
    path.write_bytes(first + b"\n" + second[:length])
    assert history.nights() == [night(0)]
    history.append(night(2))
    assert history.nights() == [night(0), night(2)]


def test_a_kill_at_any_time_leaves_complete_lines(tmp_path: Path) -> None:
    """Kills a process that only writes nights, several times."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from pathlib import Path\n"
        "from stressweb.runner.nightly.history import History\n"
        "from tests.runner.nightly.numbered_nights import night\n"
        "history = History(Path(sys.argv[1])); number = len(history.nights()); print('ready', flush=True)\n"
        "while True:\n    history.append(night(number)); number += 1\n"
    )
    root = str(Path(__file__).parents[3])
    lines = tmp_path / LINES
    before = 0
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", program, str(tmp_path), root], stdout=subprocess.PIPE, cwd=root
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        enough = (lines.stat().st_size if before else 0) + 2000
        # Without a pause, so that the kill comes at any time.
        until(lambda enough=enough: lines.exists() and lines.stat().st_size >= enough, lambda: None)  # type: ignore[misc]
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        nights = History(tmp_path).nights()
        assert [read_night.number for read_night in nights] == list(range(len(nights)))
        assert len(nights) > before
        before = len(nights)


def test_two_nights_do_not_share_a_folder(tmp_path: Path) -> None:
    history = History(tmp_path / "nightly")
    with history.locked():
        with pytest.raises(UserError, match="another night is running"), History(tmp_path / "nightly").locked():
            pass
        # An error inside is not taken for a second night.
        with pytest.raises(BlockingIOError), History(tmp_path / "other").locked():
            raise BlockingIOError
    with history.locked():
        pass


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(UserError, match="file/nightly cannot be written"),
        History(tmp_path / "file" / "nightly").locked(),
    ):
        pass


def test_a_wrong_line_is_named(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.append(night(0))
    with (tmp_path / LINES).open("ab") as file:
        file.write(b'{"number": "three"}\n')
    with pytest.raises(UserError, match=rf"{LINES}:2: not a night: "):
        history.nights()
    (tmp_path / PINNED).write_text("[]")
    with pytest.raises(UserError, match=rf"{PINNED}: not a baseline: .*pin one with --baseline"):
        history.baseline()


def test_the_history_is_for_its_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with (history := History(tmp_path / "nightly")).locked():
            history.append(night(0))
    finally:
        os.umask(old)
    assert (history.folder / LINES).stat().st_mode & 0o077 == 0
    assert history.runs.stat().st_mode & 0o077 == 0
