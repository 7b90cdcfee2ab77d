"""Programs run outside of the checkout, as a user runs them."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*command: object, cwd: Path) -> str:
    """Run a program in another folder, without this process's Python and stressweb settings."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STRESSWEB_"))}
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
