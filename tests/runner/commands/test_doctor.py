import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stressweb.runner.commands.doctor import Finding, doctor, report

pytestmark = pytest.mark.sample(4, "file")


def test_this_machine_meets_the_requirements(tmp_path: Path) -> None:
    # In another thread, because the session's browser uses this one.
    with ThreadPoolExecutor() as pool:
        results = pool.submit(doctor, runs=tmp_path / "runs").result()
    findings = {finding.name: finding for finding in results}
    assert [finding for finding in findings.values() if not finding.ok] == []
    assert "px wide" in findings["fonts"].detail
    assert "mitmproxy" in findings["packages"].detail
    assert list(tmp_path.iterdir()) == []


def test_it_reports_the_sandbox_of_root_and_users() -> None:
    def user() -> Finding:
        # Not pytest's folder, which belongs to one user.
        environ = dict.fromkeys(("PATH", "HOME", "PLAYWRIGHT_BROWSERS_PATH"), "/nowhere")
        (own,) = (finding for finding in doctor(environ, Path("/nowhere")) if finding.name == "user")
        return own

    before = user()
    if os.geteuid() == 0:
        assert (before.ok, before.detail[:45]) == (True, "you are root, so the browser runs without its")
        os.seteuid(65534)
    try:
        assert (user().ok, user().detail) == (True, "not root: the browser runs in its sandbox")
    finally:
        os.seteuid(os.getuid())


def test_a_missing_browser_is_a_finding_with_its_cure(tmp_path: Path) -> None:
    environ = {"PATH": str(tmp_path), "HOME": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
    findings = {finding.name: finding for finding in doctor(environ, tmp_path)}
    assert not findings["browser"].ok
    assert "install chromium-headless-shell" in findings["browser"].cure
    assert "launch" not in findings


def test_a_browser_that_does_not_start_is_a_finding(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Broken 1.0 || exit 1\n')
    broken.chmod(0o755)
    findings = {finding.name: finding for finding in doctor({"STRESSWEB_BROWSER": str(broken)}, tmp_path)}
    assert findings["browser"].ok
    assert not findings["launch"].ok
    assert findings["launch"].cure


def test_a_runs_folder_that_is_a_file_is_a_finding(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.touch()
    findings = {finding.name: finding for finding in doctor(runs=runs)}
    assert not findings["runs"].ok


@pytest.mark.parametrize(("ok", "status"), [(True, 0), (False, 1)])
def test_the_report_is_lines_or_json(ok: bool, status: int) -> None:
    findings = [Finding("one", "found"), Finding("two", "also", ok, "" if ok else "mend it")]
    lines: list[str] = []
    assert report(as_json=True, say=lines.append, findings=findings) == status
    assert [finding["name"] for finding in json.loads(lines[0])] == ["one", "two"]
    lines.clear()
    assert report(say=lines.append, findings=findings) == status
    assert lines[0] == "ok  one  found"
    assert ("mend it" in lines[-1]) != ok
