"""Reports of runs that go on while several tabs ask for them."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from runner.view import reports
from runner.view.reports import REPORT, Reports, asked


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reports]:
    """Reports of one word."""

    def write(run: Path, path: Path, **_: object) -> SimpleNamespace:
        path.write_text("report")
        return SimpleNamespace(source=SimpleNamespace(graded=[]))

    monkeypatch.setattr(reports, "write", write)
    found = Reports()
    yield found
    found.close()


def test_an_older_report_removes_no_newer_one(made: Reports, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    looked, newer = threading.Event(), threading.Event()

    def signature(run: Path) -> str:
        """Tell how the run is; whoever asks first is overtaken by the other tab, unless that one has to wait."""
        if looked.is_set():
            return "new"
        looked.set()
        newer.wait(1)
        return "old"

    monkeypatch.setattr(reports, "signature", signature)
    with ThreadPoolExecutor(2) as pool:
        pool.submit(made.of, tmp_path)
        assert looked.wait(10)
        second = pool.submit(made.of, tmp_path)
        second.add_done_callback(lambda _: newer.set())
    assert (second.result() / REPORT).read_text() == "report"
    assert made.made(tmp_path) == second.result()


def test_a_run_is_checked_as_a_whole_only_when_it_has_changed(
    made: Reports, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Details of one episode after the other: what takes seconds for a large file is done once."""
    now = ["first"]
    opened: list[bool] = []
    monkeypatch.setattr(reports, "signature", lambda run: now[-1])
    monkeypatch.setattr(reports, "details", lambda run, number, graded, *, known: str(opened.append(known)))
    made.of(tmp_path)
    made._numbered[tmp_path] = dict.fromkeys((1, 2), SimpleNamespace())  # type: ignore[arg-type]
    for number in (1, 2):
        made.details(tmp_path, asked(number))
    # Written to meanwhile, or another file in its place.
    now.append("second")
    for number in (1, 2):
        made.details(tmp_path, asked(number))
    assert opened == [True, True, False, True]
