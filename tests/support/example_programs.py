"""The programs in `examples/`, with the packages that they need."""

import shutil
import subprocess
import venv
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def installed(*command: str, where: Path) -> None:
    """Install the packages of an example; skip the test if that fails."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {command[0]} on this machine")
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        pytest.skip(f"{' '.join(command[:2])} fails here: {done.stderr.strip()[-200:]}")


def with_packages(folder: Path, *packages: str) -> Path:
    """Return the Python of a new environment in `folder` with these packages and without ours."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    installed(str(python), "-m", "pip", "install", "-q", *packages, where=folder)
    return python
