"""Fixtures: the command line in this process, and recorded runs."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.runner.commands.cli import cli, guarded
from stressweb.runner.registry import Library, task_ids
from stressweb.runner.registry.grading import Grader
from tests.runner.commands.command_line import Result
from tests.support.edited_runs import edit
from tests.support.plans import plan as planned

GRADER = Grader(Library())
"""Grades recordings of tests; it draws each world once."""


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Run the command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("STRESSWEB_") and name != "STRESSWEB_BROWSER"]:
        monkeypatch.delenv(name)

    def _call(*arguments: str, **environment: str) -> Result:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        status = guarded(lambda: cli.main(list(arguments), standalone_mode=False))
        out, err = capfd.readouterr()
        return status, out, err

    return _call


@pytest.fixture
def existing(tmp_path: Path) -> Path:
    path = tmp_path / "runs" / "old" / FILE
    plan = planned(agents=("naive",), tasks=(task_ids()[0],), conditions=("clean",))
    Store.create(path, {"plan": plan.model_dump()}, plan.cells()).close()
    return path


@pytest.fixture
def edited(existing: Path) -> tuple[Path, Cell]:
    """A run of two episodes; the grade of the second one was edited."""
    plan = planned(agents=("naive",), tasks=(task_ids()[0],), conditions=("clean", "sham"))
    path = existing.parent.parent / "edited" / FILE
    clean, sham = plan.cells()
    with Store.create(path, {"plan": plan.model_dump(), "version": "0", "browser": "x"}, [clean, sham]) as store:
        for cell in (clean, sham):
            record = EpisodeRecord(cell, "done", "done")
            record.grade = GRADER.grade(record)
            store.save(record)
    edit(path, "UPDATE episode SET grade = replace(grade, 'false', 'true') WHERE cell = ?", sham.key)
    return path, sham
