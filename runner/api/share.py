"""Regrades, exports, bundles and merges recorded runs."""

from stressweb.bundle.archive import bundle
from stressweb.runner.export.export import check_format, export
from stressweb.runner.outcome.merging import merge
from stressweb.runner.outcome.regrading import Regraded, regrade

__all__ = ["Regraded", "bundle", "check_format", "export", "merge", "regrade"]
