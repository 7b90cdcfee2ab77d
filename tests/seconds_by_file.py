"""With `--durations`, pytest also prints which files take longest, because a file's time is the sum of many tests."""

from collections import defaultdict

import pytest

_MOST = 60
"""Number of files in the list."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the files with the most seconds."""
    if config.option.durations is None:
        return
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, set[str]] = defaultdict(set)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                path = report.nodeid.partition("::")[0]
                seconds[path] += report.duration
                tests[path].add(report.nodeid)
    terminalreporter.section("slowest files")
    for path in sorted(seconds, key=lambda path: -seconds[path])[:_MOST]:
        terminalreporter.write_line(f"{seconds[path]:7.1f} s  {len(tests[path]):5}  {path}")
    terminalreporter.write_line(f"{sum(seconds.values()):7.1f} s  {sum(map(len, tests.values())):5}  all files")
