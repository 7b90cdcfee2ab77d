"""What is made of a recorded run: grades, reports, tables, archives, and one run of several."""

from runner.bundle.archive import bundle
from runner.export.export import check_format, export
from runner.outcome.merging import merge
from runner.outcome.regrading import regrade

__all__ = ["bundle", "check_format", "export", "merge", "regrade"]
