"""Reports of running experiments while several tabs request them."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from stressweb.runner.view import reports
from stressweb.runner.view.reports import REPORT, Reports, name_on_request


@pytest.fixture
def report_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reports]:
    """A cache of reports that contain one word."""

    def write(run: Path, path: Path, **_: object) -> SimpleNamespace:
        path.write_text("report")
        return SimpleNamespace(source=SimpleNamespace(graded=[]))

    monkeypatch.setattr(reports, "write", write)
    cache = Reports()
    yield cache
    cache.close()


def test_an_older_report_removes_no_newer_one(
    report_cache: Reports, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    looked, newer = threading.Event(), threading.Event()

    def signature(run: Path) -> str:
        """Return the state of the run; the second tab overtakes the first, unless it has to wait."""
        if looked.is_set():
            return "new"
        looked.set()
        newer.wait(1)
        return "old"

    monkeypatch.setattr(reports, "signature", signature)
    with ThreadPoolExecutor(2) as pool:
        pool.submit(report_cache.of, tmp_path)
        assert looked.wait(10)
        second = pool.submit(report_cache.of, tmp_path)
        second.add_done_callback(lambda _: newer.set())
    assert (second.result() / REPORT).read_text() == "report"
    assert report_cache.last(tmp_path) == second.result()


def test_a_run_is_checked_as_a_whole_only_when_it_has_changed(
    report_cache: Reports, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """For details of several episodes the slow check of a large file happens once."""
    now = ["first"]
    opened: list[bool] = []
    monkeypatch.setattr(reports, "signature", lambda run: now[-1])
    monkeypatch.setattr(reports, "details", lambda run, number, graded, *, known: str(opened.append(known)))
    report_cache.of(tmp_path)
    report_cache._numbered[tmp_path] = dict.fromkeys((1, 2), SimpleNamespace())  # type: ignore[arg-type]
    for number in (1, 2):
        report_cache.details(tmp_path, name_on_request(number))
    # Meanwhile the file was written or replaced.
    now.append("second")
    for number in (1, 2):
        report_cache.details(tmp_path, name_on_request(number))
    assert opened == [True, True, False, True]
