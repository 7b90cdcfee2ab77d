"""The suite: the common version of all tasks, sites, modes and checks, and of the code that they share."""

from collections.abc import Mapping

SUITE = "suite-2026.1"
"""Version of the suite: year, and number of the release in that year.

It is raised when a task, a site, a mode or a check changes in what it means. `ERRATA.md` names what was found wrong in
each version.
"""

REVISIONS: Mapping[str, int] = {"engine": 5, "grading": 2, "harness": 3, "kit": 4}
"""Revisions of the code that all cells share. Raise one when a change of that code can change a result.

engine: what a mode does to a page and to a gesture, beside its parameters. grading: how recorded pages are read and
checks are asked. harness: how pages are settled, observed and acted on. kit: how a site is made of its spec. A revision
is part of each identity that it matters for; code that is only written differently keeps its revision, so the episodes
stay comparable.
"""
