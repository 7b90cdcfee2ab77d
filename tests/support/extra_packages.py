"""A Python that can import an optional package, if need be from a new environment on top of the installed packages."""

import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest


def python_with(requirement: str, module: str, folder: Path) -> Path:
    """Return a Python that can import `module`: the current one, or one of a new environment in `folder`.

    Skips the test if the requirement cannot be installed.
    """
    if find_spec(module):
        return Path(sys.executable)
    environment = folder / module
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    installed = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", requirement], capture_output=True, text=True, check=False
    )
    if installed.returncode:
        pytest.skip(f"{requirement} cannot be installed here: {installed.stderr.strip()[-200:]}")
    (packages,) = environment.glob("lib/python*/site-packages")
    # Our packages come after its own, so it keeps the versions that it needs.
    (packages / "zz-ours.pth").write_text(sysconfig.get_path("purelib"))
    return python
