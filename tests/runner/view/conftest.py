"""Synthetic runs for the list."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from stressweb.log.store import FILE
from stressweb.runner.view.app import create_app
from stressweb.runner.view.reports import Reports
from stressweb.runner.view.runs import Runs
from tests.support.saved_runs import saved


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three runs: a finished one, an unfinished one with an error, and an unreadable one."""
    runs = tmp_path / "runs"
    saved(runs / "first")
    saved(runs / "second", lambda cell: False, done=3, errors=1)
    (runs / "broken").mkdir()
    (runs / "broken" / FILE).write_bytes(b"SQLite format 3\x00" + b"x" * 200)
    (runs / "notes").mkdir()
    return runs


@pytest.fixture
def client(folder: Path) -> Iterator[FlaskClient]:
    """A client of the application for that folder, at this machine's address."""
    reports = Reports()
    client = create_app(Runs(folder), reports).test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1:8090"
    yield client
    reports.close()
