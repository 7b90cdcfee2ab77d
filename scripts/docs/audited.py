"""The table of the audit: how many cases each folder of tests has, and how many were run, from JUnit reports.

A run of the audit writes its report with `--junitxml runs/docs-audit/NAME.xml`.
"""

import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from scripts.docs.markdown import table
from scripts.docs.markers import ROOT

FOLDER = ROOT / "runs" / "docs-audit"
COLLECT = ("--collect-only", "-q", "--hypothesis-profile=audit", "-m", "audit or sampled")


class Case(NamedTuple):
    """A case that a report names."""

    id: str
    seconds: float
    failed: bool
    start: str
    """When its run started, as an ISO 8601 text."""


def audited(folder: Path = FOLDER) -> dict[str, str]:
    """Return the table of the reports in a folder; nothing if there is none, so that the documents keep theirs."""
    cases = [case for path in sorted(folder.glob("*.xml")) for case in cases_of(path)]
    return {"audits": audit_table(collected_cases(), cases)} if cases else {}


def collected_cases() -> Mapping[str, str]:
    """Return the folder of each case of the whole audit, by the case's id in reports."""
    command = [sys.executable, "-P", "-m", "pytest", *COLLECT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {
        report_id(line): _folder(line.split("::")[0].split("/")) for line in done.stdout.splitlines() if "::" in line
    }


def report_id(node: str) -> str:
    """Return the id in reports of a case that pytest lists: the module with its class, and the name."""
    # Arguments may contain anything.
    place, bracket, arguments = node.partition("[")
    module, _, name = place.rpartition("::")
    return f"{module.replace('.py', '', 1).replace('/', '.').replace('::', '.')}::{name}{bracket}{arguments}"


def cases_of(report: Path) -> Iterable[Case]:
    """Yield the cases of a JUnit report that were not skipped."""
    suites = etree.parse(report).getroot()
    for suite in suites.iter("testsuite"):
        for case in suite.iter("testcase"):
            if case.find("skipped") is None:
                module = case.get("classname", "")
                failed = case.find("failure") is not None or case.find("error") is not None
                seconds = float(case.get("time", "0"))
                start = suite.get("timestamp", "")
                yield Case(f"{module}::{case.get('name')}", seconds, failed, start)


def audit_table(collected: Mapping[str, str], cases: Iterable[Case]) -> str:
    """Return the table: for each folder its cases, how many ran, how many failed last, the time, and the last day.

    `collected` has the folder of each of today's cases by its id; other cases of reports no longer exist.
    """
    by_folder, counts = defaultdict[str, list[Case]](list), Counter(collected.values())
    for case in cases:
        if case.id in collected:
            by_folder[collected[case.id]].append(case)
    rows = [_row(f"`{folder}`", counts[folder], by_folder[folder]) for folder in sorted(counts)]
    total = _row("all", len(collected), [case for folder in by_folder.values() for case in folder])
    return table(("tests", "cases", "run", "failed", "minutes", "last run"), [*rows, total])


def _row(title: str, collected: int, cases: list[Case]) -> tuple[str, ...]:
    failed_last = {case.id: case.failed for case in sorted(cases, key=lambda case: case.start)}
    minutes = sum(case.seconds for case in cases) / 60
    last_day = max((case.start for case in cases), default="")[:10]
    return (
        title,
        f"{collected:,}",
        f"{len(failed_last):,}",
        f"{sum(failed_last.values()):,}",
        f"{minutes:.1f}",
        last_day,
    )


def _folder(parts: list[str]) -> str:
    """Return the folder below `tests` of a test's path; files directly in `tests` are together."""
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]
