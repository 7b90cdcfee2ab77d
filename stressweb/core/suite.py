"""The version of the suite: all tasks, sites, modes and checks, and the code that they share."""

from collections.abc import Mapping

SUITE = "suite-2026.1"
"""Version of the suite: year, and number of the release in that year.

It is raised when the meaning of a task, a site, a mode or a check changes. `ERRATA.md` lists the known errors of each
version.
"""

REVISIONS: Mapping[str, int] = {"engine": 6, "grading": 2, "harness": 3, "kit": 5}
"""Revisions of the code that all cells share. Raise a revision when a change of that code can change a result.

engine: effects of modes on pages and gestures, apart from parameters. grading: reading of recorded pages, and
evaluation of checks. harness: settling, observation and actions. kit: generation of sites from specs. A revision is
part of each identity that depends on it. A refactoring keeps the revision, so that episodes stay comparable.
"""
