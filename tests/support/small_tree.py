"""Runs pytest on a small tree that a test writes, to test our pytest plug-ins."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def pytest_in(folder: Path, *options: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the tests in a folder, without the settings of this run, and return the finished process."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("STRESSWEB_", "PYTEST_"))}
    own = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", *options]
    return subprocess.run(
        command, cwd=folder, env={**inherited, **environ, **own}, capture_output=True, text=True, check=False
    )
