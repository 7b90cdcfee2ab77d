"""The command line in a process of its own, in a folder outside the project."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def stressweb(
    folder: Path, *arguments: str, python: str | Path = sys.executable, path: Path | None = None, timeout: float = 280
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; `path` has further packages, and `timeout` is in seconds."""
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{path}" if path else str(ROOT)}
    command = [python, "-P", "-m", "stressweb", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=timeout, check=False
    )
