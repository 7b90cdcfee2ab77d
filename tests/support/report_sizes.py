"""Reports of small runs, written as those of large ones."""

from functools import partial

import pytest

from stressweb.report.chosen import chosen


def use_side_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the episodes of every report into files beside it."""
    monkeypatch.setattr("stressweb.runner.outcome.report_files.ReportFiles.side.__defaults__", (0, None))


def leave_out_details(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the details of one episode only into the report of any run of more than two."""
    monkeypatch.setattr(
        "stressweb.runner.outcome.reporting.chosen", partial(chosen, show_all_up_to=2, detailed_count=1)
    )
