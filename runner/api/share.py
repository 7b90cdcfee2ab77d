"""Derived from recorded runs: grades, tables, archives, and merged runs."""

from runner.export.export import check_format, export
from runner.outcome.merging import merge
from runner.outcome.regrading import Regraded, regrade
from stressweb.bundle.archive import bundle

__all__ = ["Regraded", "bundle", "check_format", "export", "merge", "regrade"]
