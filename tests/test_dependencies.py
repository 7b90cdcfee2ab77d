"""Dependencies have no known vulnerability, as far as the public list can be reached."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
UNREACHABLE = ("ConnectionError", "Max retries", "Temporary failure", "Name or service not known", "HTTPError", "503")


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.audit
@pytest.mark.timeout(900)
def test_no_dependency_has_a_known_vulnerability(tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "own")
    python = tmp_path / "own" / "bin" / "python"
    installed = run(python, "-m", "pip", "install", "--quiet", "pip-audit")
    if installed.returncode:
        pytest.skip(f"pip-audit cannot be installed here: {installed.stderr.strip()[-200:]}")
    audited = run(python, "-m", "pip_audit", "--requirement", ROOT / "requirements.lock", "--no-deps", "--disable-pip")
    if audited.returncode and any(sign in audited.stderr for sign in UNREACHABLE):
        pytest.skip(f"the list of known vulnerabilities cannot be reached: {audited.stderr.strip()[-200:]}")
    assert audited.returncode == 0, audited.stdout + audited.stderr
