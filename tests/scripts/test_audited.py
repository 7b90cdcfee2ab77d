"""The table of the audit is made of the JUnit reports of its runs."""

from pathlib import Path

import pytest

from scripts.docs.audited import audit_table, audited, cases_of, report_id

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" timestamp="{day}T07:36:14+00:00">
<testcase classname="tests.laws.test_a" name="test_a[1]" time="60.0" />
<testcase classname="tests.laws.test_a" name="test_a[2]" time="30.0"><failure message="no">x</failure></testcase>
<testcase classname="tests.laws.test_a" name="test_a[3]" time="0.0"><skipped message="no">x</skipped></testcase>
<testcase classname="tests.test_b" name="test_b" time="6.0"><error message="no">x</error></testcase>
<testcase classname="tests.runner.plan.test_c" name="test_c" time="12.0" />
</testsuite></testsuites>
"""


def test_a_case_that_ran_twice_counts_once_and_its_times_add_up(tmp_path: Path) -> None:
    for day in ("2026-11-28", "2026-11-29"):
        (tmp_path / f"{day}.xml").write_text(REPORT.format(day=day))
    cases = [case for path in sorted(tmp_path.iterdir()) for case in cases_of(path)]
    collected = {
        "tests.test_b::test_b": "tests",
        **{f"tests.laws.test_a::test_a[{number}]": "tests/laws" for number in range(1200)},
        "tests.runner.plan.test_c::test_c": "tests/runner",
        "tests.sites.test_d::test_d": "tests/sites",
    }
    assert audit_table(collected, cases).splitlines()[2:] == [
        "| `tests` | 1 | 1 | 1 | 0.2 | 2026-11-29 |",
        "| `tests/laws` | 1,200 | 2 | 1 | 3.0 | 2026-11-29 |",
        "| `tests/runner` | 1 | 1 | 0 | 0.4 | 2026-11-29 |",
        "| `tests/sites` | 1 | 0 | 0 | 0.0 |  |",
        "| all | 1,203 | 4 | 2 | 3.6 | 2026-11-29 |",
    ]


def test_the_last_outcome_of_a_case_counts(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(REPORT.format(day="2026-11-29").replace('<failure message="no">x</failure>', ""))
    (tmp_path / "b.xml").write_text(REPORT.format(day="2026-11-28"))
    cases = [case for path in sorted(tmp_path.iterdir()) for case in cases_of(path)]
    collected = {"tests.laws.test_a::test_a[1]": "tests/laws", "tests.laws.test_a::test_a[2]": "tests/laws"}
    assert "| `tests/laws` | 2 | 2 | 0 | 3.0 | 2026-11-29 |" in audit_table(collected, cases)


def test_a_case_that_was_removed_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(REPORT.format(day="2026-11-29"))
    collected = {"tests.laws.test_a::test_a[1]": "tests/laws"}
    assert "| all | 1 | 1 | 0 | 1.0 | 2026-11-29 |" in audit_table(collected, cases_of(tmp_path / "a.xml"))


def test_without_reports_the_documents_keep_their_table(tmp_path: Path) -> None:
    assert audited(tmp_path) == {}


@pytest.mark.parametrize(
    ("node", "name"),
    [
        ("tests/laws/test_a.py::test_a[1]", "tests.laws.test_a::test_a[1]"),
        ("tests/laws/test_a.py::TestB::test_c[a::b/c.py]", "tests.laws.test_a.TestB::test_c[a::b/c.py]"),
    ],
)
def test_a_case_has_the_id_that_reports_give_it(node: str, name: str) -> None:
    assert report_id(node) == name
