"""Reports of running experiments while several tabs request them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from stressweb.analysis.graded import Graded
from stressweb.runner.view.reports import REPORT, Reports, name_on_request
from tests.support.graded_episodes import episode


def write(run: Path, path: Path, **_: object) -> Any:
    """Write a report of one word about two episodes."""
    path.write_text("report")
    return SimpleNamespace(source=SimpleNamespace(graded=[episode(0), episode(1)]))


def test_an_older_report_removes_no_newer_one(tmp_path: Path) -> None:
    looked, newer = threading.Event(), threading.Event()

    def signature(run: Path) -> Any:
        """Return the state of the run; the second tab overtakes the first, unless it has to wait."""
        if looked.is_set():
            return "new"
        looked.set()
        newer.wait(1)
        return "old"

    report_cache = Reports(write, signature)
    with closing(report_cache):
        with ThreadPoolExecutor(2) as pool:
            pool.submit(report_cache.of, tmp_path)
            assert looked.wait(10)
            second = pool.submit(report_cache.of, tmp_path)
            second.add_done_callback(lambda _: newer.set())
        # Both have ended.
        assert (second.result() / REPORT).read_text() == "report"
        assert report_cache.last(tmp_path) == second.result()


def test_a_run_is_checked_as_a_whole_only_when_it_has_changed(tmp_path: Path) -> None:
    """For details of several episodes the slow check of a large file happens once."""
    now: list[Any] = ["first"]
    opened: list[bool] = []

    def details(run: Path, number: int, graded: Graded, *, known: bool) -> str:
        opened.append(known)
        return ""

    report_cache = Reports(write, lambda run: now[-1], details)
    with closing(report_cache):
        report_cache.of(tmp_path)
        for number in (1, 2):
            report_cache.details(tmp_path, name_on_request(number))
        # Meanwhile the file was written or replaced.
        now.append("second")
        for number in (1, 2):
            report_cache.details(tmp_path, name_on_request(number))
    assert opened == [True, True, False, True]
